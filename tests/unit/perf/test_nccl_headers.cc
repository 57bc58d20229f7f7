// The benchmark declares NCCL's and CUDA's functions itself. Here each is compared with the real headers:
// same number of arguments, and for each of them and the result the same size and the same kind (pointer or
// number).
#include <cuda.h>
#include <nccl.h>

#include <type_traits>

#include "tests/catch.h"
#include "tools/engine/ns_engine.h"
#include "tools/perf/nccl_library.h"

namespace netsense::perf {
namespace {

template <typename Ours, typename Real>
constexpr bool kSamePassing =
    sizeof(Ours) == sizeof(Real) &&
    std::is_pointer_v<Ours> == std::is_pointer_v<Real>&& std::is_class_v<Ours> == std::is_class_v<Real>;

template <typename Ours, typename Real>
struct SameCall : std::false_type {};
template <typename R1, typename... A1, typename R2, typename... A2>
requires(sizeof...(A1) == sizeof...(A2)) struct SameCall<R1 (*)(A1...), R2(A2...)>
    : std::bool_constant<kSamePassing<R1, R2> && (kSamePassing<A1, A2> && ...)> {
};

template <typename Ours, typename Real>
constexpr bool kSame = SameCall<Ours, Real>::value;

using Nccl = NcclFunctions;
static_assert(kSame<decltype(Nccl::get_version), decltype(ncclGetVersion)>);
static_assert(kSame<decltype(Nccl::get_error_string), decltype(ncclGetErrorString)>);
static_assert(kSame<decltype(Nccl::get_last_error), decltype(ncclGetLastError)>);
static_assert(kSame<decltype(Nccl::get_unique_id), decltype(ncclGetUniqueId)>);
static_assert(kSame<decltype(Nccl::comm_init_rank), decltype(ncclCommInitRank)>);
static_assert(kSame<decltype(Nccl::comm_destroy), decltype(ncclCommDestroy)>);
static_assert(kSame<decltype(Nccl::comm_abort), decltype(ncclCommAbort)>);
static_assert(kSame<decltype(Nccl::comm_get_async_error), decltype(ncclCommGetAsyncError)>);
static_assert(kSame<decltype(Nccl::all_reduce), decltype(ncclAllReduce)>);
static_assert(kSame<decltype(Nccl::broadcast), decltype(ncclBroadcast)>);
static_assert(kSame<decltype(Nccl::reduce), decltype(ncclReduce)>);
static_assert(kSame<decltype(Nccl::all_gather), decltype(ncclAllGather)>);
static_assert(kSame<decltype(Nccl::reduce_scatter), decltype(ncclReduceScatter)>);
static_assert(kSame<decltype(Nccl::send), decltype(ncclSend)>);
static_assert(kSame<decltype(Nccl::recv), decltype(ncclRecv)>);
static_assert(kSame<decltype(Nccl::group_start), decltype(ncclGroupStart)>);
static_assert(kSame<decltype(Nccl::group_end), decltype(ncclGroupEnd)>);

using Cuda = CudaFunctions;
static_assert(kSame<decltype(Cuda::init), decltype(cuInit)>);
static_assert(kSame<decltype(Cuda::device_get_count), decltype(cuDeviceGetCount)>);
static_assert(kSame<decltype(Cuda::device_get), decltype(cuDeviceGet)>);
static_assert(kSame<decltype(Cuda::device_get_name), decltype(cuDeviceGetName)>);
static_assert(kSame<decltype(Cuda::primary_context_retain), decltype(cuDevicePrimaryCtxRetain)>);
static_assert(kSame<decltype(Cuda::primary_context_release), decltype(cuDevicePrimaryCtxRelease)>);
static_assert(kSame<decltype(Cuda::context_set_current), decltype(cuCtxSetCurrent)>);
static_assert(kSame<decltype(Cuda::memory_allocate), decltype(cuMemAlloc)>);
static_assert(kSame<decltype(Cuda::memory_free), decltype(cuMemFree)>);
static_assert(kSame<decltype(Cuda::copy_to_device), decltype(cuMemcpyHtoD)>);
static_assert(kSame<decltype(Cuda::copy_to_host), decltype(cuMemcpyDtoH)>);
static_assert(kSame<decltype(Cuda::stream_create), decltype(cuStreamCreate)>);
static_assert(kSame<decltype(Cuda::stream_destroy), decltype(cuStreamDestroy)>);
static_assert(kSame<decltype(Cuda::stream_query), decltype(cuStreamQuery)>);
static_assert(kSame<decltype(Cuda::get_error_string), decltype(cuGetErrorString)>);

}  // namespace

TEST_CASE("the numbers passed to NCCL and CUDA are those of their headers") {
  CHECK(kNcclSuccess == ncclSuccess);
  CHECK(kNcclInProgress == ncclInProgress);
  CHECK(kCudaSuccess == CUDA_SUCCESS);
  CHECK(kCudaNotReady == CUDA_ERROR_NOT_READY);
  CHECK(kCudaStreamNonBlocking == CU_STREAM_NON_BLOCKING);
  CHECK(static_cast<int>(ns_int8) == ncclInt8);
  CHECK(static_cast<int>(ns_float16) == ncclFloat16);
  CHECK(static_cast<int>(ns_float32) == ncclFloat32);
  CHECK(static_cast<int>(ns_float64) == ncclFloat64);
  CHECK(static_cast<int>(ns_uint64) == ncclUint64);
  CHECK(static_cast<int>(ns_bfloat16) == ncclBfloat16);
  CHECK(static_cast<int>(ns_float8_e4m3) == ncclFloat8e4m3);
  CHECK(static_cast<int>(ns_float8_e5m2) == ncclFloat8e5m2);
  CHECK(static_cast<int>(ns_sum) == ncclSum);
  CHECK(static_cast<int>(ns_prod) == ncclProd);
  CHECK(static_cast<int>(ns_max) == ncclMax);
  CHECK(static_cast<int>(ns_min) == ncclMin);
  CHECK(static_cast<int>(ns_avg) == ncclAvg);
}

}  // namespace netsense::perf
