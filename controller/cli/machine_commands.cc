// machines hold, release, drain, power; builds sign; keys new.
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/words.h"
#include "proto/wire/ids.h"
#include "proto/wire/kernel_signature.h"
#include "proto/wire/key_file.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::cli {
namespace {

constexpr size_t kShortestId = 8;

// By an id or its beginning, or the newest of a kernel.
absl::StatusOr<v1::BuildView> FindBuild(Farm& farm, const std::string& what) {
  v1::ListBuildsRequest request;
  request.set_limit(1000);
  ASSIGN_OR_RETURN(const v1::ListBuildsResponse builds, farm.ListBuilds(request));
  const v1::BuildView* found = nullptr;
  for (const v1::BuildView& build : builds.builds()) {
    const bool by_id = what.size() >= kShortestId && absl::StartsWith(build.build_id(), what);
    if (!by_id && build.kernel() != what) continue;
    if (build.status() == "built") return build;
    if (found == nullptr) found = &build;
  }
  if (found != nullptr) {
    return absl::FailedPreconditionError(absl::StrCat("build ", found->build_id(), " of ",
                                                      PrintableLine(found->kernel()),
                                                      ": is not built; see shakedown builds"));
  }
  return absl::NotFoundError(absl::StrCat("build ", Quoted(what),
                                          ": want a kernel that was built, or a build's id or at "
                                          "least ",
                                          kShortestId, " digits of its beginning"));
}

absl::StatusOr<v1::BuildView> Sign(const Desk& desk, const BuildSignArgs& args) {
  ASSIGN_OR_RETURN(const SigningKey key, ReadSigningKey(args.key_file));
  ASSIGN_OR_RETURN(v1::BuildView build, FindBuild(desk.farm, args.what));
  v1::SignBuildRequest request;
  request.set_build_id(build.build_id());
  request.mutable_signature()->set_key(key.public_key);
  ASSIGN_OR_RETURN(*request.mutable_signature()->mutable_signature(),
                   shakedown::Sign(key, {build.release(), build.image().sha256(),
                                         build.initramfs().sha256(), build.modules().sha256()}));
  RETURN_IF_ERROR(desk.farm.SignBuild(request).status());
  build.clear_signed_by();
  build.add_signed_by(key.public_key);
  return build;
}

}  // namespace

int SetMachine(const Desk& desk, const MachineSetArgs& args) {
  if (const absl::Status name = CheckName("machine", args.name); !name.ok()) {
    return Fail(desk.screen, name);
  }
  v1::SetMachineRequest request;
  request.set_name(args.name);
  request.set_wish(args.wish);
  request.set_reason(args.reason);
  const absl::StatusOr<v1::SetMachineResponse> answer = desk.farm.SetMachine(request);
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  const v1::MachineView& machine = answer->machine();
  const std::string detail = PrintableLine(machine.detail(), 400);
  desk.screen.Print(absl::StrCat("Machine ", PrintableLine(machine.name()), ": ",
                                 MachineStateWord(machine), detail.empty() ? "" : "; ", detail,
                                 "\n"));
  return kOk;
}

int SignBuild(const Desk& desk, const BuildSignArgs& args) {
  const absl::StatusOr<v1::BuildView> build = Sign(desk, args);
  if (!build.ok()) return Fail(desk.screen, build.status());
  desk.screen.Print(absl::StrCat(
      "Build ", PrintableLine(build->build_id()), " of ", PrintableLine(build->kernel()), " (",
      PrintableLine(build->release()), ") is signed by ", build->signed_by(0), "\n"));
  return kOk;
}

int NewKey(Screen& screen, const KeyNewArgs& args) {
  const absl::StatusOr<SigningKey> key = NewSigningKey();
  if (!key.ok()) return Fail(screen, key.status());
  const absl::Status written = WriteSigningKey(args.out, *key);
  if (!written.ok()) return Fail(screen, written);
  screen.Print(absl::StrCat(key->public_key, "\n"));
  screen.Note(
      absl::StrCat("that is the public key, for laptops' owners; the secret one is in ", args.out));
  return kOk;
}

}  // namespace shakedown::cli
