// A listening socket on loopback that a handle is changed to lead to.
#pragma once

#include <string>

#include "tests/loopback/scene.h"

namespace netsense::testing {

class Detour {
 public:
  // Throws std::runtime_error when the system refuses.
  explicit Detour(HandleBytes* handle);
  Detour(const Detour&) = delete;
  Detour& operator=(const Detour&) = delete;
  ~Detour();
  [[nodiscard]] int fd() const { return fd_; }
  // ":4711", as it ends the peer's name in the log.
  [[nodiscard]] std::string port() const { return ":" + std::to_string(port_); }

 private:
  int fd_;
  int port_ = 0;
};

}  // namespace netsense::testing
