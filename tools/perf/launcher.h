// Starts ranks on this machine as child processes, and sees to it that all end when one fails.
#pragma once

#include <functional>

#include "tools/perf/membership.h"
#include "tools/perf/socket.h"

namespace netsense::perf {

// What one rank does; its result is the exit status. listener: rank 0's rendezvous port, bound already.
using RankBody = std::function<int(const Membership& membership, Socket listener)>;

// Returns 0 when every rank did, else the status of the first that failed (128 + signal when a signal ended
// it). After the first failure the others get a few seconds to end by themselves and to say what they saw,
// then they are stopped; the same when this process is told to stop. The caller must be single-threaded.
[[nodiscard]] int run_local_ranks(int ranks, const RankBody& body);

}  // namespace netsense::perf
