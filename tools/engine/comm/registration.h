// User buffers that the program registered (ncclCommRegister). The engine sends from and receives into
// buffers of its own all the same; the tuner is told which operations work on registered memory.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace netsense::engine {

class Registrations {
 public:
  // Returns a handle for remove().
  void* add(void* data, size_t bytes);
  // Throws ns_invalid_argument for an unknown handle.
  void remove(void* handle);
  // Whether one of the buffers holds all of the range.
  [[nodiscard]] bool contains(const void* data, size_t bytes) const;

 private:
  struct Buffer {
    const std::byte* data = nullptr;
    size_t bytes = 0;
  };
  std::vector<std::unique_ptr<Buffer>> buffers_;
};

}  // namespace netsense::engine
