// What a transport (TCP, verbs, another plugin) offers to the core. Everything here follows NCCL's rules for
// network plugins: nothing blocks, a call that cannot be taken yet hands back a null object, and an error is
// final for the object that reported it.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "plugin/core/status.h"
#include "probe/sample.h"

namespace netsense::transport {

inline constexpr size_t kHandleSize = 128;              // NCCL_NET_HANDLE_MAXSIZE
inline constexpr size_t kMaxMessage = size_t{1} << 30;  // bytes in one isend or irecv

// NCCL_PTR_* values.
enum class MemoryType : int { kHost = 1, kCuda = 2, kDmaBuf = 4 };

struct DeviceInfo {
  std::string name;        // as shown in NCCL's log, for example "eth0"
  std::string pci_path;    // real path in /sys of the PCI function; empty for a virtual interface
  uint64_t guid = 0;       // equal for the functions of one card
  int memory_types = 1;    // bit mask of MemoryType
  int speed_mbps = 10000;  // line rate
  int port = 0;
  float latency_us = 0;
  int max_comms = 65536;
  int max_grouped_receives = 1;
};

// Memory that NCCL registered on a comm.
class Region;

// What NCCL has announced in setNetAttr of a communicator's traffic. NCCL says it when a collective begins
// and another than the last, not with every message, so it may be out of date.
struct Announced {
  std::atomic<bool> low_latency{false};  // LL or LL128 and nothing else
};

// What a message holds, as far as its sender knows.
enum class Content : uint8_t {
  kUnknown,  // NCCL's: perhaps LL or LL128
  kPlain,    // elements and nothing else: it may be compressed
  kCoded,    // compressed already
};

// What is known of one message besides its bytes.
struct MessageHints {
  int data_type = -1;        // ncclDataType_t; -1: unknown
  bool low_latency = false;  // NCCL has announced LL or LL128
  Content content = Content::kUnknown;
  bool more = false;  // the next message comes at once: this one may wait for it, and both go out together
};

// What a connection senses of its path; all 0 while unknown.
struct PathView {
  uint64_t delivered_bytes = 0;  // since it was made
  double rtprop_seconds = 0;
  probe::Time congested_at;  // when it was last seen to be the bottleneck
};

class Comm;

// Belongs to the process that made it: what a forked child inherits has neither its threads nor its
// descriptors, and can only be left alone.
class OfProcess {
 public:
  [[nodiscard]] bool is_inherited() const { return process_ != ::getpid(); }

 private:
  const pid_t process_ = ::getpid();
};

// An isend or irecv under way; lives until its comm's test() reports it done.
struct Request {
  Comm* owner = nullptr;
};

class Comm : public OfProcess {
 public:
  Comm() = default;
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;
  // Closes: ends in bounded time, whatever state the peer is in.
  virtual ~Comm() = default;
  virtual Status register_memory(void* data, size_t bytes, MemoryType type, Region** region) = 0;
  virtual Status deregister_memory(Region* region) = 0;
  // done: whether the request has finished (it is then freed). bytes: how many were sent or received.
  virtual Status test(Request* request, bool* done, size_t* bytes) = 0;
};

class SendComm : public Comm {
 public:
  // *request is null when the ring of requests is full.
  virtual Status isend(const void* data, size_t bytes, int tag, Region* region, const MessageHints& hints,
                       Request** request) = 0;
  // Any thread may ask.
  [[nodiscard]] virtual PathView path() const = 0;
  // Of the other end, for messages.
  [[nodiscard]] virtual const std::string& peer() const = 0;

  void follow(std::shared_ptr<const Announced> announced) { announced_ = std::move(announced); }
  [[nodiscard]] bool low_latency_announced() const {
    return announced_ != nullptr && announced_->low_latency.load(std::memory_order_relaxed);
  }

 private:
  std::shared_ptr<const Announced> announced_;  // null: NCCL announces nothing (before v11)
};

// How the receiver's memory is read.
enum class Reader : uint8_t {
  kUnknown,     // NCCL's: perhaps as LL or LL128
  kPollsFlags,  // as LL or LL128: flags inside the data must appear after the data they guard
  kWaits,       // when the request is done, and not before
};

class RecvComm : public Comm {
 public:
  // bytes is the room in data; the message may be smaller.
  virtual Status irecv(void* data, size_t bytes, int tag, Region* region, Reader reader,
                       Request** request) = 0;
  // Of the other end, for messages.
  [[nodiscard]] virtual const std::string& peer() const = 0;
};

class Listener : public OfProcess {
 public:
  Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  virtual ~Listener() = default;
  // *comm stays null until a peer has connected.
  virtual Status accept(std::unique_ptr<RecvComm>* comm) = 0;
};

using Handle = std::span<std::byte, kHandleSize>;

class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;
  [[nodiscard]] virtual const char* name() const = 0;
  // For the start-up line: the settings in force, for example "1 stream, no helper threads".
  [[nodiscard]] virtual std::string description() const = 0;
  // Fixed after construction.
  [[nodiscard]] virtual std::span<const DeviceInfo> devices() const = 0;
  virtual Status listen(int device, Handle handle, std::unique_ptr<Listener>* listener) = 0;
  // Called again with the same handle until *comm is set; the transport may keep its state in the handle.
  virtual Status connect(int device, Handle handle, std::unique_ptr<SendComm>* comm) = 0;
  // Gives up connections that connect() has begun: nobody will ask for them any more.
  virtual void drop_unfinished() = 0;
};

}  // namespace netsense::transport
