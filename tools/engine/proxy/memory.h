// Zeroed memory of a connection, in pages of its own; pages that are never touched cost nothing.
#pragma once

#include <cstddef>
#include <utility>

namespace netsense::engine {

class Memory {
 public:
  Memory() = default;
  explicit Memory(size_t bytes);
  Memory(Memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Memory& operator=(Memory&& other) noexcept;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace netsense::engine
