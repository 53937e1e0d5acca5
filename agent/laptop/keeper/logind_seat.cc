#include <dirent.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/laptop/keeper/seat.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

using google::protobuf::Value;

constexpr absl::Duration kLimit = absl::Seconds(5);
constexpr size_t kMostBlockers = 20;
constexpr char kTitle[] = "Shakedown";

const std::vector<std::string> kLogind = {"org.freedesktop.login1", "/org/freedesktop/login1",
                                          "org.freedesktop.login1.Manager"};

Tool Busctl(const std::string& verb, const std::vector<std::string>& words) {
  Tool tool{.argv = {"busctl", "--json=short", "--no-pager", verb}, .limit = kLimit};
  tool.argv.insert(tool.argv.end(), kLogind.begin(), kLogind.end());
  tool.argv.insert(tool.argv.end(), words.begin(), words.end());
  return tool;
}

// The "data" of a busctl answer.
absl::StatusOr<Value> Data(absl::string_view json) {
  Value value;
  const auto parsed = google::protobuf::util::JsonStringToMessage(std::string(json), &value);
  const auto& fields = value.struct_value().fields();
  if (!parsed.ok() || fields.count("data") == 0) {
    return absl::DataLossError(
        absl::StrCat("logind's answer: ", PrintableLine(json), ", want busctl's JSON"));
  }
  return fields.at("data");
}

std::string Text(const google::protobuf::ListValue& list, int index) {
  return index < list.values_size() ? list.values(index).string_value() : "";
}

class LogindSeat : public Seat {
 public:
  LogindSeat(Host& host, std::string run_user) : host_(host), run_user_(std::move(run_user)) {}

  void Tell(const std::string& text) override {
    // Nobody logged in, no wall, no desktop: nobody to tell.
    host_.Run({.argv = {"wall", absl::StrCat(kTitle, ": ", text)}, .limit = kLimit})
        .status()
        .IgnoreError();
    for (const auto& [uid, gid] : Desktops()) {
      host_
          .Run({.argv = {"setpriv", absl::StrCat("--reuid=", uid), absl::StrCat("--regid=", gid),
                         "--clear-groups", "notify-send", "--urgency=critical", "--", kTitle, text},
                .environment = {{"DBUS_SESSION_BUS_ADDRESS",
                                 absl::StrCat("unix:path=", run_user_, "/", uid, "/bus")}},
                .limit = kLimit})
          .status()
          .IgnoreError();
    }
  }

  absl::StatusOr<absl::Duration> Idle() override {
    ASSIGN_OR_RETURN(const std::string json,
                     host_.Run(Busctl("get-property", {"IdleHint", "IdleSinceHint"})));
    return ParseIdle(json, host_.Now());
  }

  absl::StatusOr<std::vector<std::string>> Blockers() override {
    ASSIGN_OR_RETURN(const std::string json, host_.Run(Busctl("call", {"ListInhibitors"})));
    return ParseBlockers(json);
  }

 private:
  // User and group of those who have a session bus.
  std::map<uid_t, gid_t> Desktops() const {
    std::map<uid_t, gid_t> found;
    DIR* entries = opendir(run_user_.c_str());
    if (entries == nullptr) return found;
    while (const dirent* entry = readdir(entries)) {
      struct stat about = {};
      uid_t uid = 0;
      const std::string folder = absl::StrCat(run_user_, "/", entry->d_name);
      if (absl::SimpleAtoi(entry->d_name, &uid) && lstat(folder.c_str(), &about) == 0 &&
          about.st_uid == uid && lstat((folder + "/bus").c_str(), &about) == 0) {
        found[uid] = about.st_gid;
      }
    }
    closedir(entries);
    return found;
  }

  Host& host_;
  const std::string run_user_;
};

}  // namespace

absl::StatusOr<absl::Duration> ParseIdle(absl::string_view json, absl::Time now) {
  const std::vector<absl::string_view> lines = absl::StrSplit(json, '\n', absl::SkipEmpty());
  if (lines.size() != 2) {
    return absl::DataLossError(
        absl::StrCat("logind's IdleHint, IdleSinceHint: ", PrintableLine(json), ", want 2 lines"));
  }
  ASSIGN_OR_RETURN(const Value idle, Data(lines[0]));
  ASSIGN_OR_RETURN(const Value since, Data(lines[1]));
  if (idle.kind_case() != Value::kBoolValue || since.kind_case() != Value::kNumberValue) {
    return absl::DataLossError(absl::StrCat(
        "logind's IdleHint, IdleSinceHint: ", PrintableLine(json), ", want a bool and a number"));
  }
  if (!idle.bool_value()) return absl::ZeroDuration();
  if (since.number_value() == 0) return absl::InfiniteDuration();
  const absl::Time at = absl::FromUnixMicros(static_cast<int64_t>(since.number_value()));
  return std::max(absl::ZeroDuration(), now - at);
}

absl::StatusOr<std::vector<std::string>> ParseBlockers(absl::string_view json) {
  ASSIGN_OR_RETURN(const Value data, Data(json));
  if (data.list_value().values_size() != 1 || !data.list_value().values(0).has_list_value()) {
    return absl::DataLossError(
        absl::StrCat("logind's inhibitors: ", PrintableLine(json), ", want one list"));
  }
  std::vector<std::string> blockers;
  for (const Value& value : data.list_value().values(0).list_value().values()) {
    // what, who, why, mode, uid, pid
    const google::protobuf::ListValue& entry = value.list_value();
    const std::vector<std::string> what = absl::StrSplit(Text(entry, 0), ':');
    if (Text(entry, 3) != "block" || blockers.size() == kMostBlockers ||
        std::find(what.begin(), what.end(), "shutdown") == what.end()) {
      continue;
    }
    blockers.push_back(PrintableLine(absl::StrCat(Text(entry, 1), ": ", Text(entry, 2))));
  }
  return blockers;
}

std::unique_ptr<Seat> MakeLogindSeat(Host& host, std::string run_user) {
  return std::make_unique<LogindSeat>(host, std::move(run_user));
}

}  // namespace shakedown::laptop
