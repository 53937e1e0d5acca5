#include "agent/laptop/keeper/commands.h"

#include <fcntl.h>
#include <google/protobuf/util/json_util.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "agent/laptop/boot/command_line.h"
#include "agent/laptop/keeper/vigil.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/framing.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

constexpr timeval kPatience = {60, 0};  // An install may be under way.
constexpr const char* kUnits[] = {"shakedown-agent.service", "shakedown-laptop.service",
                                  kWayHomeUnit};

absl::StatusOr<Descriptor> Connect(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return absl::InvalidArgumentError(absl::StrCat("socket ", path, ": too long"));
  }
  memcpy(address.sun_path, path.data(), path.size());
  Descriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (fd.get() < 0) return ErrnoStatus(errno, path);
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno == EACCES || errno == EPERM) {
      return absl::PermissionDeniedError(absl::StrCat(path, ": want root (sudo)"));
    }
    return absl::UnavailableError(absl::StrCat(
        path, ": ", strerror(errno), ", want a running daemon (systemctl start shakedown-laptop)"));
  }
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  return fd;
}

std::string StageText(const v1::LaptopStatus& status) {
  const std::string boot = absl::StrCat("boot ", status.boot());
  switch (status.stage()) {
    case v1::BOOT_STAGE_NONE:
      return "your own kernel runs, nothing is installed";
    case v1::BOOT_STAGE_INSTALLED:
      return absl::StrCat("your own kernel runs; ", boot, " is installed");
    case v1::BOOT_STAGE_LEAVING:
      return absl::StrCat("restarts for ", boot,
                          status.countdown_s() > 0 ? absl::StrCat(" in ", status.countdown_s(),
                                                                  " s (shakedown-laptop refuse)")
                                                   : "");
    case v1::BOOT_STAGE_IN_TEST:
      return absl::StrCat("a TEST kernel runs: ", boot, " (shakedown-laptop stop)");
    case v1::BOOT_STAGE_RETURNED:
      return absl::StrCat("your own kernel runs; the result of ", boot, " waits for the agent");
    default:
      return "unknown";
  }
}

// A file or a folder with all below it. What is not there is gone.
absl::Status Remove(const std::string& path, const Say& say) {
  std::error_code error;
  const auto removed = std::filesystem::remove_all(path, error);
  if (error) return ErrnoStatus(error.value(), path);
  if (removed > 0) say(absl::StrCat("removed ", path));
  return absl::OkStatus();
}

}  // namespace

LaptopPaths PathsBelow(const std::string& root) {
  const std::string etc = root + "/etc/shakedown/";
  return {.socket = root + "/run/shakedown/laptop.sock",
          .refuse = root + "/run/shakedown/refuse",
          .owner = etc + "owner.txtpb",
          .config = etc + "agent.conf",
          .token = etc + "token",
          .tls_ca = etc + "ca.pem",
          .state = root + "/var/lib/shakedown-laptop",
          .agent_state = root + "/var/lib/shakedown"};
}

absl::StatusOr<v1::LaptopReply> AskDaemon(const std::string& socket,
                                          const v1::LaptopRequest& request) {
  ASSIGN_OR_RETURN(const Descriptor fd, Connect(socket));
  const std::string frame = EncodeFrame(request.SerializeAsString());
  if (send(fd.get(), frame.data(), frame.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(frame.size())) {
    return ErrnoStatus(errno, socket);
  }
  FrameReader frames;
  char piece[1 << 14];
  for (;;) {
    if (const std::optional<std::string> payload = frames.Next()) {
      v1::LaptopReply reply;
      if (!reply.ParseFromString(*payload)) {
        return absl::DataLossError(absl::StrCat(socket, ": what came is no reply"));
      }
      if (reply.error().empty()) return reply;
      return absl::Status(static_cast<absl::StatusCode>(reply.error_code()), reply.error());
    }
    const ssize_t got = recv(fd.get(), piece, sizeof piece, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      return absl::UnavailableError(
          absl::StrCat(socket, ": ", got == 0 ? "closed without a reply" : strerror(errno)));
    }
    frames.Add(absl::string_view(piece, static_cast<size_t>(got)));
  }
}

absl::Status Command(const LaptopPaths& paths, const v1::OwnerCommand& command) {
  v1::LaptopRequest request;
  *request.mutable_owner() = command;
  return AskDaemon(paths.socket, request).status();
}

std::string StatusText(const v1::LaptopStatus& status, absl::TimeZone zone) {
  std::string text =
      absl::StrCat(StageText(status), "\nkernel: ", status.release(), "\nloader: ", status.loader(),
                   "\nboots today: ", status.boots_today(), "\n");
  if (status.paused() && status.paused_until() != 0) {
    absl::StrAppend(
        &text, "paused until ",
        absl::FormatTime("%Y-%m-%d %H:%M", absl::FromUnixSeconds(status.paused_until()), zone),
        "\n");
  } else if (status.paused()) {
    text += "paused (shakedown-laptop resume)\n";
  }
  if (!status.problem().empty() && !status.paused()) {
    absl::StrAppend(&text, "no boot now: ", status.problem(), "\n");
  }
  absl::StrAppend(&text, "one-shot boot tried: ",
                  status.tried_boot().empty() ? "never" : status.tried_boot(), "\n");
  const std::map<std::string, std::string> facts(status.facts().begin(), status.facts().end());
  for (const auto& [name, value] : facts) absl::StrAppend(&text, name, ": ", value, "\n");
  return Printable(text);
}

std::string StatusJson(const v1::LaptopStatus& status) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string json;
  static_cast<void>(google::protobuf::util::MessageToJsonString(status, &json, options));
  return json + "\n";
}

absl::StatusOr<int64_t> ParseUntil(absl::string_view text, absl::Time now, absl::TimeZone zone) {
  if (text.empty()) return 0;
  const std::string today = absl::FormatCivilTime(absl::ToCivilDay(now, zone));
  absl::Time time;
  std::string error;
  if (absl::ParseTime("%Y-%m-%d %H:%M", text, zone, &time, &error) ||
      absl::ParseTime("%Y-%m-%d", text, zone, &time, &error)) {
    return absl::ToUnixSeconds(time);
  }
  if (absl::ParseTime("%Y-%m-%d %H:%M", absl::StrCat(today, " ", text), zone, &time, &error)) {
    if (time > now) return absl::ToUnixSeconds(time);
    const absl::CivilMinute tomorrow = absl::ToCivilMinute(time, zone) + 24 * 60;
    return absl::ToUnixSeconds(absl::FromCivil(tomorrow, zone));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "until ", Quoted(text), ", want 22:30, 2027-01-31 or '2027-01-31 22:30', local time"));
}

absl::Status RefuseReboot(const LaptopPaths& paths) {
  v1::OwnerCommand command;
  command.mutable_refuse();
  const absl::Status asked = Command(paths, command);
  if (!absl::IsPermissionDenied(asked)) return asked;
  const Descriptor pipe(open(paths.refuse.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  if (pipe.get() < 0 || write(pipe.get(), "no\n", 3) != 3) return ErrnoStatus(errno, paths.refuse);
  return absl::OkStatus();
}

absl::Status StopNow(const LaptopPaths& paths, Host& host) {
  v1::OwnerCommand command;
  command.mutable_stop();
  const absl::Status asked = Command(paths, command);
  if (asked.ok() || absl::IsPermissionDenied(asked)) return asked;
  if (TokenIn(host.CommandLine()).empty()) return asked;
  return host.Reboot(Host::RebootKind::kOrdinary);
}

absl::Status LeaveFarm(const LaptopPaths& paths, Host& host,
                       const std::function<absl::Status()>& undo, const Say& say) {
  if (!TokenIn(host.CommandLine()).empty()) {
    return absl::FailedPreconditionError(
        "a test kernel runs: shakedown-laptop stop brings the machine home, leave then");
  }
  v1::OwnerCommand command;
  command.mutable_leave();
  const absl::Status asked = Command(paths, command);
  if (!asked.ok() && !absl::IsUnavailable(asked)) return asked;
  for (const char* unit : kUnits) {
    const absl::Status disabled =
        host.Run({.argv = {"systemctl", "disable", "--now", unit}}).status();
    say(disabled.ok() ? absl::StrCat("disabled ", unit)
                      : absl::StrCat(unit, ": ", disabled.message()));
  }
  RETURN_IF_ERROR(undo());
  for (const std::string& path :
       {paths.token, paths.tls_ca, paths.config, paths.owner, paths.agent_state, paths.state}) {
    RETURN_IF_ERROR(Remove(path, say));
  }
  return absl::OkStatus();
}

}  // namespace shakedown::laptop
