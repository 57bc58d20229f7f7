#include "tools/codec/types.h"

#include <array>

namespace netsense::codec {
namespace {

constexpr std::array<std::string_view, kernels::kDTypes> kNames{"bytes", "f32",     "f16",    "bf16",
                                                                "f64",   "f8_e4m3", "f8_e5m2"};

}  // namespace

std::string_view type_name(DType type) {
  return kNames[static_cast<size_t>(type)];
}

std::optional<DType> type_of_name(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

size_t type_bytes(DType type) {
  return kernels::float_layout(type).bytes;
}

}  // namespace netsense::codec
