// Names of element types: ours on the command line and in reports, and those of the file formats.
#pragma once

#include <optional>
#include <string_view>

#include "kernels/format.h"

namespace netsense::codec {

using kernels::DType;

// "bytes", "f32", "f16", "bf16", "f64", "f8_e4m3", "f8_e5m2".
std::string_view type_name(DType type);
std::optional<DType> type_of_name(std::string_view name);

// Bytes of an element; 1 for DType::kBytes.
size_t type_bytes(DType type);

}  // namespace netsense::codec
