// Connections from each rank of a collective communicator to each other one.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plugin/collnet/lanes.h"
#include "plugin/core/devices.h"

namespace netsense::collnet {

// Inputs on their way to the ranks that sum them, and sums on their way to all, do not share a connection:
// inputs wait for the slowest rank, and what waits must not be in the way of a finished sum.
enum class Phase : uint8_t { kInputs = 0, kSums = 1 };
inline constexpr int kPhases = 2;

struct Peer {
  std::unique_ptr<SendLane> send[kPhases];
  std::unique_ptr<RecvLane> recv[kPhases];
};

struct Mesh {
  int rank = 0;
  std::vector<Peer> peers;  // by rank; that of the rank itself is empty
  [[nodiscard]] int ranks() const { return static_cast<int>(peers.size()); }
};

// What must be the same on all ranks, as a number: else they would wait for each other.
struct Agreement {
  uint32_t fingerprint = 0;
  std::string text;  // for the message that names a rank which differs
};

// Waits for all ranks, for at most `patience`. handles: by rank.
Status connect_mesh(const core::Device& device, std::span<void* const> handles, int rank,
                    transport::Listener& listener, const Agreement& agreement,
                    std::chrono::milliseconds patience, Mesh* mesh);

}  // namespace netsense::collnet
