#include "agent/build/modules_archive.h"

#include <archive.h>
#include <archive_entry.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/build/hostile_files.h"
#include "agent/build/image_identity.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

constexpr size_t kMostEntries = 60'000;
constexpr uint64_t kMostBytes = uint64_t{4} << 30;
// A debug kernel's 300 MiB take 5 s; higher levels gain little on code.
constexpr char kLevel[] = "6";

struct Free {
  void operator()(archive* a) const { archive_write_free(a); }
  void operator()(archive_entry* e) const { archive_entry_free(e); }
};

class Packer {
 public:
  absl::Status Open(const std::string& out) {
    out_ = out;
    if (writer_ == nullptr || entry_ == nullptr) {
      return absl::ResourceExhaustedError("no memory to pack modules");
    }
    archive* a = writer_.get();
    if (archive_write_add_filter_zstd(a) != ARCHIVE_OK ||
        archive_write_set_filter_option(a, "zstd", "compression-level", kLevel) != ARCHIVE_OK ||
        archive_write_set_format_pax_restricted(a) != ARCHIVE_OK ||
        archive_write_set_bytes_in_last_block(a, 1) != ARCHIVE_OK ||
        archive_write_open_filename(a, out.c_str()) != ARCHIVE_OK) {
      return Error();
    }
    return absl::OkStatus();
  }

  absl::Status Header(const FileBeneath& file) {
    archive_entry* e = archive_entry_clear(entry_.get());
    archive_entry_set_pathname(e, file.path.c_str());
    archive_entry_set_filetype(e, file.folder ? AE_IFDIR : AE_IFREG);
    archive_entry_set_perm(e, file.folder ? 0755 : 0644);
    archive_entry_set_size(e, file.folder ? 0 : static_cast<la_int64_t>(file.size));
    archive_entry_set_mtime(e, 0, 0);
    archive_entry_set_uid(e, 0);
    archive_entry_set_gid(e, 0);
    return archive_write_header(writer_.get(), e) == ARCHIVE_OK ? absl::OkStatus() : Error();
  }

  absl::Status Data(absl::string_view piece) {
    const la_ssize_t written = archive_write_data(writer_.get(), piece.data(), piece.size());
    return written == static_cast<la_ssize_t>(piece.size()) ? absl::OkStatus() : Error();
  }

  absl::Status Close() {
    return archive_write_close(writer_.get()) == ARCHIVE_OK ? absl::OkStatus() : Error();
  }

 private:
  absl::Status Error() const {
    const char* why = archive_error_string(writer_.get());
    const std::string text = absl::StrCat(out_, ": ", why == nullptr ? "not written whole" : why);
    return archive_errno(writer_.get()) == ENOSPC ? absl::ResourceExhaustedError(text)
                                                  : absl::UnavailableError(text);
  }

  std::string out_;
  const std::unique_ptr<archive, Free> writer_{archive_write_new()};
  const std::unique_ptr<archive_entry, Free> entry_{archive_entry_new()};
};

absl::Status Pack(const std::string& root, const FileBeneath& file, Packer& packer) {
  RETURN_IF_ERROR(packer.Header(file));
  if (file.folder) return absl::OkStatus();
  uint64_t left = file.size;
  RETURN_IF_ERROR(StreamBeneath(root, file.path, [&](absl::string_view piece) -> absl::Status {
    if (piece.size() > left) left = 0;
    if (left == 0) return absl::UnavailableError(absl::StrCat(file.path, ": grew meanwhile"));
    left -= piece.size();
    return packer.Data(piece);
  }));
  if (left == 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(file.path, ": shrank meanwhile"));
}

}  // namespace

absl::Status PackModules(const std::string& root, const std::string& release,
                         const std::string& out) {
  RETURN_IF_ERROR(CheckRelease(release));
  const std::string top = absl::StrCat("lib/modules/", release);
  const std::vector<std::string> left_out = {top + "/build", top + "/source"};
  ASSIGN_OR_RETURN(const std::vector<FileBeneath> files,
                   ListBeneath(root, top, kMostEntries, left_out));
  uint64_t bytes = 0;
  for (const FileBeneath& file : files) bytes += file.size;
  if (bytes > kMostBytes) {
    return absl::OutOfRangeError(absl::StrCat(root, "/", top, ": ", bytes >> 20,
                                              " MiB of modules; at most ", kMostBytes >> 20,
                                              " are wanted"));
  }
  Packer packer;
  RETURN_IF_ERROR(packer.Open(out));
  for (const char* parent : {"lib", "lib/modules"}) {
    RETURN_IF_ERROR(packer.Header({parent, true, 0}));
  }
  for (const FileBeneath& file : files) RETURN_IF_ERROR(Pack(root, file, packer));
  return packer.Close();
}

}  // namespace shakedown::agent
