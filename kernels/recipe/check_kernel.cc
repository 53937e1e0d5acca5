#include "kernels/recipe/check_kernel.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "kernels/recipe/config.h"
#include "proto/wire/digest.h"
#include "proto/wire/ids.h"

namespace shakedown::kernels {
namespace {

// Generous bounds that keep a hostile entry from being a burden.
constexpr int kMaxPatches = 200;
constexpr int kMaxOptions = 1000;
constexpr int kMaxFragments = 50;
constexpr int kMaxParameters = 100;
constexpr size_t kMaxLocation = 1024;
constexpr size_t kMaxText = 4096;

template <typename Predicate>
bool All(absl::string_view text, Predicate good) {
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return good(static_cast<unsigned char>(c)); });
}

bool IsHex(absl::string_view text, size_t digits) {
  return text.size() == digits && All(text, [](unsigned char c) {
           return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f');
         });
}

// The shape of Debian package names; never starts with "-", so it is no option of apt either.
bool IsPackage(absl::string_view text, absl::string_view prefix) {
  return absl::StartsWith(text, prefix) && text.size() > prefix.size() && text.size() <= 128 &&
         All(text, [](unsigned char c) {
           return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '+' || c == '-' ||
                  c == '.';
         });
}

bool IsDebianVersion(absl::string_view text) {
  return text.empty() || (absl::ascii_isdigit(static_cast<unsigned char>(text[0])) &&
                          text.size() <= 128 && All(text, [](unsigned char c) {
                            return absl::ascii_isalnum(c) || absl::StrContains(".+~:-", c);
                          }));
}

bool IsPlain(absl::string_view text, size_t limit) {
  return text.size() <= limit && All(text, [](unsigned char c) { return !absl::ascii_iscntrl(c); });
}

bool IsUrl(absl::string_view text) {
  return absl::StartsWith(text, "https://") && text.size() > 8 && text.size() <= kMaxLocation &&
         All(text, [](unsigned char c) { return absl::ascii_isgraph(c); });
}

// Absolute and free of "..": the folder it names is the folder that is meant.
bool IsAbsolutePath(absl::string_view text) {
  if (!absl::StartsWith(text, "/") || !IsPlain(text, kMaxLocation)) return false;
  for (absl::string_view part : absl::StrSplit(text, '/')) {
    if (part == "..") return false;
  }
  return true;
}

bool IsCompiler(absl::string_view text) {
  return text.size() <= 64 && (text.empty() || absl::ascii_isalpha(text[0])) &&
         All(text, [](unsigned char c) {
           return absl::ascii_isalnum(c) || absl::StrContains("+-._", c);
         });
}

bool IsTunable(absl::string_view name) {
  return !name.empty() && name.size() <= 200 && name[0] != '/' && name[0] != '.' &&
         !absl::StrContains(name, "..") && !absl::StrContains(name, "//") &&
         All(name, [](unsigned char c) {
           return absl::ascii_isalnum(c) || absl::StrContains("._-/", c);
         });
}

// Collects findings; each check is one line at its caller.
class Check {
 public:
  Check(const v1::Kernel& kernel, absl::string_view where) : kernel_(kernel), where_(where) {}

  std::vector<Finding> Run() {
    absl::Status name = CheckName("kernel name", kernel_.name());
    if (!name.ok()) Error(name.message());
    Source();
    Patches();
    Config();
    Want(IsCompiler(kernel_.toolchain().compiler()), "toolchain.compiler",
         kernel_.toolchain().compiler(), "a program's name such as gcc or gcc-4.4, no path");
    Boot();
    Texts();
    return std::move(findings_);
  }

 private:
  void Error(absl::string_view what) {
    findings_.push_back({Finding::Severity::kError, where_, std::string(what)});
  }
  void Note(absl::string_view what) {
    findings_.push_back({Finding::Severity::kNote, where_, std::string(what)});
  }
  void Want(bool good, absl::string_view field, absl::string_view value, absl::string_view want) {
    if (!good) Error(absl::StrCat(field, ": ", Quoted(value), ": want ", want));
  }
  bool Ready() const { return kernel_.has_debian_image(); }

  void Source() {
    switch (kernel_.source_case()) {
      case v1::Kernel::kDebianSource:
        Want(IsPackage(kernel_.debian_source().package(), "linux-source-"), "debian_source.package",
             kernel_.debian_source().package(), "linux-source-VERSION");
        Want(IsDebianVersion(kernel_.debian_source().version()), "debian_source.version",
             kernel_.debian_source().version(), "a Debian version or nothing");
        return;
      case v1::Kernel::kDebianImage:
        Want(IsPackage(kernel_.debian_image().package(), "linux-image-"), "debian_image.package",
             kernel_.debian_image().package(), "linux-image-FLAVOUR");
        Want(IsDebianVersion(kernel_.debian_image().version()), "debian_image.version",
             kernel_.debian_image().version(), "a Debian version or nothing");
        return;
      case v1::Kernel::kTarball:
        Want(IsUrl(kernel_.tarball().location()) || IsAbsolutePath(kernel_.tarball().location()),
             "tarball.location", kernel_.tarball().location(), "an absolute path or https:// URL");
        Digest("tarball.sha256", kernel_.tarball().sha256());
        return;
      case v1::Kernel::kGit:
        Want(IsUrl(kernel_.git().location()) || IsAbsolutePath(kernel_.git().location()),
             "git.location", kernel_.git().location(), "an absolute path or https:// URL");
        Want(IsHex(kernel_.git().commit(), 40), "git.commit", kernel_.git().commit(),
             "40 lower-case hex digits");
        return;
      case v1::Kernel::kLocalTree:
        Want(IsAbsolutePath(kernel_.local_tree().path()), "local_tree.path",
             kernel_.local_tree().path(), "an absolute path");
        return;
      case v1::Kernel::SOURCE_NOT_SET:
        if (kernel_.unbuildable().empty()) {
          Error(
              "source: absent: want one of debian_source, tarball, git, local_tree, debian_image");
        }
    }
  }

  void Digest(absl::string_view field, absl::string_view value) {
    if (value.empty()) {
      Note(absl::StrCat(field, ": not known: it must be filled in before this kernel is built"));
      return;
    }
    Want(IsSha256Hex(value), field, value, "64 lower-case hex digits");
  }

  void Patches() {
    if (Ready() && kernel_.patches_size() > 0) {
      Error("patches: a ready image can not be patched: want a source");
    }
    Count("patches", kernel_.patches_size(), kMaxPatches);
    for (int i = 0; i < kernel_.patches_size(); ++i) {
      const v1::Patch& patch = kernel_.patches(i);
      const std::string field = absl::StrCat("patches[", i, "]");
      Want(!patch.location().empty() && IsPlain(patch.location(), kMaxLocation),
           absl::StrCat(field, ".location"), patch.location(), "a path or https:// URL");
      Digest(absl::StrCat(field, ".sha256"), patch.sha256());
      Want(patch.strip() <= 9, absl::StrCat(field, ".strip"), absl::StrCat(patch.strip()),
           "0 to 9");
    }
  }

  void Config() {
    const v1::KernelConfig& config = kernel_.config();
    if (Ready()) {
      if (kernel_.has_config()) Error("config: a ready image brings its own: leave it out");
      return;
    }
    if (kernel_.source_case() == v1::Kernel::SOURCE_NOT_SET) return;
    if (config.base() == v1::KernelConfig::BASE_UNSPECIFIED ||
        !v1::KernelConfig::Base_IsValid(config.base())) {
      Error("config.base: absent: want BASE_ALLNOCONFIG, BASE_DEFCONFIG or BASE_FILE");
    }
    if (config.base() == v1::KernelConfig::BASE_FILE) {
      Want(IsFragmentName(config.base_file()), "config.base_file", config.base_file(),
           "the name of a file NAME.config");
    } else {
      Want(config.base_file().empty(), "config.base_file", config.base_file(),
           "nothing unless base is BASE_FILE");
    }
    Count("config.fragments", config.fragments_size(), kMaxFragments);
    for (const std::string& name : config.fragments()) {
      Want(IsFragmentName(name), "config.fragments", name, "the name of a file NAME.config");
    }
    Count("config.options", config.options_size(), kMaxOptions);
    for (const std::string& option : config.options()) {
      absl::StatusOr<Wish> wish = ParseWish(option, "config.options");
      if (!wish.ok()) Error(wish.status().message());
    }
  }

  void Boot() {
    Count("boot_parameters", kernel_.boot_parameters_size(), kMaxParameters);
    for (const std::string& parameter : kernel_.boot_parameters()) {
      Want(!parameter.empty() && parameter.size() <= 256 &&
               All(parameter, [](unsigned char c) { return absl::ascii_isgraph(c); }),
           "boot_parameters", parameter, "one word without spaces");
    }
    Count("tunables", kernel_.tunables_size(), kMaxParameters);
    for (const v1::Tunable& tunable : kernel_.tunables()) {
      Want(IsTunable(tunable.name()), "tunables.name", tunable.name(),
           "a sysctl such as kernel.sched_autogroup_enabled or a file such as sched/base_slice_ns");
      Want(!tunable.value().empty() && IsPlain(tunable.value(), 256), "tunables.value",
           tunable.value(), "a value");
    }
  }

  void Texts() {
    Want(IsPlain(kernel_.description(), 200), "description", kernel_.description(),
         "one line of at most 200 bytes");
    Want(kernel_.note().size() <= kMaxText, "note", kernel_.note(), "at most 4096 bytes");
    Want(IsPlain(kernel_.unbuildable(), kMaxText), "unbuildable", kernel_.unbuildable(),
         "one line of at most 4096 bytes");
    if (!kernel_.unbuildable().empty()) {
      Note(absl::StrCat("not built here: ", kernel_.unbuildable()));
    }
  }

  void Count(absl::string_view field, int count, int most) {
    if (count > most) Error(absl::StrCat(field, ": ", count, " of them: want at most ", most));
  }

  const v1::Kernel& kernel_;
  std::string where_;
  std::vector<Finding> findings_;
};

}  // namespace

bool IsFragmentName(absl::string_view name) {
  return absl::EndsWith(name, ".config") && name.size() > 7 && name.size() <= 128 &&
         name[0] != '.' && All(name, [](unsigned char c) {
           return absl::ascii_isalnum(c) || absl::StrContains("._-", c);
         });
}

std::vector<Finding> CheckKernel(const v1::Kernel& kernel, absl::string_view where) {
  return Check(kernel, where).Run();
}

bool Passes(const std::vector<Finding>& findings) {
  return std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.severity == Finding::Severity::kError;
  });
}

std::string PrintFindings(const std::vector<Finding>& findings) {
  return absl::StrJoin(findings, "\n", [](std::string* out, const Finding& finding) {
    absl::StrAppend(
        out, finding.where, ": ",
        finding.severity == Finding::Severity::kError ? "error: " : "note: ", finding.what);
  });
}

}  // namespace shakedown::kernels
