// Rings, trees and rounds, against the connections that NCCL 2.28.9 made in recorded runs, and by their own
// laws.
#include <set>

#include "tests/catch.h"
#include "tools/engine/plan/shape.h"

using namespace netsense::engine;

TEST_CASE("two ranks: both channels have the other rank as parent or child") {
  const CommShape root = make_shape(2, 0);
  REQUIRE(root.channels.size() == 2);
  CHECK(root.channels[0].tree.up == kNoPeer);
  CHECK(root.channels[0].tree.down[0] == 1);
  CHECK(root.channels[1].tree.up == 1);
  CHECK(root.channels[1].tree.down[0] == kNoPeer);
}

TEST_CASE("four ranks: the trees of the recorded runs") {
  const CommShape two = make_shape(4, 2);
  CHECK(two.channels[0].tree.up == 0);
  CHECK(two.channels[0].tree.down == std::array<int, kTreeArity>{1, 3, kNoPeer});
  CHECK(two.channels[1].tree.up == 1);
  CHECK(two.channels[1].tree.down[0] == kNoPeer);
}

TEST_CASE("trees: one root, every edge seen from both ends, leaves of one are inner nodes of the other") {
  for (int ranks = 2; ranks <= 17; ++ranks) {
    for (size_t channel = 0; channel < 2; ++channel) {
      int roots = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const CommShape shape = make_shape(ranks, rank);
        const Tree& tree = shape.channels[channel].tree;
        if (tree.up == kNoPeer) ++roots;
        for (const int child : tree.down) {
          if (child != kNoPeer) CHECK(make_shape(ranks, child).channels[channel].tree.up == rank);
        }
        if (tree.up != kNoPeer) {
          const Tree parent = make_shape(ranks, tree.up).channels[channel].tree;
          CHECK(std::set<int>(parent.down.begin(), parent.down.end()).count(rank) == 1);
        }
      }
      CHECK(roots == 1);
    }
  }
}

TEST_CASE("channel limits") {
  CHECK(make_shape(2, 0, {4, 4}).channels.size() == 4);
  CHECK(make_shape(2, 0, {4, 4}).channels[3].tree.up == make_shape(2, 0).channels[1].tree.up);
  CHECK(make_shape(2, 0, {0, 1}).channels.size() == 1);
}

TEST_CASE("send/recv: every peer once, rounds of two ranks meet") {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    std::vector<CommShape> shapes;
    shapes.reserve(static_cast<size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) shapes.push_back(make_shape(ranks, rank));
    for (int rank = 0; rank < ranks; ++rank) {
      const auto& rounds = shapes[static_cast<size_t>(rank)].p2p_rounds;
      REQUIRE(static_cast<int>(rounds.size()) == ranks);
      CHECK(rounds[0].send_rank == rank);
      std::set<int> seen;
      for (size_t round = 0; round < rounds.size(); ++round) {
        seen.insert(rounds[round].send_rank);
        CHECK(shapes[static_cast<size_t>(rounds[round].send_rank)].p2p_rounds[round].recv_rank == rank);
      }
      CHECK(static_cast<int>(seen.size()) == ranks);
    }
  }
}

TEST_CASE("send/recv: channels as in the recorded runs") {
  const CommShape shape = make_shape(4, 0);
  CHECK(shape.p2p_channels == 2);
  CHECK(shape.p2p_channels_per_peer == 2);
  CHECK(p2p_channel_for_part(shape, 1, 0) == 1);
  CHECK(p2p_channel_for_part(shape, 1, 1) == 0);
  CHECK(make_shape(8, 0).p2p_channels_per_peer == 1);
}
