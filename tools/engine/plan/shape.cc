#include "tools/engine/plan/shape.h"

#include <algorithm>

#include "tools/engine/plan/arithmetic.h"

namespace netsense::engine {
namespace {

constexpr int kDefaultChannels = 2;  // one that the search finds, doubled for the two trees
constexpr int kMaxChannels = 64;

struct BinaryTree {
  int up = kNoPeer;
  int down0 = kNoPeer;
  int down1 = kNoPeer;
};

// Inner nodes have even numbers, leaves odd ones; rank 0 is the root and has one child.
BinaryTree binary_tree(int ranks, int rank) {
  int bit = 1;
  while (bit < ranks && (bit & rank) == 0) bit <<= 1;
  if (rank == 0) return {kNoPeer, kNoPeer, ranks > 1 ? bit >> 1 : kNoPeer};
  BinaryTree tree;
  tree.up = (rank ^ bit) | (bit << 1);
  if (tree.up >= ranks) tree.up = rank ^ bit;
  int low = bit >> 1;
  if (low == 0) return tree;
  tree.down0 = rank - low;
  while (low > 0 && rank + low >= ranks) low >>= 1;
  tree.down1 = low > 0 ? rank + low : kNoPeer;
  return tree;
}

// The other of the two trees: leaves of the first are inner nodes here. Mirrored for an even number of ranks,
// shifted by one for an odd one.
BinaryTree second_tree(int ranks, int rank) {
  const bool mirror = ranks % 2 == 0;
  BinaryTree tree = binary_tree(ranks, mirror ? ranks - 1 - rank : (rank - 1 + ranks) % ranks);
  for (int* peer : {&tree.up, &tree.down0, &tree.down1}) {
    if (*peer != kNoPeer) *peer = mirror ? ranks - 1 - *peer : (*peer + 1) % ranks;
  }
  return tree;
}

Tree as_channel_tree(const BinaryTree& binary) {
  Tree tree;
  tree.up = binary.up;
  size_t used = 0;
  for (const int child : {binary.down0, binary.down1}) {
    if (child != kNoPeer) tree.down[used++] = child;
  }
  return tree;
}

Ring rank_order_ring(int ranks, int rank) {
  Ring ring;
  ring.prev = (rank - 1 + ranks) % ranks;
  ring.next = (rank + 1) % ranks;
  ring.index = rank;
  for (int i = 0; i < ranks; ++i) ring.user_ranks.push_back((rank + i) % ranks);
  return ring;
}

// In round x ranks are (x*x + x)/2 apart, modulo a power of two so that every distance comes up once.
std::vector<P2pRound> p2p_rounds(int ranks, int rank) {
  std::vector<P2pRound> rounds;
  const int modulus = pow2_up(ranks);
  int delta = 0;
  for (int x = 1; x <= modulus; ++x) {
    if (delta < ranks) rounds.push_back({(rank + delta) % ranks, (rank - delta + ranks) % ranks});
    delta = (delta + x) & (modulus - 1);
  }
  return rounds;
}

int default_channels_per_peer(int ranks, int p2p_channels) {
  int channels = 2;
  while (channels * ranks > p2p_channels * 4 && channels > 1) channels /= 2;
  return channels;
}

int reverse_bits(int value, int bits) {
  int reversed = 0;
  for (int i = 0; i < bits; ++i) reversed |= ((value >> i) & 1) << (bits - 1 - i);
  return reversed;
}

}  // namespace

CommShape make_shape(int ranks, int rank, const ChannelLimits& limits) {
  CommShape shape;
  shape.ranks = ranks;
  shape.rank = rank;
  int channels = kDefaultChannels;
  if (limits.max_channels > 0) channels = std::min(channels, limits.max_channels);
  const int distinct = channels;
  channels = std::clamp(limits.min_channels, channels, kMaxChannels);
  for (int c = 0; c < channels; ++c) {
    ChannelShape channel;
    channel.ring = rank_order_ring(ranks, rank);
    const bool second = c % distinct == 1;
    channel.tree = as_channel_tree(second ? second_tree(ranks, rank) : binary_tree(ranks, rank));
    channel.collnet_chain.up = ranks;
    shape.channels.push_back(channel);
  }

  const int p2p_channels = std::max(std::min(channels, limits.max_p2p_channels), limits.min_p2p_channels);
  const int wanted = limits.p2p_channels_per_peer > 0 ? limits.p2p_channels_per_peer
                                                      : default_channels_per_peer(ranks, p2p_channels);
  shape.p2p_channels = std::min(pow2_up(p2p_channels), kMaxChannels);
  shape.p2p_channels_per_peer = std::min(pow2_up(std::min(p2p_channels, wanted)), shape.p2p_channels);
  shape.p2p_rounds = p2p_rounds(ranks, rank);
  return shape;
}

int p2p_channel_for_part(const CommShape& shape, int round, int part) {
  // Groups of the schedule are single ranks here, so each round starts at a channel of its own.
  const int base = reverse_bits(round & 0xff, log2_down(static_cast<size_t>(shape.p2p_channels)));
  return (base + part) & (shape.p2p_channels - 1);
}

}  // namespace netsense::engine
