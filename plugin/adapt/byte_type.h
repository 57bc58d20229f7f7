// What a message holds, from a look at its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/format.h"

namespace netsense::adapt {

// The type under which the codecs would make the message smallest, by the bound of docs/codecs.md (entropy of
// the exponents, and sign and mantissa of what is not zero) on about a thousand elements from all over it;
// kBytes where none saves a few percent. Any answer is safe: a wrong one only costs size. Allocates nothing;
// takes some ten microseconds.
kernels::DType guess_type(const void* data, size_t bytes);

// The codecs' name for a type of NCCL's (ncclDataType_t); nothing for integers and what is not known, whose
// bytes may be anything: frameworks send floats as integers too.
std::optional<kernels::DType> type_of(int nccl_type);

// Whether the first lines look like NCCL's LL protocol: 4 bytes of data and a 4-byte flag in turn, all flags
// alike. A second line of defence behind the buffers' sizes.
bool looks_like_ll(const void* data, size_t bytes);

}  // namespace netsense::adapt
