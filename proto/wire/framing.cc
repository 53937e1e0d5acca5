#include "proto/wire/framing.h"

#include <zlib.h>

#include <cstdint>

namespace shakedown {
namespace {

constexpr absl::string_view kMagic = "SDF1";
constexpr size_t kHeader = 12;

uint32_t Checksum(absl::string_view payload) {
  return static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(payload.data()), static_cast<uInt>(payload.size())));
}

void Append32(std::string& out, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(value >> shift));
}

uint32_t Read32(absl::string_view bytes) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

std::string EncodeFrame(absl::string_view payload) {
  std::string frame(kMagic);
  frame.reserve(kHeader + payload.size());
  Append32(frame, static_cast<uint32_t>(payload.size()));
  Append32(frame, Checksum(payload));
  frame.append(payload.data(), payload.size());
  return frame;
}

void FrameReader::Add(absl::string_view bytes) { buffer_.append(bytes.data(), bytes.size()); }

void FrameReader::Skip(size_t bytes) {
  buffer_.erase(0, bytes);
  skipped_ += bytes;
}

std::optional<std::string> FrameReader::Next() {
  for (;;) {
    const size_t start = buffer_.find(kMagic.data(), 0, kMagic.size());
    if (start == std::string::npos) {
      // The magic may be cut in two by the end of the buffer.
      if (buffer_.size() >= kMagic.size()) Skip(buffer_.size() - (kMagic.size() - 1));
      return std::nullopt;
    }
    if (start > 0) Skip(start);
    if (buffer_.size() < kHeader) return std::nullopt;
    const absl::string_view view = buffer_;
    const size_t length = Read32(view.substr(4));
    if (length > kMaxFramePayload) {
      Skip(1);
      continue;
    }
    if (buffer_.size() < kHeader + length) return std::nullopt;
    std::string payload(view.substr(kHeader, length));
    if (Checksum(payload) != Read32(view.substr(8))) {
      Skip(1);
      continue;
    }
    buffer_.erase(0, kHeader + length);
    return payload;
  }
}

}  // namespace shakedown
