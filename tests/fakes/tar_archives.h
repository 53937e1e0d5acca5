// Tar archives made in a test, good and hostile.
#ifndef SHAKEDOWN_TESTS_FAKES_TAR_ARCHIVES_H_
#define SHAKEDOWN_TESTS_FAKES_TAR_ARCHIVES_H_

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace shakedown::fakes {

// `type` as tar(5) has it: '0' file, '1' hard link, '2' symbolic link, '3' device, '5' folder, '6'
// pipe.
struct TarItem {
  char type = '0';
  std::string path;
  std::string content;  // Of a link: where it leads.
  int mode = 0644;
};

inline void AddTarItem(archive* out, const TarItem& item) {
  archive_entry* entry = archive_entry_new();
  archive_entry_set_pathname(entry, item.path.c_str());
  archive_entry_set_perm(entry, static_cast<__LA_MODE_T>(item.mode));
  archive_entry_set_mtime(entry, 1'700'000'000, 0);
  archive_entry_set_filetype(entry, AE_IFREG);
  if (item.type == '1') archive_entry_set_hardlink(entry, item.content.c_str());
  if (item.type == '2') {
    archive_entry_set_filetype(entry, AE_IFLNK);
    archive_entry_set_symlink(entry, item.content.c_str());
  }
  if (item.type == '3') {
    archive_entry_set_filetype(entry, AE_IFCHR);
    archive_entry_set_rdevmajor(entry, 1);
    archive_entry_set_rdevminor(entry, 3);
  }
  if (item.type == '5') archive_entry_set_filetype(entry, AE_IFDIR);
  if (item.type == '6') archive_entry_set_filetype(entry, AE_IFIFO);
  const bool has_data = item.type == '0';
  archive_entry_set_size(entry, has_data ? static_cast<la_int64_t>(item.content.size()) : 0);
  EXPECT_EQ(archive_write_header(out, entry), ARCHIVE_OK) << archive_error_string(out);
  if (has_data) archive_write_data(out, item.content.data(), item.content.size());
  archive_entry_free(entry);
}

// Writes the items to `path`. `filter`: "", "gzip", "xz", "zstd".
inline void WriteTar(const std::string& path, const std::vector<TarItem>& items,
                     const std::string& filter = "") {
  archive* out = archive_write_new();
  archive_write_set_format_pax_restricted(out);
  archive_write_set_options(out, "hdrcharset=BINARY");
  if (!filter.empty()) {
    EXPECT_EQ(archive_write_add_filter_by_name(out, filter.c_str()), ARCHIVE_OK);
  }
  EXPECT_EQ(archive_write_open_filename(out, path.c_str()), ARCHIVE_OK);
  for (const TarItem& item : items) AddTarItem(out, item);
  EXPECT_EQ(archive_write_close(out), ARCHIVE_OK);
  archive_write_free(out);
}

}  // namespace shakedown::fakes

#endif  // SHAKEDOWN_TESTS_FAKES_TAR_ARCHIVES_H_
