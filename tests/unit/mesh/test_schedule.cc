#include <set>

#include "tests/catch.h"
#include "tools/probe/schedule.h"

using namespace netsense::mesh;

TEST_CASE("every two ranks meet exactly once, and nobody has two partners in a round") {
  for (int ranks = 1; ranks <= 33; ++ranks) {
    INFO(ranks << " ranks");
    std::set<Pair> met;
    const auto rounds = make_rounds(ranks);
    for (const auto& round : rounds) {
      std::set<int> busy;
      for (const Pair& pair : round) {
        CHECK((0 <= pair.first && pair.first < pair.second && pair.second < ranks));
        CHECK(busy.insert(pair.first).second);
        CHECK(busy.insert(pair.second).second);
        CHECK(met.insert(pair).second);
      }
    }
    CHECK(met.size() == static_cast<size_t>(ranks * (ranks - 1) / 2));
    // No schedule is shorter.
    const int fewest = ranks < 2 ? 0 : ranks - 1 + ranks % 2;
    CHECK(rounds.size() == static_cast<size_t>(fewest));
  }
}

TEST_CASE("partners are mutual, and an odd one out pauses") {
  for (const auto& round : make_rounds(5)) {
    int pauses = 0;
    for (int rank = 0; rank < 5; ++rank) {
      const int partner = partner_in(round, rank);
      if (partner < 0) {
        ++pauses;
      } else {
        CHECK(partner_in(round, partner) == rank);
      }
    }
    CHECK(pauses == 1);
  }
}
