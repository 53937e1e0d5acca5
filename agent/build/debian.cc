#include "agent/build/debian.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/wire/status.h"
#include "proto/wire/subprocess.h"

namespace shakedown::agent {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxHops = 3;

absl::Status FileError(const std::error_code& error, const std::string& path) {
  return ErrnoStatus(error.value(), path);
}

// The one *.deb in `folder`; empty: none.
absl::StatusOr<std::string> FoundDeb(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".deb") return it->path().string();
  }
  if (error) return FileError(error, folder);
  return std::string();
}

}  // namespace

std::string CandidateOf(absl::string_view policy) {
  for (absl::string_view line : absl::StrSplit(policy, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&line, "Candidate:")) continue;
    line = absl::StripAsciiWhitespace(line);
    return line == "(none)" ? "" : std::string(line);
  }
  return "";
}

std::string ImageDependency(absl::string_view depends) {
  for (absl::string_view line : absl::StrSplit(depends, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (absl::ConsumePrefix(&line, "Depends: ") && absl::StartsWith(line, "linux-image-")) {
      return std::string(line);
    }
  }
  return "";
}

absl::StatusOr<std::string> Debian::Run(std::vector<std::string> argv, const std::string& folder) {
  Command command;
  command.argv = std::move(argv);
  command.folder = folder;
  command.environment.push_back("DEBIAN_FRONTEND=noninteractive");
  command.limit = absl::Minutes(15);
  command.cancel = cancel_;
  return RunForOutput(command);
}

absl::StatusOr<std::string> Debian::InstalledVersion(const std::string& name) {
  absl::StatusOr<std::string> text =
      Run({"dpkg-query", "--show", "--showformat=${db:Status-Abbrev}|${Version}", name});
  if (absl::IsCancelled(text.status())) return text.status();
  if (!text.ok() || !absl::StartsWith(*text, "ii")) {
    return absl::NotFoundError(absl::StrCat("package ", name, ": not installed"));
  }
  const std::vector<std::string> parts = absl::StrSplit(*text, '|');
  return std::string(absl::StripAsciiWhitespace(parts.back()));
}

absl::StatusOr<std::string> Debian::Candidate(const std::string& name) {
  ASSIGN_OR_RETURN(const std::string policy, Run({"apt-cache", "policy", name}));
  std::string candidate = CandidateOf(policy);
  if (!candidate.empty() || refreshed_ || geteuid() != 0) return candidate;
  refreshed_ = true;
  log_("apt-get update\n");
  ASSIGN_OR_RETURN(const std::string update, Run({"apt-get", "-q", "update"}));
  log_(update);
  ASSIGN_OR_RETURN(const std::string again, Run({"apt-cache", "policy", name}));
  return CandidateOf(again);
}

absl::StatusOr<DebianPackage> Debian::Find(const std::string& name, const std::string& version) {
  ASSIGN_OR_RETURN(const std::string candidate, Candidate(name));
  if (candidate.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("package ", name, ": apt on this host has no such package"));
  }
  if (version.empty() || version == candidate) return DebianPackage{name, candidate};
  ASSIGN_OR_RETURN(const std::string list, Run({"apt-cache", "madison", name}));
  for (absl::string_view line : absl::StrSplit(list, '\n')) {
    const std::vector<absl::string_view> columns = absl::StrSplit(line, '|');
    if (columns.size() >= 2 && absl::StripAsciiWhitespace(columns[1]) == version) {
      return DebianPackage{name, version};
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "package ", name, ": apt on this host has version ", candidate, ", not ", version));
}

absl::StatusOr<DebianPackage> Debian::FindImage(const std::string& name,
                                                const std::string& version) {
  ASSIGN_OR_RETURN(DebianPackage package, Find(name, version));
  for (int hop = 0; hop < kMaxHops; ++hop) {
    ASSIGN_OR_RETURN(const std::string depends, Run({"apt-cache", "depends", "--no-recommends",
                                                     "--no-suggests", package.name}));
    const std::string next = ImageDependency(depends);
    if (next.empty()) return package;
    ASSIGN_OR_RETURN(package, Find(next, ""));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("package ", name, ": a chain of meta packages longer than ", kMaxHops));
}

absl::StatusOr<std::string> Debian::Fetch(const DebianPackage& package, const std::string& folder) {
  // A folder for each package and version: their names are checked, and hold no slash.
  const std::string place = absl::StrCat(folder, "/", package.name, "_", package.version);
  std::error_code error;
  if (fs::is_directory(place, error)) return FoundDeb(place);
  const std::string part = absl::StrCat(folder, "/part");
  fs::remove_all(part, error);
  fs::create_directories(part, error);
  if (error) return FileError(error, part);
  log_(absl::StrCat("apt-get download ", package.name, "=", package.version, "\n"));
  absl::Status fetched =
      Run({"apt-get", "-q", "download", absl::StrCat(package.name, "=", package.version)}, part)
          .status();
  if (fetched.ok()) {
    fs::rename(part, place, error);
    if (error) return FileError(error, place);
    return FoundDeb(place);
  }
  fs::remove_all(part, error);
  if (absl::IsCancelled(fetched)) return fetched;
  if (absl::StrContains(fetched.message(), "No space left")) {
    return absl::ResourceExhaustedError(fetched.message());
  }
  return absl::UnavailableError(fetched.message());
}

absl::Status Debian::Unpack(const std::string& file, const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return FileError(error, folder);
  absl::Status status = Run({"dpkg-deb", "--extract", file, folder}).status();
  if (absl::StrContains(status.message(), "No space left")) {
    return absl::ResourceExhaustedError(status.message());
  }
  return status;
}

}  // namespace shakedown::agent
