// What carries out the collectives under test: the host engine or the real NCCL.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "tools/engine/ns_engine.h"
#include "tools/perf/collective.h"
#include "tools/perf/options.h"
#include "tools/perf/rendezvous.h"

namespace netsense::perf {

// One collective call of one rank.
struct Call {
  Collective collective = Collective::kAllReduce;
  const void* send = nullptr;
  void* recv = nullptr;
  size_t count = 0;  // elements, as nccl.h counts them for this collective
  ns_type type = ns_float32;
  ns_op op = ns_sum;
  int root = 0;
};

// Every member throws Error when the engine reports one.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  [[nodiscard]] virtual const char* name() const = 0;
  // What carries the data between ranks, for example "netsense v12".
  [[nodiscard]] virtual std::string net_name() const = 0;
  // Which device this rank's buffers are on, for example "host memory".
  [[nodiscard]] virtual std::string device_name() const = 0;

  [[nodiscard]] virtual void* allocate(size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  // Both wait for the copy.
  virtual void write(void* to, std::span<const std::byte> from) = 0;
  virtual void read(std::span<std::byte> to, const void* from) = 0;

  // Queues the call and returns.
  virtual void enqueue(const Call& call) = 0;
  // Waits for all queued calls.
  virtual void synchronize() = 0;
  // Leaves the communicator in the orderly way; collective.
  virtual void finish() = 0;
};

// Memory of a backend.
class Buffer {
 public:
  Buffer(Backend& backend, size_t bytes) : backend_(&backend), data_(backend.allocate(bytes)) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { backend_->release(data_); }
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  Backend* backend_;
  void* data_;
};

// Collective over the rendezvous: all ranks use the same engine. Throws Error saying what is missing when
// NCCL was asked for and cannot be used.
[[nodiscard]] std::unique_ptr<Backend> make_backend(EngineChoice choice, const Membership& membership,
                                                    Rendezvous& rendezvous);

[[nodiscard]] std::unique_ptr<Backend> make_host_backend(Rendezvous& rendezvous);
[[nodiscard]] std::unique_ptr<Backend> make_nccl_backend(const Membership& membership,
                                                         Rendezvous& rendezvous);
// Why NCCL cannot be used here; empty when it can.
[[nodiscard]] std::string nccl_obstacle();

}  // namespace netsense::perf
