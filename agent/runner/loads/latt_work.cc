#include "agent/runner/loads/latt_work.h"

#include <zlib.h>

#include <cstring>
#include <memory>
#include <new>

namespace shakedown::runner {
namespace {

constexpr unsigned kSeed = 1234;
constexpr int kLevel = 7;

}  // namespace

SleepSequence::SleepSequence(uint32_t min_ms, uint32_t width_ms)
    : min_ms_(min_ms), width_ms_(width_ms) {
  initstate_r(kSeed, state_, sizeof state_, &random_);
}

uint32_t SleepSequence::NextMs() {
  int32_t number = 0;
  random_r(&random_, &number);
  const double uniform = number / (RAND_MAX + 1.0);
  return static_cast<uint32_t>(min_ms_ + width_ms_ * uniform);
}

uint32_t WorkItem::NextRandom() {
  state_ = state_ * 1103515245u + 12345u;
  return (state_ / 65536) % 32768;
}

size_t WorkItem::Do() {
  const uLong bound = compressBound(bytes_);
  const std::unique_ptr<Bytef[]> input(new (std::nothrow) Bytef[bytes_]);
  const std::unique_ptr<Bytef[]> output(new (std::nothrow) Bytef[bound]);
  if (input == nullptr || output == nullptr) return 0;
  for (size_t at = 0; at + sizeof(uint32_t) <= bytes_; at += sizeof(uint32_t)) {
    const uint32_t number = NextRandom();
    std::memcpy(input.get() + at, &number, sizeof number);
  }
  z_stream stream = {};
  if (deflateInit(&stream, kLevel) != Z_OK) return 0;
  stream.next_in = input.get();
  stream.avail_in = static_cast<uInt>(bytes_);
  stream.next_out = output.get();
  stream.avail_out = static_cast<uInt>(bound);
  const int result = deflate(&stream, Z_FINISH);
  const size_t size = stream.total_out;
  deflateEnd(&stream);
  return result == Z_STREAM_END ? size : 0;
}

}  // namespace shakedown::runner
