#include "controller/cli/contexts.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"
#include "proto/wire/text_proto.h"

namespace shakedown::cli {
namespace {

constexpr size_t kMaxConfig = 64 << 10;
constexpr char kHead[] =
    "# The farms that the shakedown command knows. Also written by `shakedown contexts`, which "
    "keeps no comments.\n";

absl::Status NoContext(const v1::CliConfig& config, absl::string_view name) {
  std::vector<std::string> names;
  for (const v1::CliConfig::Context& context : config.contexts()) names.push_back(context.name());
  return absl::NotFoundError(
      absl::StrCat("context ", Quoted(name), ": want one of ",
                   names.empty() ? "none: there are no contexts" : absl::StrJoin(names, ", ")));
}

auto Find(const v1::CliConfig& config, absl::string_view name) {
  return std::find_if(
      config.contexts().begin(), config.contexts().end(),
      [&](const v1::CliConfig::Context& context) { return context.name() == name; });
}

absl::Status Check(const v1::CliConfig& config) {
  std::set<std::string> names;
  for (const v1::CliConfig::Context& context : config.contexts()) {
    RETURN_IF_ERROR(CheckName("context", context.name()));
    if (!names.insert(context.name()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("context ", context.name(), ": is there twice"));
    }
    RETURN_IF_ERROR(Annotate(ParseServer(context.server(), !context.tls_ca().empty()).status(),
                             absl::StrCat("context ", context.name())));
  }
  if (config.current().empty() || names.count(config.current()) > 0) return absl::OkStatus();
  return NoContext(config, config.current());
}

}  // namespace

std::string ConfigPath(const Environment& environment) {
  if (auto folder = environment("XDG_CONFIG_HOME"); folder.has_value() && !folder->empty()) {
    return absl::StrCat(*folder, "/shakedown/config.txtpb");
  }
  if (auto home = environment("HOME"); home.has_value() && !home->empty()) {
    return absl::StrCat(*home, "/.config/shakedown/config.txtpb");
  }
  return "";
}

absl::StatusOr<v1::CliConfig> ReadConfig(const std::string& path) {
  v1::CliConfig config;
  if (path.empty()) return config;
  const absl::StatusOr<std::string> text = ReadFile(path, kMaxConfig);
  if (absl::IsNotFound(text.status())) return config;
  RETURN_IF_ERROR(text.status());
  RETURN_IF_ERROR(ParseTextProto(*text, path, &config, 1));
  RETURN_IF_ERROR(Annotate(Check(config), path));
  return config;
}

absl::Status WriteConfig(const std::string& path, const v1::CliConfig& config) {
  if (path.empty()) {
    return absl::FailedPreconditionError(
        "config.txtpb: want HOME or XDG_CONFIG_HOME in the environment");
  }
  RETURN_IF_ERROR(Check(config));
  std::string text;
  google::protobuf::TextFormat::PrintToString(config, &text);
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error) return ErrnoStatus(error.value(), std::filesystem::path(path).parent_path().native());
  return WriteFileAtomically(path, absl::StrCat(kHead, text));
}

absl::StatusOr<v1::CliConfig::Context> FindContext(const v1::CliConfig& config,
                                                   absl::string_view name) {
  const absl::string_view wanted = name.empty() ? absl::string_view(config.current()) : name;
  if (wanted.empty() && config.contexts_size() == 1) return config.contexts(0);
  if (wanted.empty()) return v1::CliConfig::Context();
  const auto found = Find(config, wanted);
  if (found == config.contexts().end()) return NoContext(config, wanted);
  return *found;
}

void PutContext(const v1::CliConfig::Context& context, v1::CliConfig* config) {
  const auto found = Find(*config, context.name());
  if (found == config->contexts().end()) {
    *config->add_contexts() = context;
  } else {
    *config->mutable_contexts(static_cast<int>(found - config->contexts().begin())) = context;
  }
  if (config->current().empty()) config->set_current(context.name());
}

absl::Status RemoveContext(absl::string_view name, v1::CliConfig* config) {
  const auto found = Find(*config, name);
  if (found == config->contexts().end()) return NoContext(*config, name);
  if (config->current() == name) config->clear_current();
  config->mutable_contexts()->erase(found);
  return absl::OkStatus();
}

}  // namespace shakedown::cli
