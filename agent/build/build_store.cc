#include "agent/build/build_store.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxResult = 1 << 20;
constexpr absl::string_view kPart = "part-";

absl::Status Write(const std::string& folder, const char* name, const std::string& content,
                   v1::Artefact& artefact) {
  artefact.set_sha256(Sha256Hex(content));
  artefact.set_size(content.size());
  return WriteFileAtomically(absl::StrCat(folder, "/", name), content);
}

// The store's Find() compares it with its digest: one that a power loss tore is not found.
absl::Status Move(const std::string& from, const std::string& to, v1::Artefact& artefact) {
  ASSIGN_OR_RETURN(*artefact.mutable_sha256(), Sha256File(from));
  std::error_code error;
  artefact.set_size(fs::file_size(from, error));
  if (!error) fs::rename(from, to, error);
  return error ? ErrnoStatus(error.value(), to) : absl::OkStatus();
}

bool Matches(const std::string& path, const v1::Artefact& artefact) {
  absl::StatusOr<std::string> digest = Sha256File(path);
  return digest.ok() && *digest == artefact.sha256();
}

}  // namespace

BuildStore::BuildStore(std::string folder) : folder_(std::move(folder)) {}

std::string BuildStore::Path(absl::string_view build_key) const {
  return absl::StrCat(folder_, "/done/", build_key);
}

absl::StatusOr<BuildOutcome> BuildStore::Find(const std::string& build_key) {
  if (!IsSha256Hex(build_key)) return absl::NotFoundError("not a build key");
  const std::string path = Path(build_key);
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(absl::StrCat(path, "/result.pb"), kMaxResult));
  BuildOutcome outcome;
  bool good = outcome.result.ParseFromString(bytes) && outcome.result.build_key() == build_key;
  outcome.image_path = absl::StrCat(path, "/image");
  outcome.config_path = absl::StrCat(path, "/config");
  good = good && Matches(outcome.image_path, outcome.result.image()) &&
         Matches(outcome.config_path, outcome.result.config());
  if (good && outcome.result.has_initramfs()) {
    outcome.initramfs_path = absl::StrCat(path, "/initramfs");
    good = Matches(outcome.initramfs_path, outcome.result.initramfs());
  }
  if (good && outcome.result.has_modules()) {
    outcome.modules_path = absl::StrCat(path, "/modules");
    good = Matches(outcome.modules_path, outcome.result.modules());
  }
  if (good) return outcome;
  std::error_code error;
  fs::remove_all(path, error);
  return absl::NotFoundError(absl::StrCat(path, ": no longer matches its digests: removed"));
}

absl::StatusOr<BuildOutcome> BuildStore::Put(v1::BuildResult result, const BuiltFiles& files) {
  const std::string path = Path(result.build_key());
  const std::string part = absl::StrCat(folder_, "/done/", kPart, result.build_key());
  std::error_code error;
  fs::remove_all(part, error);
  fs::create_directories(part, error);
  if (error) return ErrnoStatus(error.value(), part);
  RETURN_IF_ERROR(Write(part, "image", files.image, *result.mutable_image()));
  RETURN_IF_ERROR(Write(part, "config", files.config, *result.mutable_config()));
  if (!files.initramfs.empty()) {
    RETURN_IF_ERROR(Write(part, "initramfs", files.initramfs, *result.mutable_initramfs()));
  }
  if (!files.modules_path.empty()) {
    RETURN_IF_ERROR(Move(files.modules_path, part + "/modules", *result.mutable_modules()));
  }
  RETURN_IF_ERROR(
      WriteFileAtomically(absl::StrCat(part, "/result.pb"), result.SerializeAsString()));
  fs::remove_all(path, error);
  fs::rename(part, path, error);
  if (error) return ErrnoStatus(error.value(), path);
  return Find(result.build_key());
}

std::string BuildStore::Recall(const std::string& what) {
  absl::StatusOr<std::string> value =
      ReadFile(absl::StrCat(folder_, "/memory/", Sha256Hex(what)), 4096);
  return value.ok() ? std::string(absl::StripAsciiWhitespace(*value)) : "";
}

// A loss costs time only, so an error is no error.
void BuildStore::Remember(const std::string& what, const std::string& value) {
  std::error_code error;
  fs::create_directories(absl::StrCat(folder_, "/memory"), error);
  WriteFileAtomically(absl::StrCat(folder_, "/memory/", Sha256Hex(what)), value + "\n")
      .IgnoreError();
}

absl::Status BuildStore::CleanUp(size_t keep) {
  const std::string done = absl::StrCat(folder_, "/done");
  std::error_code error;
  fs::create_directories(done, error);
  if (error) return ErrnoStatus(error.value(), done);
  std::vector<std::pair<fs::file_time_type, std::string>> builds;
  for (fs::directory_iterator it(done, error), end; !error && it != end; it.increment(error)) {
    if (absl::StartsWith(it->path().filename().string(), kPart)) {
      builds.emplace_back(fs::file_time_type::min(), it->path().string());
      keep += 1;
    } else {
      builds.emplace_back(fs::last_write_time(it->path(), error), it->path().string());
    }
  }
  std::sort(builds.rbegin(), builds.rend());
  for (size_t i = 0; i < builds.size(); ++i) {
    const bool part = builds[i].first == fs::file_time_type::min();
    if (part || i >= keep) fs::remove_all(builds[i].second, error);
  }
  return error ? ErrnoStatus(error.value(), done) : absl::OkStatus();
}

}  // namespace shakedown::agent
