// One end of a byte stream that carries frames, without blocking and within bounds.
#ifndef SHAKEDOWN_AGENT_LAPTOP_KEEPER_CONNECTION_H_
#define SHAKEDOWN_AGENT_LAPTOP_KEEPER_CONNECTION_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/framing.h"

namespace shakedown::laptop {

// One owner, not thread-safe.
class Connection {
 public:
  explicit Connection(Descriptor fd);

  int fd() const { return fd_.get(); }  // -1 once it is closed.
  bool open() const { return fd_.get() >= 0; }
  size_t waiting() const { return unsent_.size(); }  // Bytes.

  // Takes what has come, at most 1 MiB. Closes at the end of the stream, at an error, and when the
  // bytes are no frames.
  void Receive();
  // The next payload that has come whole, also after the close.
  std::optional<std::string> Next() { return frames_.Next(); }
  // What can not be sent now waits.
  void Send(absl::string_view payload);
  void Flush();
  void CloseOnceSent() { closing_ = true, Flush(); }
  void Close();

 private:
  Descriptor fd_;
  FrameReader frames_;
  std::string unsent_;
  bool closing_ = false;
};

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_KEEPER_CONNECTION_H_
