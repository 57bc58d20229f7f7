#include "tests/abi/net_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "tools/engine/loader/net_adapter.h"

namespace netsense::testing {
namespace {

constexpr std::chrono::seconds kHang{60};
// A pause and not a yield, which would put a polling thread behind all others of a loaded machine.
constexpr std::chrono::microseconds kPause{20};

}  // namespace

std::vector<uint8_t> pattern(size_t bytes, uint32_t seed) {
  std::vector<uint8_t> data(bytes);
  uint32_t state = seed * 2654435761U + 1;
  for (uint8_t& byte : data) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<uint8_t>(state >> 24);
  }
  return data;
}

std::vector<uint8_t> floats(size_t bytes, uint32_t seed) {
  std::vector<uint8_t> data(bytes);
  uint64_t state = uint64_t{seed} << 32;
  for (size_t at = 0; at < bytes; at += sizeof(uint32_t)) {
    // SplitMix64 (Steele, Lea and Flood, 2014).
    state += 0x9E3779B97F4A7C15U;
    uint64_t random = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9U;
    random = (random ^ (random >> 27)) * 0x94D049BB133111EBU;
    random ^= random >> 31;
    // Random sign and mantissa, and each exponent half as likely as the one above it.
    const auto below = static_cast<uint32_t>(std::min(std::countr_zero(random >> 32 | 1U << 16), 16));
    const uint32_t value = (static_cast<uint32_t>(random) & 0x807FFFFFU) | (124 - below) << 23;
    std::memcpy(&data[at], &value, std::min(sizeof value, bytes - at));
  }
  return data;
}

void check(ns_result result, const std::string& what) {
  if (result != ns_success)
    throw std::runtime_error(fmt::format("{}: result {}", what, static_cast<int>(result)));
}

void poll_until(const std::string& what, const std::function<bool()>& done) {
  const auto limit = std::chrono::steady_clock::now() + kHang;
  while (!done()) {
    if (std::chrono::steady_clock::now() > limit) throw std::runtime_error(what + " did not end in a minute");
    std::this_thread::sleep_for(kPause);
  }
}

void LibraryCloser::operator()(void* library) const {
  dlclose(library);
}

Library open_library(const std::string& path) {
  Library library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (library == nullptr) throw std::runtime_error(dlerror());
  return library;
}

Plugin::Plugin(const std::string& path, int version) : library_(open_library(path)) {
  std::string tried;
  net_ = engine::find_net(library_.get(), version, &tried);
  if (net_ == nullptr) throw std::runtime_error(fmt::format("{} has none of {}", path, tried));
  check(net_->init({.comm_id = 1}, &context_), "init");
}

Plugin::~Plugin() {
  static_cast<void>(net_->finalize(context_));
}

int Plugin::devices() const {
  int count = 0;
  check(net_->devices(&count), "devices");
  return count;
}

engine::DeviceProperties Plugin::properties(int device) const {
  engine::DeviceProperties properties;
  check(net_->properties(device, &properties), "getProperties");
  return properties;
}

Registration::Registration(engine::Net& net, void* comm, void* data, size_t bytes) : net_(net), comm_(comm) {
  check(net.register_memory(comm, data, bytes, engine::MemoryKind::kHost, &handle_), "regMr");
}

Registration::~Registration() {
  static_cast<void>(net_.deregister_memory(comm_, handle_));
}

Connection::Connection(Plugin& plugin, int device) : net_(plugin.net()) {
  engine::Handle handle{};
  void* listener = nullptr;
  check(net_.listen(plugin.context(), device, &handle, &listener), "listen");
  const std::unique_ptr<void, std::function<void(void*)>> closer(
      listener, [this](void* open) { static_cast<void>(net_.close_listen(open)); });
  poll_until("connect and accept", [&] {
    if (send_comm_ == nullptr) check(net_.connect(plugin.context(), device, &handle, &send_comm_), "connect");
    if (recv_comm_ == nullptr) check(net_.accept(listener, &recv_comm_), "accept");
    return send_comm_ != nullptr && recv_comm_ != nullptr;
  });
}

Connection::~Connection() {
  if (send_comm_ != nullptr) static_cast<void>(net_.close_send(send_comm_));
  if (recv_comm_ != nullptr) static_cast<void>(net_.close_recv(recv_comm_));
}

void* Connection::isend(const void* data, size_t bytes, void* region, int tag) {
  void* request = nullptr;
  check(net_.isend(send_comm_, const_cast<void*>(data), bytes, tag, region, nullptr, &request), "isend");
  return request;
}

void* Connection::irecv(void* data, size_t bytes, void* region, int tag, bool completion_optional) {
  void* request = completion_optional ? engine::kCompletionOptional : nullptr;
  void* phandle = nullptr;
  check(
      net_.irecv(
          recv_comm_,
          {.count = 1, .data = &data, .bytes = &bytes, .tags = &tag, .memory = &region, .phandles = &phandle},
          &request),
      "irecv");
  return request;
}

void* Connection::post_send(const void* data, size_t bytes, void* region, int tag) {
  void* request = nullptr;
  poll_until("isend", [&] { return (request = isend(data, bytes, region, tag)) != nullptr; });
  return request;
}

void* Connection::post_recv(void* data, size_t bytes, void* region, int tag, bool completion_optional) {
  void* request = nullptr;
  poll_until("irecv",
             [&] { return (request = irecv(data, bytes, region, tag, completion_optional)) != nullptr; });
  return request;
}

std::vector<size_t> Connection::wait(std::span<void* const> requests) {
  std::vector<size_t> sizes(requests.size());
  std::vector<void*> open(requests.begin(), requests.end());
  size_t left = open.size();
  poll_until("test", [&] {
    for (size_t i = 0; i < open.size(); ++i) {
      if (open[i] == nullptr) continue;
      int done = 0;
      int size = -1;
      check(net_.test(open[i], &done, &size), fmt::format("test of request {} of {}", i, open.size()));
      if (done == 0) continue;
      if (size < 0) throw std::runtime_error("test: done, but no size was reported");
      sizes[i] = static_cast<size_t>(size);
      open[i] = nullptr;
      --left;
    }
    return left == 0;
  });
  return sizes;
}

}  // namespace netsense::testing
