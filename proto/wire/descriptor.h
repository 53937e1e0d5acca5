// A file descriptor that is closed with its owner.
#ifndef SHAKEDOWN_PROTO_WIRE_DESCRIPTOR_H_
#define SHAKEDOWN_PROTO_WIRE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace shakedown {

// Holds what open(2) and its like return; a negative one is held and not closed.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      Close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }  // The caller closes it.
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

}  // namespace shakedown

#endif  // SHAKEDOWN_PROTO_WIRE_DESCRIPTOR_H_
