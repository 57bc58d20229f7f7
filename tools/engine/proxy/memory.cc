#include "tools/engine/proxy/memory.h"

#include <sys/mman.h>

#include <cerrno>

#include "tools/engine/base/error.h"

namespace netsense::engine {

Memory::Memory(size_t bytes) : bytes_(bytes) {
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED)
    fail(ns_system_error, "{}", with_errno("cannot allocate connection buffers", errno));
  data_ = static_cast<std::byte*>(data);
}

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Memory::~Memory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

}  // namespace netsense::engine
