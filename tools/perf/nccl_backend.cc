// Collectives by the real NCCL on GPUs.
#include <bit>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tools/perf/backend.h"
#include "tools/perf/error.h"
#include "tools/perf/nccl_library.h"
#include "tools/perf/numeric.h"

namespace netsense::perf {
namespace {

CudaPointer device_pointer(const void* memory) {
  return reinterpret_cast<CudaPointer>(memory);
}

// This rank's GPU: its primary context made current, and a stream.
class Gpu {
 public:
  Gpu(const CudaFunctions& cuda, int ordinal) : cuda_(&cuda) {
    check(cuda.device_get(&device_, ordinal), "cuDeviceGet");
    check(cuda.primary_context_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
    check(cuda.context_set_current(context_), "cuCtxSetCurrent");
    check(cuda.stream_create(&stream_, kCudaStreamNonBlocking), "cuStreamCreate");
  }
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  ~Gpu() {
    if (stream_ != nullptr) cuda_->stream_destroy(stream_);
    if (context_ != nullptr) cuda_->primary_context_release(device_);
  }

  void check(int result, const char* doing) const {
    if (result == kCudaSuccess) return;
    const char* text = nullptr;
    cuda_->get_error_string(result, &text);
    throw Error("{}: {}", doing, text == nullptr ? "unknown CUDA error" : text);
  }
  [[nodiscard]] const CudaFunctions& cuda() const { return *cuda_; }
  [[nodiscard]] CudaStream stream() const { return stream_; }
  [[nodiscard]] std::string name() const {
    char name[256] = "GPU";
    check(cuda_->device_get_name(name, sizeof name, device_), "cuDeviceGetName");
    return fmt::format("GPU {} {}", device_, name);
  }

 private:
  const CudaFunctions* cuda_;
  CudaDevice device_ = 0;
  CudaContext context_ = nullptr;
  CudaStream stream_ = nullptr;
};

class NcclBackend final : public Backend {
 public:
  NcclBackend(std::unique_ptr<NcclLibrary> library, int local_rank, Rendezvous& rendezvous)
      : library_(std::move(library)),
        nccl_(library_->nccl()),
        gpu_(library_->cuda(), local_rank % library_->gpus()),
        ranks_(rendezvous.ranks()),
        rank_(rendezvous.rank()) {
    NcclUniqueId id{};
    if (rank_ == 0) check(nccl_.get_unique_id(&id), "ncclGetUniqueId");
    id = rendezvous.all_gather_value(id)[0];
    check(nccl_.comm_init_rank(&comm_, ranks_, id, rank_), "ncclCommInitRank");
  }
  ~NcclBackend() override {
    // Only after an error, which is the one to report.
    if (comm_ != nullptr) nccl_.comm_abort(comm_);
  }

  [[nodiscard]] const char* name() const override { return "nccl"; }
  [[nodiscard]] std::string net_name() const override {
    const char* plugin = std::getenv("NCCL_NET_PLUGIN");
    const int version = library_->version();
    return fmt::format("NCCL {}.{}.{} with NCCL_NET_PLUGIN={}", version / 10000, version / 100 % 100,
                       version % 100, plugin == nullptr ? "(unset)" : plugin);
  }
  [[nodiscard]] std::string device_name() const override { return gpu_.name(); }

  [[nodiscard]] void* allocate(size_t bytes) override {
    CudaPointer memory = 0;
    gpu_.check(gpu_.cuda().memory_allocate(&memory, bytes), "cuMemAlloc");
    return std::bit_cast<void*>(memory);
  }
  void release(void* memory) noexcept override { gpu_.cuda().memory_free(device_pointer(memory)); }
  void write(void* to, std::span<const std::byte> from) override {
    gpu_.check(gpu_.cuda().copy_to_device(device_pointer(to), from.data(), from.size()), "cuMemcpyHtoD");
  }
  void read(std::span<std::byte> to, const void* from) override {
    gpu_.check(gpu_.cuda().copy_to_host(to.data(), device_pointer(from), to.size()), "cuMemcpyDtoH");
  }

  void enqueue(const Call& call) override { check(dispatch(call), collective_info(call.collective).name); }

  // Looks at the communicator too: after a network error the kernels would never end by themselves.
  void synchronize() override {
    while (true) {
      const int state = gpu_.cuda().stream_query(gpu_.stream());
      if (state == kCudaSuccess) return;
      if (state != kCudaNotReady) gpu_.check(state, "waiting for the collective");
      int error = kNcclSuccess;
      check(nccl_.comm_get_async_error(comm_, &error), "ncclCommGetAsyncError");
      check(error, "waiting for the collective");
      std::this_thread::yield();
    }
  }

  void finish() override {
    check(nccl_.comm_destroy(comm_), "ncclCommDestroy");
    comm_ = nullptr;
  }

 private:
  void check(int result, const char* doing) const {
    if (result == kNcclSuccess || result == kNcclInProgress) return;
    const char* detail = nccl_.get_last_error(comm_);
    throw Error("{}: {} ({})", doing, nccl_.get_error_string(result), detail == nullptr ? "" : detail);
  }

  int dispatch(const Call& call) {
    const CudaStream stream = gpu_.stream();
    switch (call.collective) {
      case Collective::kAllReduce:
        return nccl_.all_reduce(call.send, call.recv, call.count, call.type, call.op, comm_, stream);
      case Collective::kAllGather:
        return nccl_.all_gather(call.send, call.recv, call.count, call.type, comm_, stream);
      case Collective::kReduceScatter:
        return nccl_.reduce_scatter(call.send, call.recv, call.count, call.type, call.op, comm_, stream);
      case Collective::kBroadcast:
        return nccl_.broadcast(call.send, call.recv, call.count, call.type, call.root, comm_, stream);
      case Collective::kReduce:
        return nccl_.reduce(call.send, call.recv, call.count, call.type, call.op, call.root, comm_, stream);
      case Collective::kAllToAll:
        return all_to_all(call);
      case Collective::kSendRecv:
        break;
    }
    return exchange(call.send, (rank_ + 1) % ranks_, call.recv, (rank_ + ranks_ - 1) % ranks_, call);
  }

  // Sends and receives, in a group even where the caller has one open: groups nest.
  int exchange(const void* send, int to, void* recv, int from, const Call& call) {
    check(nccl_.group_start(), "ncclGroupStart");
    const int sent = nccl_.send(send, call.count, call.type, to, comm_, gpu_.stream());
    const int received = nccl_.recv(recv, call.count, call.type, from, comm_, gpu_.stream());
    const int ended = nccl_.group_end();
    if (sent != kNcclSuccess) return sent;
    return received != kNcclSuccess ? received : ended;
  }

  // Spelt out: ncclAlltoAll exists in the newest versions only.
  int all_to_all(const Call& call) {
    const size_t part = call.count * static_cast<size_t>(type_info(call.type).bytes);
    check(nccl_.group_start(), "ncclGroupStart");
    int result = kNcclSuccess;
    for (int peer = 0; peer < ranks_ && result == kNcclSuccess; ++peer) {
      const size_t offset = part * static_cast<size_t>(peer);
      result = exchange(static_cast<const std::byte*>(call.send) + offset, peer,
                        static_cast<std::byte*>(call.recv) + offset, peer, call);
    }
    const int ended = nccl_.group_end();
    return result != kNcclSuccess ? result : ended;
  }

  std::unique_ptr<NcclLibrary> library_;
  const NcclFunctions& nccl_;
  Gpu gpu_;
  int ranks_;
  int rank_;
  NcclComm comm_ = nullptr;
};

}  // namespace

std::string nccl_obstacle() {
  try {
    const NcclLibrary library;
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

std::unique_ptr<Backend> make_nccl_backend(const Membership& membership, Rendezvous& rendezvous) {
  // Ranks started here share a machine: without names of their own NCCL would use shared memory instead of
  // the network, and refuse two ranks on one GPU.
  if (membership.launcher == kLocalLauncher) {
    setenv("NCCL_HOSTID", fmt::format("netsense-perf-{}", membership.rank).c_str(), 0);
  }
  return std::make_unique<NcclBackend>(std::make_unique<NcclLibrary>(), membership.local_rank, rendezvous);
}

}  // namespace netsense::perf
