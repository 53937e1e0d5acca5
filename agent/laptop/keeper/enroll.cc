#include "agent/laptop/keeper/enroll.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/laptop/boot/disk.h"
#include "agent/laptop/keeper/vigil.h"
#include "agent/laptop/owner/owner_file.h"
#include "agent/laptop/owner/owner_template.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

constexpr size_t kLongestToken = 1024, kLongestServer = 256;

bool IsOneWord(absl::string_view text, size_t most) {
  return !text.empty() && text.size() <= most && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isgraph(static_cast<unsigned char>(c)) && c != '"' && c != '\\';
  });
}

absl::Status Check(const Enrolment& enrolment) {
  RETURN_IF_ERROR(CheckName("--name", enrolment.name));
  if (!IsOneWord(enrolment.server, kLongestServer)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--server ", Quoted(enrolment.server), ", want HOST:PORT"));
  }
  if (!IsOneWord(enrolment.token, kLongestToken)) {
    return absl::InvalidArgumentError(
        "token: want one line of printable characters without spaces");
  }
  if (!enrolment.tls_ca.empty() && !absl::StrContains(enrolment.tls_ca, "BEGIN CERTIFICATE")) {
    return absl::InvalidArgumentError("--tls-ca: holds no certificate, want a PEM file");
  }
  for (const std::string& key : enrolment.signers) {
    if (!IsSha256Hex(key)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--signer ", Quoted(key), ", want 64 lower-case hex digits"));
    }
  }
  return absl::OkStatus();
}

// The rules that will hold: those there, or those that will be written.
absl::StatusOr<OwnerFile> Rules(const Enrolment& enrolment, const LaptopPaths& paths,
                                unsigned owner_uid) {
  absl::StatusOr<OwnerFile> file = ReadOwnerFile(paths.owner, owner_uid);
  if (!absl::IsNotFound(file.status())) return file;
  return ParseOwnerFile(OwnerTemplate(enrolment.server, enrolment.signers), paths.owner);
}

void Explain(const Enrolment& enrolment, const LaptopPaths& paths, const OwnerFile& rules,
             const Say& say) {
  say(absl::StrCat("This machine joins the farm at ", enrolment.server, " as ", enrolment.name,
                   "."));
  say("The farm may, within the rules below, install a test kernel beside your own, restart the");
  say("machine into it once, run benchmarks there as a user of their own, and restart it into your "
      "own kernel.");
  say("Your default boot entry, kernels and files stay as they are. Before each restart there is "
      "a");
  say("notice: `shakedown-laptop refuse` keeps it from it, `pause` for longer, `stop` brings the");
  say("machine home at once, `leave` undoes all of this, without a network too.");
  say(absl::StrCat("Rules, in ", Exists(paths.owner) ? "" : "a new ", paths.owner, ":"));
  for (const std::string& line : RulesInWords(rules)) say(absl::StrCat("  ", line));
}

absl::Status Give(const std::string& path, uid_t uid, gid_t gid) {
  if (chown(path.c_str(), uid, gid) != 0) return ErrnoStatus(errno, path);
  return absl::OkStatus();
}

absl::Status WriteFiles(const Enrolment& enrolment, const LaptopPaths& paths,
                        const EnrolTools& tools) {
  const std::string folder = FolderOf(paths.config);
  if (mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) return ErrnoStatus(errno, folder);
  if (!Exists(paths.owner)) {
    RETURN_IF_ERROR(
        WriteFileAtomically(paths.owner, OwnerTemplate(enrolment.server, enrolment.signers)));
  }
  if (!enrolment.tls_ca.empty()) {
    RETURN_IF_ERROR(WriteFileAtomically(paths.tls_ca, enrolment.tls_ca));
  }
  RETURN_IF_ERROR(WriteFileAtomically(paths.token, enrolment.token + "\n", 0600));
  RETURN_IF_ERROR(Give(paths.token, *tools.agent_uid, *tools.agent_gid));
  RETURN_IF_ERROR(WriteFileAtomically(paths.config, AgentConfig(enrolment, paths), 0640));
  return Give(paths.config, tools.owner_uid, *tools.agent_gid);
}

}  // namespace

std::string AgentConfig(const Enrolment& enrolment, const LaptopPaths& paths) {
  std::string text =
      absl::StrCat("# Made by shakedown-laptop enroll. The owner's rules are in ", paths.owner,
                   ".\n", "name = \"", enrolment.name, "\"\nserver = \"", enrolment.server,
                   "\"\ntoken-file = \"", paths.token, "\"\nstate = \"", paths.agent_state, "\"\n");
  if (!enrolment.tls_ca.empty()) absl::StrAppend(&text, "tls-ca = \"", paths.tls_ca, "\"\n");
  return absl::StrCat(text, "laptop = \"name=", enrolment.name, " socket=", paths.socket, "\"\n");
}

absl::Status Enrol(const Enrolment& enrolment, const LaptopPaths& paths, const EnrolTools& tools) {
  RETURN_IF_ERROR(Check(enrolment));
  if (!tools.agent_uid || !tools.agent_gid) {
    return absl::FailedPreconditionError("user shakedown: is not there, want the package's");
  }
  ASSIGN_OR_RETURN(const OwnerFile rules, Rules(enrolment, paths, tools.owner_uid));
  Explain(enrolment, paths, rules, tools.say);
  if (!tools.consents("Do you want that?")) {
    return absl::CancelledError("not enrolled, nothing was written");
  }
  RETURN_IF_ERROR(WriteFiles(enrolment, paths, tools));
  for (const char* unit : {kWayHomeUnit, "shakedown-laptop.service", "shakedown-agent.service"}) {
    RETURN_IF_ERROR(tools.host.Run({.argv = {"systemctl", "enable", "--now", unit}}).status());
  }
  tools.say(
      "Enrolled. `shakedown-laptop enroll --try-boot` proves that a one-shot boot comes home.");
  return absl::OkStatus();
}

}  // namespace shakedown::laptop
