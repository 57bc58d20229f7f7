// The place where a "device" thread and the proxy of the host engine meet: one connection's buffers and step
// counters, as NCCL's kernels and its net transport share them (ncclConnInfo, ncclConnFifo).
//
// Steps count chunks of buffer/kSteps bytes and only grow. Sending: the device writes step s into slot s %
// kSteps once head + kSteps > s, stores the byte count in the slot's fifo entry, and raises tail; the proxy
// sends it and raises head when the plugin says done. Receiving: the proxy raises tail when a step has
// arrived, the device consumes it and raises head. LL data carries its own flags: there the receiving device
// polls the buffer.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace netsense::engine {

inline constexpr int kSteps = 8;  // NCCL_STEPS

enum class Protocol : uint8_t { kLL = 0, kLL128 = 1, kSimple = 2 };  // NCCL_PROTO_*
inline constexpr int kProtocols = 3;

struct FifoSlot {
  std::atomic<int64_t> bytes{-1};   // -1: empty
  std::atomic<int64_t> offset{-1};  // shared (p2p) buffers: where in the pool this step's data lives
};

struct alignas(64) ConnectionFifo {
  std::array<std::byte*, kProtocols> buffers{};  // null where the connection has no such buffer
  std::array<size_t, kProtocols> buffer_bytes{};
  bool shared_pool = false;  // send/recv: slots' offset says where
  std::array<FifoSlot, kSteps> slots;
  alignas(64) std::atomic<uint64_t> head{0};
  alignas(64) std::atomic<uint64_t> tail{0};
  uint64_t step = 0;          // device-side running step, kept between operations
  std::atomic<int> abort{0};  // not 0: the device must give up
};

}  // namespace netsense::engine
