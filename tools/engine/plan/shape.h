// How ranks are joined: per channel a ring, a double binary tree and a CollNet chain, and for send/recv the
// rounds in which ranks meet. One rank per node, so every edge is a network connection.
#pragma once

#include <array>
#include <vector>

namespace netsense::engine {

inline constexpr int kNoPeer = -1;
inline constexpr int kTreeArity = 3;  // NCCL_MAX_TREE_ARITY

struct Ring {
  int prev = 0;
  int next = 0;
  int index = 0;                // this rank's place when rank 0 is at place 0
  std::vector<int> user_ranks;  // ranks in ring order, this rank first
};

struct Tree {
  int up = kNoPeer;  // for a CollNet chain: the number of ranks, which stands for the network
  std::array<int, kTreeArity> down{kNoPeer, kNoPeer, kNoPeer};  // filled from the front
};

struct ChannelShape {
  Ring ring;
  Tree tree;
  Tree collnet_chain;
};

struct P2pRound {
  int send_rank = 0;
  int recv_rank = 0;
};

struct CommShape {
  int ranks = 1;
  int rank = 0;
  std::vector<ChannelShape> channels;  // for collectives; send/recv may use more channels than these
  int p2p_channels = 1;                // a power of two
  int p2p_channels_per_peer = 1;       // a power of two
  std::vector<P2pRound> p2p_rounds;    // round 0 is this rank itself
};

struct ChannelLimits {
  int min_channels = 0;           // NCCL_MIN_NCHANNELS, 0: no limit
  int max_channels = 0;           // NCCL_MAX_NCHANNELS, 0: no limit
  int min_p2p_channels = 1;       // NCCL_MIN_P2P_NCHANNELS
  int max_p2p_channels = 64;      // NCCL_MAX_P2P_NCHANNELS
  int p2p_channels_per_peer = 0;  // NCCL_NCHANNELS_PER_NET_PEER, 0: as NCCL chooses
};

// The shape NCCL gives to `ranks` nodes of one GPU each: rings in rank order, two channels by default.
CommShape make_shape(int ranks, int rank, const ChannelLimits& limits = {});

// The channels, first part first, that carry a send/recv in the given round.
int p2p_channel_for_part(const CommShape& shape, int round, int part);

}  // namespace netsense::engine
