// What stands out in a measurement, in words.
#pragma once

#include <string>
#include <vector>

#include "tools/probe/cell.h"

namespace netsense::mesh {

// One sentence each, the hosts as a whole first:
//   a rank towards or from which every pair carries less than half of the median of all pairs
//   a pair that does (unless its rank was named)
//   a pair that carries less than half of its way back
//   a pair whose idle round trip is 3 times the median of all, and 50 us above it
//   a pair whose round trip grows tenfold, and by 5 ms or more, under its own load
// With fewer than three ranks nothing is compared with a median. Empty: nothing stands out.
[[nodiscard]] std::vector<std::string> find_peculiarities(const Mesh& mesh);

}  // namespace netsense::mesh
