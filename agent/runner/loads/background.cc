#include "agent/runner/loads/background.h"

#include <fcntl.h>
#include <semaphore.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/runner/loads/burn.h"
#include "proto/wire/clock.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr size_t kSmallestBlock = 1024;
constexpr size_t kMib = 1 << 20;

std::string WritePath(const std::string& folder) { return folder + "/interbench.write"; }
std::string ReadPath(const std::string& folder) { return folder + "/interbench.read"; }

// Closes a stdio stream; errors of the close are of no interest to a load that is being stopped.
struct CloseFile {
  void operator()(FILE* file) const { fclose(file); }
};
using File = std::unique_ptr<FILE, CloseFile>;

size_t BlockSize(FILE* file) {
  struct stat found;
  if (fstat(fileno(file), &found) != 0) return kSmallestBlock;
  return std::max(kSmallestBlock, static_cast<size_t>(found.st_blksize));
}

// A full disk is named as such: where, how much of which file was written.
absl::Status WriteError(int error, absl::string_view what, const std::string& folder,
                        uint64_t written, uint64_t wanted) {
  const std::string progress = absl::StrCat(written, " of ", wanted, " bytes were written");
  if (error == ENOSPC || error == EDQUOT) {
    return absl::ResourceExhaustedError(
        absl::StrCat("interbench ", what, ": no space left on ", folder, ": ", progress));
  }
  return ErrnoStatus(error, absl::StrCat("interbench ", what, ": ", folder, ": ", progress));
}

void Burn(const BackgroundSettings& settings, const StopSignal& stop) {
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < settings.burn_threads; ++i) {
    threads.emplace_back([&] {
      while (!stop.Asked()) BurnMicroseconds(settings.loops_per_ms, 1000);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

absl::Status WriteOnce(const BackgroundSettings& settings, const StopSignal& stop) {
  const std::string path = WritePath(settings.folder);
  const File file(fopen(path.c_str(), "we"));
  if (file == nullptr) return ErrnoStatus(errno, path);
  const std::vector<char> zeros(BlockSize(file.get()));
  for (uint64_t written = 0; written < settings.write_bytes && !stop.Asked();
       written += zeros.size()) {
    if (fwrite(zeros.data(), zeros.size(), 1, file.get()) != 1) {
      return WriteError(errno, "write", settings.folder, written, settings.write_bytes);
    }
  }
  if (fflush(file.get()) == 0) return absl::OkStatus();
  return WriteError(errno, "write", settings.folder, settings.write_bytes, settings.write_bytes);
}

absl::Status Write(const BackgroundSettings& settings, const StopSignal& stop) {
  absl::Status status;
  while (status.ok() && !stop.Asked()) status = WriteOnce(settings, stop);
  unlink(WritePath(settings.folder).c_str());
  for (int i = 0; i < 3; ++i) sync();
  return status;
}

// A pass is always completed, as in the original.
absl::Status Read(const BackgroundSettings& settings, const StopSignal& stop) {
  const std::string path = ReadPath(settings.folder);
  const File file(fopen(path.c_str(), "re"));
  if (file == nullptr) return ErrnoStatus(errno, path);
  const int fd = fileno(file.get());
  std::vector<char> block(BlockSize(file.get()));
  while (!stop.Asked()) {
    ssize_t got;
    while ((got = read(fd, block.data(), block.size())) > 0) {
    }
    if (got < 0 && errno != EINTR) return ErrnoStatus(errno, path);
    if (lseek(fd, 0, SEEK_SET) != 0) return ErrnoStatus(errno, path);
  }
  return absl::OkStatus();
}

// Threads in a circle hand one token on.
void Ring(const BackgroundSettings& settings, const StopSignal& stop) {
  const uint32_t n = settings.burn_threads;
  std::deque<sem_t> tokens(n);
  for (sem_t& token : tokens) sem_init(&token, 0, 0);
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < n; ++i) {
    threads.emplace_back([&, i] {
      // Asked before the token is handed on: whoever leaves has shown the stop to the next one.
      // Asked after it, the next one could have gone round and wait for a token that nobody brings.
      for (bool last = false; !last;) {
        while (sem_wait(&tokens[i]) != 0 && errno == EINTR) {
        }
        last = stop.Asked();
        sem_post(&tokens[(i + 1) % n]);
      }
    });
  }
  sem_post(&tokens[0]);
  for (std::thread& thread : threads) thread.join();
  for (sem_t& token : tokens) sem_destroy(&token);
}

absl::Status Compile(const BackgroundSettings& settings, const StopSignal& stop) {
  absl::Status written, read;
  std::thread writer([&] { written = Write(settings, stop); });
  std::thread reader([&] { read = Read(settings, stop); });
  Burn(settings, stop);
  writer.join();
  reader.join();
  return written.ok() ? read : written;
}

using Block = std::unique_ptr<char[]>;

// Touches every page. Fewer blocks than wanted when memory is short.
std::vector<Block> FillMemory(uint64_t mib, const StopSignal& stop) {
  std::vector<Block> blocks;
  while (blocks.size() < mib && !stop.Asked()) {
    Block block(new (std::nothrow) char[kMib]);
    if (block == nullptr) break;
    std::memset(block.get(), static_cast<int>(blocks.size()), kMib);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

absl::Status Memload(const BackgroundSettings& settings, const StopSignal& stop) {
  uint64_t mib = settings.memory_mib;
  while (!stop.Asked()) {
    const std::vector<Block> blocks = FillMemory(mib, stop);
    if (stop.Asked()) break;
    if (blocks.empty()) return absl::ResourceExhaustedError("Memload: not one MiB of memory");
    mib = blocks.size();
    for (size_t i = 0; i < blocks.size() && !stop.Asked(); ++i) {
      const size_t from = (i + blocks.size() / 2) % blocks.size();
      if (from != i) std::memcpy(blocks[i].get(), blocks[from].get(), kMib);
    }
  }
  return absl::OkStatus();
}

void Simulated(Task task, const BackgroundSettings& settings, const StopSignal& stop) {
  MachineWorld world(settings.loops_per_ms, settings.world);
  const auto result = std::make_unique<TaskResult>();
  RunTask(
      task, world, [&] { return stop.Asked(); }, *result, settings.custom);
}

}  // namespace

absl::Status RunBackground(Background load, const BackgroundSettings& settings,
                           const StopSignal& stop) {
  switch (load) {
    case Background::kNone:
      break;
    case Background::kVideo:
      Simulated(Task::kVideo, settings, stop);
      break;
    case Background::kX:
      Simulated(Task::kX, settings, stop);
      break;
    case Background::kBurn:
      Burn(settings, stop);
      break;
    case Background::kWrite:
      return Write(settings, stop);
    case Background::kRead:
      return Read(settings, stop);
    case Background::kRing:
      Ring(settings, stop);
      break;
    case Background::kCompile:
      return Compile(settings, stop);
    case Background::kMemload:
      return Memload(settings, stop);
    case Background::kCustom:
      Simulated(Task::kCustom, settings, stop);
      break;
  }
  stop.Wait();
  return absl::OkStatus();
}

absl::Status MakeReadFile(const std::string& folder, uint64_t bytes, absl::Duration limit) {
  const std::string path = ReadPath(folder);
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return ErrnoStatus(errno, path);
  const std::vector<char> zeros(kMib);
  absl::Status status;
  Clock& clock = SystemClock();
  const absl::Duration until = clock.Elapsed() + limit;
  for (uint64_t written = 0; written < bytes && status.ok();) {
    if (clock.Elapsed() > until) {
      status = absl::DeadlineExceededError(absl::StrCat(path, ": ", written, " of ", bytes,
                                                        " bytes written after ",
                                                        absl::FormatDuration(limit)));
      break;
    }
    const size_t piece = std::min<uint64_t>(zeros.size(), bytes - written);
    const ssize_t wrote = write(fd, zeros.data(), piece);
    if (wrote > 0) written += static_cast<uint64_t>(wrote);
    if (wrote < 0 && errno != EINTR)
      status = WriteError(errno, "read file", folder, written, bytes);
  }
  if (status.ok() && fsync(fd) != 0) status = ErrnoStatus(errno, path);
  close(fd);
  return status;
}

uint64_t MemloadMib(uint64_t memory_kib, uint64_t swap_kib) {
  constexpr uint64_t kMost = 2930;
  const uint64_t all = memory_kib + swap_kib;
  const uint64_t kib = std::min(memory_kib * 110 / 100, all > 64 ? all - 64 : 0);
  return std::min(kib / 1024, kMost);
}

uint64_t LoadFileBytes(uint64_t wanted, uint64_t free_bytes, uint64_t most_bytes, uint64_t files) {
  const uint64_t most = std::min(most_bytes == 0 ? free_bytes / 2 : most_bytes, free_bytes / 5 * 4);
  return std::min(wanted, most / files);
}

}  // namespace shakedown::runner
