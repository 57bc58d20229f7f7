// One call of NCCL's device primitives, such as recvReduceCopySend, as data: what a channel does for one
// chunk.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "tools/engine/plan/plan.h"

namespace netsense::engine {

enum class Source : uint8_t { kNone, kInput, kOutput };

struct Call {
  Source source = Source::kNone;  // the user's buffer that is reduced with, or sent
  size_t source_offset = 0;       // elements
  bool recv = false;
  bool send = false;
  bool store = false;       // the result goes to the user's output
  size_t store_offset = 0;  // elements
  size_t count = 0;         // elements
  bool final = false;       // the result is the reduction over all ranks
};

// The calls that some threads of a kernel make one after the other, to the same peers.
class Program {
 public:
  virtual ~Program() = default;
  // False at the end.
  virtual bool next(Call& call) = 0;
};

struct Peers {
  std::vector<int> recv;
  std::vector<int> send;
  int index = 0;  // which of the connections to a peer
};

struct ProgramWithPeers {
  std::unique_ptr<Program> program;
  Peers peers;
};

// The programs, to be run at the same time, that do one channel's work. None when it is a mere copy on this
// rank.
std::vector<ProgramWithPeers> programs_for(const CommShape& shape, int channel, const CollWork& work);

}  // namespace netsense::engine
