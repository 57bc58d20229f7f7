// Drives a network plugin the way NCCL does, through any version of its exported table, from a library path
// alone. Errors of the plugin, and waits that do not end, become exceptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/engine/loader/net.h"

namespace netsense::testing {

// Bytes that differ from message to message and have no period that a block size divides.
std::vector<uint8_t> pattern(size_t bytes, uint32_t seed);

// The same, of f32 as gradients are: what netsense compresses when told to, by about an eighth.
std::vector<uint8_t> floats(size_t bytes, uint32_t seed);

// Throws std::runtime_error naming `what` unless the result is success.
void check(ns_result result, const std::string& what);

// Calls `done` until it is true. Throws after a minute: long enough for a loaded machine, so it means a hang.
void poll_until(const std::string& what, const std::function<bool()>& done);

struct LibraryCloser {
  void operator()(void* library) const;
};
using Library = std::unique_ptr<void, LibraryCloser>;

Library open_library(const std::string& path);

// A loaded and initialised plugin: one communicator of NCCL.
class Plugin {
 public:
  // version: of ncclNet, or 0 for the newest that the library has.
  explicit Plugin(const std::string& path, int version = 0);
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;
  ~Plugin();

  [[nodiscard]] engine::Net& net() const { return *net_; }
  [[nodiscard]] void* context() const { return context_; }
  [[nodiscard]] int devices() const;
  [[nodiscard]] engine::DeviceProperties properties(int device) const;

 private:
  Library library_;
  std::shared_ptr<engine::Net> net_;
  void* context_ = nullptr;
};

// Memory known to one comm.
class Registration {
 public:
  Registration(engine::Net& net, void* comm, void* data, size_t bytes);
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  ~Registration();
  [[nodiscard]] void* handle() const { return handle_; }

 private:
  engine::Net& net_;
  void* comm_;
  void* handle_ = nullptr;
};

// A connection of the process with itself, in NCCL's order: listen, then connect and accept polled in turn.
class Connection {
 public:
  explicit Connection(Plugin& plugin, int device = 0);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  [[nodiscard]] engine::Net& net() const { return net_; }
  [[nodiscard]] void* send_comm() const { return send_comm_; }
  [[nodiscard]] void* recv_comm() const { return recv_comm_; }

  // Null when the plugin can take no more for now.
  void* isend(const void* data, size_t bytes, void* region, int tag = 0);
  void* irecv(void* data, size_t bytes, void* region, int tag = 0, bool completion_optional = false);
  // The same, asked again until there is a request.
  void* post_send(const void* data, size_t bytes, void* region, int tag = 0);
  void* post_recv(void* data, size_t bytes, void* region, int tag = 0, bool completion_optional = false);
  // Tests all requests in turn until each is done; the sizes they report.
  std::vector<size_t> wait(std::span<void* const> requests);

 private:
  engine::Net& net_;
  void* send_comm_ = nullptr;
  void* recv_comm_ = nullptr;
};

}  // namespace netsense::testing
