// A mesh in which every pair is alike.
#pragma once

#include <string>

#include "tools/probe/cell.h"

namespace netsense::mesh {

inline Mesh even_mesh(size_t ranks) {
  Mesh mesh;
  for (size_t rank = 0; rank < ranks; ++rank) {
    mesh.hosts.push_back({"host" + std::to_string(rank), "eth0", "10.0.0." + std::to_string(rank + 1)});
    mesh.cells.emplace_back(ranks);
    for (size_t to = 0; to < ranks; ++to) {
      if (to == rank) continue;
      Cell& cell = mesh.cells[rank][to];
      for (const Quantity& quantity : all_quantities())
        cell.*quantity.value = quantity.unit == Unit::kSeconds ? 100e-6 : 125e6;
    }
  }
  return mesh;
}

}  // namespace netsense::mesh
