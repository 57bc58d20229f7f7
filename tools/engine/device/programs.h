// Programs of the algorithms; programs_for puts them together.
#pragma once

#include <memory>

#include "tools/engine/device/call.h"

namespace netsense::engine {

std::unique_ptr<Program> ring_all_reduce(const Ring& ring, int ranks, const CollWork& work);
std::unique_ptr<Program> ring_all_gather(const Ring& ring, int ranks, const CollWork& work);
std::unique_ptr<Program> ring_reduce_scatter(const Ring& ring, int ranks, const CollWork& work);

// The same call for chunk after chunk, at the same offset of input and output.
struct Repeat {
  Call call;
  size_t begin = 0;   // elements
  size_t end = 0;     // elements; calls that begin behind it are made with nothing
  size_t chunk = 0;   // elements
  size_t stride = 0;  // elements from one call to the next
  size_t calls = 0;
};
std::unique_ptr<Program> repeat(const Repeat& repeat);

}  // namespace netsense::engine
