#include "agent/build/source.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/build/hostile_files.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"
#include "proto/wire/subprocess.h"

namespace shakedown::agent {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxPatch = 64 << 20;
constexpr char kMaxDownload[] = "4294967296";

bool IsUrl(absl::string_view location) {
  return absl::StartsWith(location, "https://") || absl::StartsWith(location, "http://");
}

absl::Status MakeFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  return error ? ErrnoStatus(error.value(), path) : absl::OkStatus();
}

// Downloads into `file`. Unavailable: the network's or the server's fault.
absl::Status Download(const std::string& url, const std::string& file,
                      const SourceContext& context) {
  context.log(absl::StrCat("download ", url, "\n"));
  Command command;
  command.argv = {
      "curl",        "--fail",       "--silent", "--show-error",   "--location", "--proto",
      "=http,https", "--max-redirs", "5",        "--max-filesize", kMaxDownload, "--output",
      file,          "--url",        url};
  command.limit = absl::Hours(1);
  command.cancel = context.cancel;
  absl::Status status = RunForOutput(command).status();
  if (status.ok() || absl::IsCancelled(status)) return status;
  if (absl::IsNotFound(status)) {
    return absl::UnavailableError("there is no curl here to download with: apt-get install curl");
  }
  return absl::UnavailableError(absl::StrCat(url, ": ", status.message()));
}

absl::Status WrongDigest(absl::string_view what, absl::string_view actual,
                         absl::string_view wanted) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": sha256 is ", actual, ", the kernel wants ", wanted));
}

// A copy of our own, so that what was verified is what is unpacked.
absl::StatusOr<std::string> KeepTarball(const v1::Tarball& tarball, const SourceContext& context) {
  const std::string kept = absl::StrCat(context.folder, "/", tarball.sha256());
  std::error_code error;
  if (fs::exists(kept, error)) {
    ASSIGN_OR_RETURN(const std::string digest, Sha256File(kept));
    if (digest == tarball.sha256()) return kept;
  }
  const std::string part = absl::StrCat(context.folder, "/part");
  fs::remove_all(part, error);
  if (IsUrl(tarball.location())) {
    RETURN_IF_ERROR(Download(tarball.location(), part, context));
  } else {
    fs::copy_file(tarball.location(), part, error);
    if (error) return ErrnoStatus(error.value(), absl::StrCat("tarball ", tarball.location()));
  }
  ASSIGN_OR_RETURN(const std::string digest, Sha256File(part));
  if (digest != tarball.sha256()) {
    fs::remove(part, error);
    return WrongDigest(absl::StrCat("tarball ", tarball.location()), digest, tarball.sha256());
  }
  // Another user unpacks it, whatever our umask is.
  fs::permissions(part, fs::perms(0644), error);
  fs::rename(part, kept, error);
  if (error) return ErrnoStatus(error.value(), kept);
  return kept;
}

absl::StatusOr<Source> FetchTarball(const v1::Tarball& tarball, const SourceContext& context) {
  ASSIGN_OR_RETURN(std::string kept, KeepTarball(tarball, context));
  return Source{std::move(kept), kernels::SourceForm::kArchive,
                absl::StrCat("sha256:", tarball.sha256()), tarball.location()};
}

// The tarball of a linux-source package: the installed one when its version will do, else one
// fetched and unpacked into our own folder.
absl::StatusOr<std::string> FindDebianTarball(const DebianPackage& package, bool installed,
                                              const SourceContext& context) {
  const std::string name = absl::StrCat("usr/src/", package.name, ".tar.xz");
  if (installed) return absl::StrCat("/", name);
  const std::string tree =
      absl::StrCat(context.folder, "/unpacked/", package.name, "_", package.version);
  std::string tarball = absl::StrCat(tree, "/", name);
  std::error_code error;
  if (fs::exists(tarball, error)) return tarball;
  ASSIGN_OR_RETURN(const std::string deb, context.debian->Fetch(package, context.folder));
  const std::string part = absl::StrCat(context.folder, "/unpacked/part");
  fs::remove_all(part, error);
  RETURN_IF_ERROR(context.debian->Unpack(deb, part));
  fs::rename(part, tree, error);
  if (error) return ErrnoStatus(error.value(), tree);
  fs::remove_all(fs::path(deb).parent_path(), error);
  return tarball;
}

absl::StatusOr<Source> FetchDebian(const v1::DebianSource& wanted, const SourceContext& context) {
  absl::StatusOr<std::string> version = context.debian->InstalledVersion(wanted.package());
  if (!version.ok() && !absl::IsNotFound(version.status())) return version.status();
  const bool installed = version.ok() && (wanted.version().empty() || *version == wanted.version());
  DebianPackage package{wanted.package(), installed ? *version : ""};
  if (!installed) {
    ASSIGN_OR_RETURN(package, context.debian->Find(wanted.package(), wanted.version()));
  }
  ASSIGN_OR_RETURN(std::string tarball, FindDebianTarball(package, installed, context));
  ASSIGN_OR_RETURN(const std::string digest, Sha256File(tarball));
  return Source{std::move(tarball), kernels::SourceForm::kArchive, absl::StrCat("sha256:", digest),
                absl::StrCat(package.name, " ", package.version)};
}

absl::StatusOr<std::string> Git(std::vector<std::string> words, const SourceContext& context) {
  Command command;
  command.argv = {"git",
                  "-c",
                  "protocol.allow=never",
                  "-c",
                  "protocol.https.allow=always",
                  "-c",
                  "core.hooksPath=/dev/null"};
  for (std::string& word : words) command.argv.push_back(std::move(word));
  command.environment.push_back("GIT_TERMINAL_PROMPT=0");
  command.environment.push_back("GIT_CONFIG_NOSYSTEM=1");
  command.limit = absl::Hours(1);
  command.cancel = context.cancel;
  command.output = context.log;
  return RunForOutput(command);
}

absl::StatusOr<Source> FetchGit(const v1::GitCommit& git, const SourceContext& context) {
  Source source{git.location(), kernels::SourceForm::kGit, absl::StrCat("git:", git.commit()),
                absl::StrCat(git.location(), " ", git.commit())};
  if (!IsUrl(git.location())) return source;
  // Named by a digest: a location is no path.
  source.path = absl::StrCat(context.folder, "/git-", Sha256Hex(git.location()));
  std::error_code error;
  if (!fs::exists(source.path, error)) {
    RETURN_IF_ERROR(
        Git({"init", "--quiet", "--bare", "--shared=0644", source.path}, context).status());
  }
  if (Git({"-C", source.path, "cat-file", "-e", absl::StrCat(git.commit(), "^{tree}")}, context)
          .ok()) {
    return source;
  }
  absl::Status fetched = Git({"-C", source.path, "fetch", "--quiet", "--depth=1", "--no-tags",
                              git.location(), git.commit()},
                             context)
                             .status();
  if (fetched.ok()) return source;
  if (absl::IsCancelled(fetched)) return fetched;
  return absl::UnavailableError(
      absl::StrCat("git ", git.location(), " ", git.commit(), ": ", fetched.message()));
}

absl::StatusOr<std::string> FetchPatch(const v1::Patch& patch, const std::string& sha256,
                                       const SourceContext& context) {
  std::string path;
  absl::StatusOr<std::string> artefact =
      context.fetch_artefact
          ? context.fetch_artefact(sha256)
          : absl::StatusOr<std::string>(absl::NotFoundError("no artefacts here"));
  if (artefact.ok()) {
    path = *artefact;
  } else if (IsUrl(patch.location())) {
    path = absl::StrCat(context.folder, "/part-patch");
    RETURN_IF_ERROR(Download(patch.location(), path, context));
  } else {
    return artefact.status();
  }
  ASSIGN_OR_RETURN(std::string packed, ReadFile(path, kMaxPatch));
  const std::string digest = Sha256Hex(packed);
  if (digest != sha256) return WrongDigest("file", digest, sha256);
  return Decompress(packed, kMaxPatch);
}

}  // namespace

absl::StatusOr<Source> FetchSource(const v1::Kernel& kernel, const SourceContext& context) {
  RETURN_IF_ERROR(MakeFolder(context.folder));
  switch (kernel.source_case()) {
    case v1::Kernel::kDebianSource:
      return FetchDebian(kernel.debian_source(), context);
    case v1::Kernel::kTarball:
      return FetchTarball(kernel.tarball(), context);
    case v1::Kernel::kGit:
      return FetchGit(kernel.git(), context);
    case v1::Kernel::kLocalTree: {
      const std::string& path = kernel.local_tree().path();
      struct stat info;
      if (stat(path.c_str(), &info) != 0) return ErrnoStatus(errno, absl::StrCat("tree ", path));
      if (!S_ISDIR(info.st_mode)) {
        return absl::InvalidArgumentError(absl::StrCat("tree ", path, ": want a folder"));
      }
      return Source{path, kernels::SourceForm::kFolder, "", path};
    }
    case v1::Kernel::kDebianImage:
    case v1::Kernel::SOURCE_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError(absl::StrCat("kernel ", kernel.name(), ": has no source"));
}

absl::StatusOr<std::vector<std::string>> FetchPatches(const v1::ResolvedKernel& resolved,
                                                      const SourceContext& context) {
  RETURN_IF_ERROR(MakeFolder(context.folder));
  std::vector<std::string> patches;
  for (int i = 0; i < resolved.kernel().patches_size(); ++i) {
    const v1::Patch& patch = resolved.kernel().patches(i);
    absl::StatusOr<std::string> content = FetchPatch(patch, resolved.patch_sha256(i), context);
    if (!content.ok()) {
      return Annotate(content.status(), absl::StrCat("patch ", i + 1, " (", patch.location(), ")"));
    }
    patches.push_back(*std::move(content));
  }
  return patches;
}

}  // namespace shakedown::agent
