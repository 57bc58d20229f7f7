// Which collective a call of a collective network belongs to. NCCL does not say it with the call. But its
// profiler events tell of every operation when the thread that moves its data takes it over, and that thread
// then makes the calls of one operation after the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace netsense::core {

// Of one communicator, on one thread.
class CollOperations {
 public:
  // An event: one channel of an operation has been taken over, for sending or for receiving. steps: of that
  // channel.
  void add(uint32_t collective, uint8_t channel, uint32_t steps);

  struct Place {
    uint32_t collective = 0;  // 0: not known
    uint32_t index = 0;       // of the call within it
  };
  // For the next call.
  Place next();

 private:
  // NCCL makes one call per step for so many channels (COLLNET_GROUP_NSUBS).
  static constexpr uint32_t kChannelsPerCall = 8;
  static constexpr size_t kCapacity = 64;

  // Each channel is announced twice: for sending and for receiving. That is how one operation ends and the
  // next begins when both are the same collective.
  struct Operation {
    uint32_t collective = 0;
    uint32_t steps = 0;
    uint32_t announced = 0;
    uint32_t first_channel_announced = 0;
    uint32_t calls = 0;
    uint8_t first_channel = 0;
    [[nodiscard]] uint32_t expected_calls() const {
      const uint32_t channels = (announced + 1) / 2;
      return steps * ((channels + kChannelsPerCall - 1) / kChannelsPerCall);
    }
  };

  Operation& at(uint64_t number) { return ring_[number % kCapacity]; }

  std::array<Operation, kCapacity> ring_{};
  uint64_t begun_ = 0;
  uint64_t ended_ = 0;
};

// Those of the calling thread, by NCCL's number of the communicator. When a thread serves too many, those not
// used for the longest time are forgotten.
CollOperations& operations_of(uint64_t comm_id);
// Where the calls do not tell their communicator (CollNet before v11): those of the only one that the thread
// has served. Null when there is none or there are several.
CollOperations* only_operations();

}  // namespace netsense::core
