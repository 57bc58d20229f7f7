// Which of NCCL's algorithms a collective is to take. All ranks must choose alike or the job hangs, so this
// is a pure function of settings (which ranks compare when they connect) and of arguments that are equal on
// all ranks, and of nothing that a rank measures.
#pragma once

#include <cstddef>
#include <span>

#include "plugin/config/settings.h"

namespace netsense::collnet {

// NCCL_ALGO_* and NCCL_PROTO_*, the same in every version of the tuner's interface.
inline constexpr int kCollNetDirect = 2;
inline constexpr int kCollNetChain = 3;
inline constexpr int kProtoSimple = 2;
// An entry of NCCL's cost table that may not be chosen.
inline constexpr float kIgnored = -1;

// Whether the user wants such a collective to be rounded where the network asks for it. function: ncclFunc_t.
bool opted_in(const config::Settings& settings, int function, size_t bytes);

// costs: microseconds by algorithm and protocol, kIgnored entries stay so. What is opted in goes by CollNet
// where NCCL offers it; all else goes another way where there is one: NCCL takes a CollNet for a network that
// sums by itself, and expects more of it than ours can give.
void steer(bool opted_in, std::span<float> costs, int algorithms, int protocols);

}  // namespace netsense::collnet
