#include "tools/perf/nccl_library.h"

#include <dlfcn.h>

#include "tools/perf/error.h"

namespace netsense::perf {
namespace {

// Never closed again: both keep threads and exit handlers of their own.
void* open_library(const char* name, const char* advice) {
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error("{}: {}", dlerror(), advice);
  return library;
}

template <typename Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) throw Error("{}: it is too old for this benchmark", dlerror());
}

CudaFunctions load_cuda() {
  void* library = open_library("libcuda.so.1", "no NVIDIA driver is installed here; use --engine host");
  CudaFunctions cuda{};
  find(library, "cuInit", cuda.init);
  find(library, "cuDeviceGetCount", cuda.device_get_count);
  find(library, "cuDeviceGet", cuda.device_get);
  find(library, "cuDeviceGetName", cuda.device_get_name);
  find(library, "cuDevicePrimaryCtxRetain", cuda.primary_context_retain);
  find(library, "cuDevicePrimaryCtxRelease_v2", cuda.primary_context_release);
  find(library, "cuCtxSetCurrent", cuda.context_set_current);
  find(library, "cuMemAlloc_v2", cuda.memory_allocate);
  find(library, "cuMemFree_v2", cuda.memory_free);
  find(library, "cuMemcpyHtoD_v2", cuda.copy_to_device);
  find(library, "cuMemcpyDtoH_v2", cuda.copy_to_host);
  find(library, "cuStreamCreate", cuda.stream_create);
  find(library, "cuStreamDestroy_v2", cuda.stream_destroy);
  find(library, "cuStreamQuery", cuda.stream_query);
  find(library, "cuGetErrorString", cuda.get_error_string);
  return cuda;
}

NcclFunctions load_nccl() {
  void* library = open_library(
      "libnccl.so.2",
      "NCCL is not on the loader's path; put its folder into LD_LIBRARY_PATH, or use --engine host");
  NcclFunctions nccl{};
  find(library, "ncclGetVersion", nccl.get_version);
  find(library, "ncclGetErrorString", nccl.get_error_string);
  find(library, "ncclGetLastError", nccl.get_last_error);
  find(library, "ncclGetUniqueId", nccl.get_unique_id);
  find(library, "ncclCommInitRank", nccl.comm_init_rank);
  find(library, "ncclCommDestroy", nccl.comm_destroy);
  find(library, "ncclCommAbort", nccl.comm_abort);
  find(library, "ncclCommGetAsyncError", nccl.comm_get_async_error);
  find(library, "ncclAllReduce", nccl.all_reduce);
  find(library, "ncclBroadcast", nccl.broadcast);
  find(library, "ncclReduce", nccl.reduce);
  find(library, "ncclAllGather", nccl.all_gather);
  find(library, "ncclReduceScatter", nccl.reduce_scatter);
  find(library, "ncclSend", nccl.send);
  find(library, "ncclRecv", nccl.recv);
  find(library, "ncclGroupStart", nccl.group_start);
  find(library, "ncclGroupEnd", nccl.group_end);
  return nccl;
}

std::string cuda_text(const CudaFunctions& cuda, int result) {
  const char* text = nullptr;
  if (cuda.get_error_string(result, &text) != kCudaSuccess || text == nullptr)
    return fmt::format("error {}", result);
  return text;
}

}  // namespace

NcclLibrary::NcclLibrary() : cuda_(load_cuda()) {
  int result = cuda_.init(0);
  if (result == kCudaSuccess) result = cuda_.device_get_count(&gpus_);
  if (result != kCudaSuccess) {
    throw Error("the NVIDIA driver finds no usable GPU ({}); use --engine host", cuda_text(cuda_, result));
  }
  if (gpus_ == 0) throw Error("the NVIDIA driver lists no GPU (see CUDA_VISIBLE_DEVICES); use --engine host");
  nccl_ = load_nccl();
  if (nccl_.get_version(&version_) != kNcclSuccess) throw Error("libnccl.so.2 does not tell its version");
}

}  // namespace netsense::perf
