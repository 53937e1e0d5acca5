// Frames on a byte stream that can lose its start or hold foreign bytes (a virtio-serial port):
//   "SDF1" | payload length, 32 bits little endian | CRC-32 (zlib's) of the payload, little endian
//   | payload
#ifndef SHAKEDOWN_PROTO_WIRE_FRAMING_H_
#define SHAKEDOWN_PROTO_WIRE_FRAMING_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace shakedown {

// A longer payload is not a frame: the reader skips it, EncodeFrame must not be given it.
inline constexpr size_t kMaxFramePayload = 16 << 20;

std::string EncodeFrame(absl::string_view payload);

// Finds frames in bytes as they come. Whatever is not a whole, sound frame is skipped and counted.
// One stream, one owner, not thread-safe.
class FrameReader {
 public:
  void Add(absl::string_view bytes);
  // The next payload, or nothing until more bytes come.
  std::optional<std::string> Next();
  size_t skipped_bytes() const { return skipped_; }

 private:
  void Skip(size_t bytes);
  std::string buffer_;
  size_t skipped_ = 0;
};

}  // namespace shakedown

#endif  // SHAKEDOWN_PROTO_WIRE_FRAMING_H_
