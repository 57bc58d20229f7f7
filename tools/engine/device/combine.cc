#include "tools/engine/device/combine.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace netsense::engine {
namespace {

constexpr size_t kBlock = 8192;  // bytes, to stay in the first cache

void copy(const std::byte* source, std::span<std::byte* const> destinations, size_t bytes) {
  for (std::byte* destination : destinations) {
    if (destination != source && bytes > 0) std::memcpy(destination, source, bytes);
  }
}

}  // namespace

void combine(const Arithmetic& arithmetic, std::span<const std::byte* const> sources,
             std::span<std::byte* const> destinations, size_t count, bool pre, bool post) {
  pre = pre && arithmetic.pre != nullptr;
  post = post && arithmetic.post != nullptr;
  const size_t bytes = count * arithmetic.element;
  if (sources.size() == 1 && !pre && !post) {
    copy(sources[0], destinations, bytes);
    return;
  }
  alignas(64) std::array<std::byte, kBlock> block;
  for (size_t offset = 0; offset < bytes; offset += kBlock) {
    const size_t part = std::min(kBlock, bytes - offset);
    const size_t elements = part / arithmetic.element;
    std::memcpy(block.data(), sources[0] + offset, part);
    if (pre) arithmetic.pre(block.data(), elements, arithmetic.ranks);
    for (const std::byte* source : sources.subspan(1))
      arithmetic.reduce(block.data(), source + offset, elements);
    if (post) arithmetic.post(block.data(), elements, arithmetic.ranks);
    for (std::byte* destination : destinations) std::memcpy(destination + offset, block.data(), part);
  }
}

}  // namespace netsense::engine
