#include "agent/laptop/boot/fake_laptop.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "agent/laptop/boot/firmware.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

namespace fs = std::filesystem;

std::string After(const std::vector<std::string>& argv, absl::string_view option) {
  const auto it = std::find(argv.begin(), argv.end(), option);
  return it == argv.end() || it + 1 == argv.end() ? "" : *(it + 1);
}

std::string WithPrefix(const std::vector<std::string>& argv, absl::string_view prefix) {
  for (const std::string& word : argv) {
    if (absl::StartsWith(word, prefix)) return word.substr(prefix.size());
  }
  return "";
}

// Reads next_entry and clears it in place, as load_env and save_env do; written apart from the code
// under test.
std::string TakeNextEntry(const std::string& root) {
  const std::string path = root + "/boot/grub/grubenv";
  std::string block = ReadText(path);
  if (block.size() != 1024 || !absl::StartsWith(block, "# GRUB Environment Block\n")) return "";
  const size_t at = block.find("\nnext_entry=");
  if (at == std::string::npos) return "";
  const size_t value = at + 12;
  const size_t end = block.find('\n', value);
  const std::string next = block.substr(value, end - value);
  block.erase(value, next.size());
  block.resize(1024, '#');
  WriteText(path, block);
  return next;
}

std::string ReleaseOf(const std::string& image) {
  return std::string(absl::StripPrefix(ReadText(image), "kernel "));
}

// Boots `image` of the boot partition, as the loader names it.
Booted Load(const std::string& root, const std::string& image, const std::string& initramfs,
            const std::string& command_line) {
  const std::string file = absl::StrCat(root, "/boot", image);
  if (ReadText(file).empty()) return {.stuck = true, .why = image + " not found"};
  if (!initramfs.empty() && ReadText(absl::StrCat(root, "/boot", initramfs)).empty()) {
    return {.stuck = true, .why = initramfs + " not found"};
  }
  return {.release = ReleaseOf(file),
          .command_line = absl::StrCat("BOOT_IMAGE=", image, " ", command_line)};
}

Booted Safe(const std::string& root) {
  return Load(root, "/vmlinuz-6.1.0-13-amd64", "/initrd.img-6.1.0-13-amd64",
              "root=UUID=1b2c ro quiet");
}

// The lines of menuentry `id` in custom.cfg, run.
Booted RunCustomEntry(const std::string& root, const std::string& id) {
  std::string search, image, initramfs, line;
  bool inside = false;
  for (absl::string_view text : absl::StrSplit(ReadText(root + "/boot/grub/custom.cfg"), '\n')) {
    const std::vector<std::string> words =
        absl::StrSplit(absl::StripAsciiWhitespace(text), ' ', absl::SkipEmpty());
    if (absl::StartsWith(text, "menuentry ")) inside = After(words, "--id") == id;
    if (!inside || words.empty()) continue;
    if (words[0] == "search") search = words.back();
    if (words[0] == "initrd") initramfs = words[1];
    if (words[0] != "linux") continue;
    image = words[1];
    for (size_t i = 2; i < words.size(); ++i) {
      absl::StrAppend(&line, i > 2 ? " " : "", absl::StrReplaceAll(words[i], {{"'", ""}}));
    }
  }
  // A name that is not there: GRUB takes the first entry.
  if (image.empty()) return Safe(root);
  if (!Exists(absl::StrCat(root, "/boot", search))) return {.stuck = true, .why = search};
  return Load(root, image, initramfs, line);
}

Booted RunSystemdEntry(const std::string& root, const std::string& id) {
  const std::string path = absl::StrCat(root, "/boot/loader/entries/", id);
  if (id.empty() || !Exists(path)) return Safe(root);
  std::map<std::string, std::string> fields;
  for (absl::string_view line : absl::StrSplit(ReadText(path), '\n', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> field = absl::StrSplit(line, absl::MaxSplits(' ', 1));
    fields.insert(field);
  }
  return Load(root, fields["linux"], fields["initrd"], fields["options"]);
}

std::string TakeOneShot(const std::string& root) {
  const std::string path = VariablePath(root, "LoaderEntryOneShot", kLoaderVendor);
  const absl::StatusOr<std::string> value = ReadVariable(root, "LoaderEntryOneShot", kLoaderVendor);
  fs::remove(path);
  return value.ok() ? FromUtf16(*value) : "";
}

}  // namespace

Booted BootMachine(const std::string& root, const std::string& loader, bool kexec) {
  const std::string loaded = ReadText(root + "/run/kexec-loaded");
  fs::remove_all(root + "/run");
  fs::create_directories(root + "/run");
  WriteText(root + "/sys/kernel/kexec_loaded", "0\n");
  if (kexec) {
    const std::vector<std::string> lines = absl::StrSplit(loaded, '\n');
    if (lines.size() != 3) return {.stuck = true, .why = "nothing loaded by kexec"};
    return {.release = ReleaseOf(lines[0]), .command_line = lines[2]};
  }
  if (loader == "systemd-boot") return RunSystemdEntry(root, TakeOneShot(root));
  const std::string next = TakeNextEntry(root);
  return next.empty() ? Safe(root) : RunCustomEntry(root, next);
}

absl::StatusOr<std::string> FakeHost::Run(const Tool& tool) {
  before_tool();
  ran.push_back(tool.argv[0]);
  if (tool.argv[0] == "mkinitramfs") return MakeInitramfsFile(tool);
  if (tool.argv[0] == "lsinitramfs") {
    return absl::StrReplaceAll(ReadText(tool.argv[1]), {{"made of ", "usr/lib/modules/"}});
  }
  if (tool.argv[0] == "journalctl") return Journal(tool);
  if (tool.argv[0] == "kexec" && tool.argv[1] == "-u") {
    WriteText(root_ + "/sys/kernel/kexec_loaded", "0\n");
    return std::string();
  }
  if (tool.argv[0] == "kexec") {
    WriteText(root_ + "/sys/kernel/kexec_loaded", "1\n");
    WriteText(root_ + "/run/kexec-loaded",
              absl::StrCat(After(tool.argv, "-l"), "\n", WithPrefix(tool.argv, "--initrd="), "\n",
                           WithPrefix(tool.argv, "--command-line=")));
    return std::string();
  }
  return absl::NotFoundError(absl::StrCat("start ", tool.argv[0]));
}

absl::StatusOr<std::string> FakeHost::MakeInitramfsFile(const Tool& tool) {
  RETURN_IF_ERROR(mkinitramfs);
  const std::string release = tool.argv.back();
  if (!absl::StrContains(ReadText(absl::StrCat(root_, "/boot/config-", release)),
                         "CONFIG_RD_GZIP=y")) {
    return absl::InternalError("E: gzip compression (CONFIG_RD_GZIP) not supported by kernel");
  }
  const std::string ours = ReadText(After(tool.argv, "-d") + "/conf.d/zz-shakedown");
  if (absl::StrContains(ours, "MODULES=dep") && !dep_works) {
    return absl::InternalError("mkinitramfs: failed to determine device for /");
  }
  if (!IsFolder(tool.environment.at("TMPDIR"))) return absl::InternalError("no TMPDIR");
  if (!Exists(After(tool.argv, "-d") + "/hooks/mine")) return absl::InternalError("no hooks");
  WriteText(After(tool.argv, "-o"),
            absl::StrCat("init\nmade of ", release, "/modules.dep\n", std::string(900, 'i')));
  return std::string();
}

absl::StatusOr<std::string> FakeHost::Journal(const Tool& tool) const {
  if (!After(tool.argv, "--list-boots").empty() || tool.argv.back() == "--list-boots") {
    return list_boots;
  }
  const auto found = journals.find(WithPrefix(tool.argv, "--boot="));
  if (found == journals.end()) return absl::InternalError("No journal boot entry found");
  return found->second;
}

}  // namespace shakedown::laptop
