#include "tools/probe/schedule.h"

#include <algorithm>

namespace netsense::mesh {

std::vector<std::vector<Pair>> make_rounds(int ranks) {
  if (ranks < 2) return {};
  const int places = ranks + ranks % 2;  // an odd one out meets the empty place
  const int moving = places - 1;
  std::vector<std::vector<Pair>> rounds;
  for (int round = 0; round < moving; ++round) {
    std::vector<Pair> pairs;
    for (int i = 0; i < places / 2; ++i) {
      const int one = i == 0 ? moving : (round + i) % moving;
      const int other = (round + moving - i) % moving;
      if (std::max(one, other) < ranks) pairs.emplace_back(std::min(one, other), std::max(one, other));
    }
    rounds.push_back(std::move(pairs));
  }
  return rounds;
}

int partner_in(const std::vector<Pair>& round, int rank) {
  for (const auto& [low, high] : round) {
    if (low == rank) return high;
    if (high == rank) return low;
  }
  return -1;
}

}  // namespace netsense::mesh
