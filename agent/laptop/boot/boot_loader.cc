#include "agent/laptop/boot/boot_loader.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agent/laptop/boot/firmware.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

// One of several, chosen; what takes back is for all of them.
class ChosenLoader : public BootLoader {
 public:
  ChosenLoader(std::vector<std::unique_ptr<BootLoader>> all, BootLoader* chosen)
      : all_(std::move(all)), chosen_(*chosen) {}

  std::string Name() const override { return chosen_.Name(); }
  std::string Problem() const override { return chosen_.Problem(); }
  std::string Folder() const override { return chosen_.Folder(); }
  Host::RebootKind Way() const override { return chosen_.Way(); }
  absl::Status AddEntry(const BootEntry& entry) override { return chosen_.AddEntry(entry); }
  absl::Status ArmOnce(const BootEntry& entry) override { return chosen_.ArmOnce(entry); }

  absl::StatusOr<std::string> ReadArmed() override {
    for (const auto& loader : all_) {
      absl::StatusOr<std::string> armed = loader->ReadArmed();
      if (!armed.ok() && loader.get() != &chosen_) continue;
      if (!armed.ok() || !armed->empty()) return armed;
    }
    return std::string();
  }
  absl::Status Disarm() override { return OfAll(&BootLoader::Disarm); }
  absl::Status RemoveEntry() override { return OfAll(&BootLoader::RemoveEntry); }

 private:
  absl::Status OfAll(absl::Status (BootLoader::*take_back)()) {
    absl::Status first;
    for (const auto& loader : all_) {
      first.Update(Annotate((loader.get()->*take_back)(), loader->Name()));
    }
    return first;
  }

  const std::vector<std::unique_ptr<BootLoader>> all_;
  BootLoader& chosen_;
};

std::string Detect(const std::string& root) {
  const absl::StatusOr<std::string> info = ReadVariable(root, "LoaderInfo", kLoaderVendor);
  if (info.ok() && absl::StartsWith(FromUtf16(*info), "systemd-boot")) return "systemd-boot";
  for (const char* config : {"/boot/grub/grub.cfg", "/boot/grub2/grub.cfg"}) {
    if (Exists(root + config)) return "grub";
  }
  return "kexec";
}

}  // namespace

absl::StatusOr<std::unique_ptr<BootLoader>> MakeBootLoader(const std::string& root, Host& host,
                                                           const std::string& wanted) {
  const std::string name =
      wanted.empty() ? Detect(std::string(absl::StripSuffix(root, "/"))) : wanted;
  std::vector<std::unique_ptr<BootLoader>> all;
  all.push_back(MakeGrub(root, host));
  all.push_back(MakeSystemdBoot(root, host));
  all.push_back(MakeKexec(root, host));
  for (const auto& loader : all) {
    if (loader->Name() != name) continue;
    BootLoader* const chosen = loader.get();
    return std::make_unique<ChosenLoader>(std::move(all), chosen);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("loader ", Quoted(name), ", want grub, systemd-boot or kexec"));
}

}  // namespace shakedown::laptop
