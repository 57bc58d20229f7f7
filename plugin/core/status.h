// Result codes. The numbers are NCCL's ncclResult_t, so that a Status crosses the C ABI unchanged.
#pragma once

#include <cstdint>

namespace netsense {

enum class [[nodiscard]] Status : int32_t{
    kOk = 0,           kUnhandledCudaError = 1, kSystemError = 2, kInternalError = 3, kInvalidArgument = 4,
    kInvalidUsage = 5, kRemoteError = 6,
};

}  // namespace netsense
