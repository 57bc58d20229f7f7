// The functions of libnccl.so.2 and of NVIDIA's driver that the benchmark calls, found at run time: the
// program itself needs neither to be installed. Declared in our own words; a test compares them with the real
// headers where these are there.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace netsense::perf {

// nccl.h
struct NcclUniqueId {
  char bytes[128];
};
using NcclComm = void*;  // ncclComm_t
// cuda.h
using CudaStream = void*;  // CUstream, the same as cudaStream_t
using CudaContext = void*;
using CudaDevice = int;
using CudaPointer = unsigned long long;  // CUdeviceptr

inline constexpr int kNcclSuccess = 0;
inline constexpr int kNcclInProgress = 7;
inline constexpr int kCudaSuccess = 0;
inline constexpr int kCudaNotReady = 600;
inline constexpr unsigned kCudaStreamNonBlocking = 1;

struct NcclFunctions {
  int (*get_version)(int* version);
  const char* (*get_error_string)(int result);
  const char* (*get_last_error)(NcclComm comm);
  int (*get_unique_id)(NcclUniqueId* id);
  int (*comm_init_rank)(NcclComm* comm, int ranks, NcclUniqueId id, int rank);
  int (*comm_destroy)(NcclComm comm);
  int (*comm_abort)(NcclComm comm);
  int (*comm_get_async_error)(NcclComm comm, int* error);
  int (*all_reduce)(const void* send, void* recv, size_t count, int type, int op, NcclComm comm,
                    CudaStream stream);
  int (*broadcast)(const void* send, void* recv, size_t count, int type, int root, NcclComm comm,
                   CudaStream stream);
  int (*reduce)(const void* send, void* recv, size_t count, int type, int op, int root, NcclComm comm,
                CudaStream stream);
  int (*all_gather)(const void* send, void* recv, size_t count, int type, NcclComm comm, CudaStream stream);
  int (*reduce_scatter)(const void* send, void* recv, size_t count, int type, int op, NcclComm comm,
                        CudaStream stream);
  int (*send)(const void* from, size_t count, int type, int peer, NcclComm comm, CudaStream stream);
  int (*recv)(void* to, size_t count, int type, int peer, NcclComm comm, CudaStream stream);
  int (*group_start)();
  int (*group_end)();
};

struct CudaFunctions {
  int (*init)(unsigned flags);
  int (*device_get_count)(int* count);
  int (*device_get)(CudaDevice* device, int ordinal);
  int (*device_get_name)(char* name, int length, CudaDevice device);
  int (*primary_context_retain)(CudaContext* context, CudaDevice device);
  int (*primary_context_release)(CudaDevice device);
  int (*context_set_current)(CudaContext context);
  int (*memory_allocate)(CudaPointer* pointer, size_t bytes);
  int (*memory_free)(CudaPointer pointer);
  int (*copy_to_device)(CudaPointer to, const void* from, size_t bytes);
  int (*copy_to_host)(void* to, CudaPointer from, size_t bytes);
  int (*stream_create)(CudaStream* stream, unsigned flags);
  int (*stream_destroy)(CudaStream stream);
  int (*stream_query)(CudaStream stream);
  int (*get_error_string)(int result, const char** text);
};

// Loaded and initialised, with at least one GPU there. Throws Error naming what is missing.
class NcclLibrary {
 public:
  NcclLibrary();

  [[nodiscard]] const NcclFunctions& nccl() const { return nccl_; }
  [[nodiscard]] const CudaFunctions& cuda() const { return cuda_; }
  [[nodiscard]] int gpus() const { return gpus_; }
  [[nodiscard]] int version() const { return version_; }  // as in nccl.h, for example 22809

 private:
  NcclFunctions nccl_{};
  CudaFunctions cuda_{};
  int gpus_ = 0;
  int version_ = 0;
};

}  // namespace netsense::perf
