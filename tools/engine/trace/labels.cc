#include "tools/engine/trace/labels.h"

#include <fmt/format.h>

#include <algorithm>

namespace netsense::engine {

std::string Labels::next(std::string_view kind) {
  const auto found = counters_.try_emplace(std::string(kind), 0).first;
  return fmt::format("{}{}", kind, found->second++);
}

const std::string& Labels::make(std::string_view kind, const void* object) {
  return labels_[{std::string(kind), object}] = next(kind);
}

const std::string& Labels::of(std::string_view kind, const void* object) {
  const auto found = labels_.find({std::string(kind), object});
  return found != labels_.end() ? found->second : make(kind, object);
}

void Labels::forget(std::string_view kind, const void* object) {
  labels_.erase({std::string(kind), object});
}

const std::string& Labels::of_number(std::string_view kind, uint64_t number) {
  const auto found = numbers_.find({std::string(kind), number});
  return found != numbers_.end() ? found->second : numbers_[{std::string(kind), number}] = next(kind);
}

const Labels::Memory& Labels::add_memory(const void* comm, const void* handle, const void* base,
                                         size_t bytes) {
  std::vector<Memory>& list = memory_[comm];
  list.push_back({handle, static_cast<const std::byte*>(base), bytes, next("m")});
  return list.back();
}

const Labels::Memory* Labels::memory(const void* comm, const void* handle, const void* data) const {
  const auto found = memory_.find(comm);
  if (found == memory_.end()) return nullptr;
  const Memory* same_handle = nullptr;
  for (const Memory& memory : found->second) {
    if (memory.handle != handle) continue;
    same_handle = &memory;
    const auto* at = static_cast<const std::byte*>(data);
    if (at >= memory.base && at < memory.base + memory.bytes) return &memory;
  }
  return same_handle;
}

void Labels::remove_memory(const void* comm, const void* handle) {
  const auto found = memory_.find(comm);
  if (found == memory_.end()) return;
  const auto same = std::ranges::find(found->second, handle, &Memory::handle);
  if (same != found->second.end()) found->second.erase(same);
  if (found->second.empty()) memory_.erase(found);
}

std::string Labels::ends_at(const void* data) const {
  const auto found = buffer_ends_.find(data);
  return found == buffer_ends_.end() ? std::string() : found->second;
}

void Labels::add_buffer_end(const void* data, size_t bytes, const std::string& label) {
  buffer_ends_[static_cast<const std::byte*>(data) + bytes] = label;
}

Labels::Request& Labels::add_request(const void* request, const void* comm, int buffers) {
  Usage& used = usage(comm);
  ++used.operations;
  used.most_outstanding = std::max(used.most_outstanding, ++used.outstanding);
  return requests_[request] = {next("q"), comm, buffers, false};
}

Labels::Request& Labels::add_flush(const void* request) {
  return requests_[request] = {next("q"), nullptr, 0, false};
}

Labels::Request* Labels::request(const void* request) {
  const auto found = requests_.find(request);
  return found == requests_.end() ? nullptr : &found->second;
}

void Labels::remove_request(const void* request) {
  const auto found = requests_.find(request);
  if (found == requests_.end()) return;
  if (found->second.comm != nullptr) --usage(found->second.comm).outstanding;
  requests_.erase(found);
}

}  // namespace netsense::engine
