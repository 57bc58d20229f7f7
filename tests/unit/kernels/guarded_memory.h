// Memory between pages that nobody may touch: a read or write too far ends the process, with or without
// sanitizers.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace netsense::kernels::testing {

class GuardedMemory {
 public:
  // Holds up to `bytes`.
  explicit GuardedMemory(size_t bytes) : page_(static_cast<size_t>(::sysconf(_SC_PAGESIZE))) {
    inner_ = (bytes + page_ - 1) / page_ * page_;
    void* all = ::mmap(nullptr, inner_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::runtime_error("mmap");
    base_ = static_cast<uint8_t*>(all);
    if (::mprotect(base_ + page_, inner_, PROT_READ | PROT_WRITE) != 0) throw std::runtime_error("mprotect");
  }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory() { ::munmap(base_, inner_ + 2 * page_); }

  // Right behind the page in front.
  [[nodiscard]] uint8_t* first() const { return base_ + page_; }
  // The last `bytes` before the page behind.
  [[nodiscard]] uint8_t* last(size_t bytes) const { return base_ + page_ + inner_ - bytes; }

 private:
  size_t page_;
  size_t inner_;
  uint8_t* base_;
};

}  // namespace netsense::kernels::testing
