#include "tools/engine/comm/registration.h"

#include <algorithm>

#include "tools/engine/base/error.h"

namespace netsense::engine {

void* Registrations::add(void* data, size_t bytes) {
  buffers_.push_back(std::make_unique<Buffer>(Buffer{static_cast<const std::byte*>(data), bytes}));
  return buffers_.back().get();
}

void Registrations::remove(void* handle) {
  const auto erased =
      std::erase_if(buffers_, [handle](const auto& buffer) { return buffer.get() == handle; });
  if (erased == 0) fail(ns_invalid_argument, "this is no handle of ns_comm_register");
}

bool Registrations::contains(const void* data, size_t bytes) const {
  const auto* begin = static_cast<const std::byte*>(data);
  return std::ranges::any_of(buffers_, [&](const auto& buffer) {
    return begin >= buffer->data && begin + bytes <= buffer->data + buffer->bytes;
  });
}

}  // namespace netsense::engine
