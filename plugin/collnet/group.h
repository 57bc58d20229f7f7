// What the steps of an exchange share. Everything here belongs to the comm's own thread.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "plugin/collnet/call.h"
#include "plugin/collnet/lossy_coder.h"
#include "plugin/collnet/mesh.h"

namespace netsense::collnet {

// Where a step is: calls are taken in their order, the pieces of a call too.
struct Cursor {
  uint64_t call = 0;
  size_t piece = 0;
  void next_call() {
    ++call;
    piece = 0;
  }
};

class Group {
 public:
  Group(Mesh mesh, CallRing& calls, LossyCoder& coder)
      : mesh_(std::move(mesh)), calls_(calls), coder_(coder) {}

  [[nodiscard]] int rank() const { return mesh_.rank; }
  [[nodiscard]] int ranks() const { return mesh_.ranks(); }
  LossyCoder& coder() { return coder_; }
  Call& call(uint64_t number) { return calls_[number]; }
  // Calls that have been taken over from NCCL's thread.
  [[nodiscard]] uint64_t begun() const { return begun_; }
  [[nodiscard]] uint64_t ended() const { return ended_; }

  SendLane& send(int rank, Phase phase) {
    return *mesh_.peers[static_cast<size_t>(rank)].send[static_cast<int>(phase)];
  }
  RecvLane& recv(int rank, Phase phase) {
    return *mesh_.peers[static_cast<size_t>(rank)].recv[static_cast<int>(phase)];
  }

  void begin(Call& call);
  // One of the call's steps is complete.
  void end_step(Call& call);
  // The call has one step more: a lane sends from its memory, and names it by the token.
  static uint64_t token_of(Call& call) {
    ++call.open_steps;
    return call.number + 1;
  }
  static uint64_t call_of(uint64_t token) { return token - 1; }

  // Cuts all connections, so that no rank waits for this one any more. The last thing that is done.
  void hang_up() { mesh_.peers.clear(); }

  // The next part of a lane if it is there and is the one wanted; *part stays null when it is not there yet.
  Status next_part(int rank, Phase phase, const Call& call, size_t piece, size_t elements, const Part** part);

  // Coded inputs of this rank to calls that take one trip: the others add them as they decode, and so must
  // it.
  std::deque<std::vector<std::byte>>& own_inputs() { return own_inputs_; }

 private:
  Mesh mesh_;
  CallRing& calls_;
  LossyCoder& coder_;
  uint64_t begun_ = 0;
  uint64_t ended_ = 0;
  std::deque<std::vector<std::byte>> own_inputs_;
};

}  // namespace netsense::collnet
