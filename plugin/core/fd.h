// Owning file descriptor that a forked child does not keep: without that, a data loader's worker processes
// would hold our sockets open and a peer would never see the death of the rank.
#pragma once

#include <utility>

namespace netsense::core {

class Fd {
 public:
  Fd() = default;
  // Takes ownership; -1 means none.
  explicit Fd(int fd);
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept;
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  void reset();

 private:
  int fd_ = -1;
};

}  // namespace netsense::core
