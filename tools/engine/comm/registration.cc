#include "tools/engine/comm/registration.h"

#include <algorithm>

#include "tools/engine/base/error.h"

namespace netsense::engine {

Registrations::Buffer* Registrations::add(void* data, size_t bytes) {
  buffers_.push_back(std::make_unique<Buffer>(Buffer{static_cast<std::byte*>(data), bytes, {}}));
  return buffers_.back().get();
}

void Registrations::remove(void* handle) {
  const auto found =
      std::ranges::find(buffers_, handle, [](const auto& buffer) -> void* { return buffer.get(); });
  if (found == buffers_.end()) fail(ns_invalid_argument, "this is no handle of ns_comm_register");
  std::vector<Buffer::OnConnection>& uses = (*found)->uses;
  for (auto use = uses.rbegin(); use != uses.rend(); ++use) {
    service_.call([&] { setup_.deregister_user(*use->connection, use->memory); });
  }
  buffers_.erase(found);
}

Registrations::Buffer* Registrations::find(const void* data, size_t bytes) const {
  const auto* begin = static_cast<const std::byte*>(data);
  for (const auto& buffer : buffers_) {
    if (begin >= buffer->data && begin + bytes <= buffer->data + buffer->bytes) return buffer.get();
  }
  return nullptr;
}

std::optional<void*> Registrations::on(Buffer& buffer, Connection& connection) {
  const auto found = std::ranges::find(buffer.uses, &connection, &Buffer::OnConnection::connection);
  if (found != buffer.uses.end()) return found->memory;
  void* memory = nullptr;
  bool registered = false;
  service_.call([&] { registered = setup_.register_user(connection, buffer.data, buffer.bytes, &memory); });
  if (!registered) return std::nullopt;
  buffer.uses.push_back({&connection, memory});
  return memory;
}

}  // namespace netsense::engine
