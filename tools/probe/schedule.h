// Who measures with whom at which time.
#pragma once

#include <utility>
#include <vector>

namespace netsense::mesh {

using Pair = std::pair<int, int>;  // the lower rank first

// Rounds of a round-robin tournament (the circle method: one place stays, the others move on by one each
// round): every two ranks meet once, and in a round nobody belongs to two pairs, so that no pair disturbs
// another at its hosts. ranks - 1 rounds; one more for an odd number, where each rank pauses once.
[[nodiscard]] std::vector<std::vector<Pair>> make_rounds(int ranks);

// The rank's partner in the round; -1 when it pauses.
[[nodiscard]] int partner_in(const std::vector<Pair>& round, int rank);

}  // namespace netsense::mesh
