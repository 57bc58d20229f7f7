#include "plugin/collnet/coll_net.h"

#include <memory>
#include <span>
#include <utility>

#include "plugin/collnet/agreement.h"
#include "plugin/collnet/coll_comm.h"
#include "plugin/core/devices.h"
#include "plugin/core/guard.h"

namespace netsense::collnet {
namespace {

using core::finish;
using core::guarded;
using core::invalid;

struct CollListener : transport::OfProcess {
  const core::Device* device = nullptr;
  uint64_t comm_id = 0;
  std::unique_ptr<transport::Listener> listener;
};

bool known(int type, int op) {
  return type >= 0 && type < kTypes && op >= 0 && op < kOps;
}

Status post(void* comm, const CallArgs& args, void** request) {
  transport::Request* made = nullptr;
  const Status status = static_cast<CollComm*>(static_cast<transport::Comm*>(comm))->post(args, &made);
  *request = made;
  return finish(status);
}

}  // namespace

Status coll_listen(uint64_t comm_id, int device, void* handle, void** listener) noexcept {
  if (handle == nullptr || listener == nullptr) return invalid("CollNet listen: null argument");
  *listener = nullptr;
  const core::Device* found = core::find_device(device);
  if (found == nullptr) return invalid("CollNet listen: there is no such device");
  return guarded("CollNet listen", [&] {
    auto made = std::make_unique<CollListener>();
    made->device = found;
    made->comm_id = comm_id;
    const Status status = found->transport->listen(
        found->index, transport::Handle(static_cast<std::byte*>(handle), transport::kHandleSize),
        &made->listener);
    if (status == Status::kOk) *listener = made.release();
    return finish(status);
  });
}

Status coll_close_listen(void* listener) noexcept {
  return guarded("CollNet closeListen", [&] {
    auto* closed = static_cast<CollListener*>(listener);
    if (closed == nullptr || !closed->is_inherited()) delete closed;
    return Status::kOk;
  });
}

Status coll_connect(void* handles[], int ranks, int rank, void* listener, void** comm) noexcept {
  if (handles == nullptr || listener == nullptr || comm == nullptr) {
    return invalid("CollNet connect: null argument");
  }
  *comm = nullptr;
  if (ranks < 1 || rank < 0 || rank >= ranks) return invalid("CollNet connect: bad rank");
  return guarded("CollNet connect", [&] {
    const auto& listening = *static_cast<CollListener*>(listener);
    Mesh mesh;
    const Status status = connect_mesh(
        *listening.device, std::span<void* const>(handles, static_cast<size_t>(ranks)), rank,
        *listening.listener, agreement_of(core::settings()), core::settings().connect_timeout, &mesh);
    if (status == Status::kOk) {
      *comm = static_cast<transport::Comm*>(
          std::make_unique<CollComm>(std::move(mesh), *listening.device, core::settings(), listening.comm_id)
              .release());
    }
    return status;
  });
}

Status coll_reduce_support(int type, int op, int* supported) noexcept {
  if (supported == nullptr) return invalid("CollNet reduceSupport: null argument");
  *supported = known(type, op) ? 1 : 0;
  return Status::kOk;
}

Status coll_iallreduce(void* comm, const void* send, void* recv, size_t count, int type, int op,
                       void** request) noexcept {
  if (comm == nullptr || request == nullptr) return invalid("iallreduce: null argument");
  *request = nullptr;
  if (!known(type, op)) return invalid("iallreduce: unknown data type or operation");
  return guarded("iallreduce", [&] {
    return post(comm,
                {.kind = Kind::kAllReduce,
                 .type = static_cast<Type>(type),
                 .op = static_cast<Op>(op),
                 .send = static_cast<const std::byte*>(send),
                 .recv = static_cast<std::byte*>(recv),
                 .elements = count},
                request);
  });
}

Status coll_iallgather(void* comm, const void* send, void* recv, size_t bytes_per_rank, size_t window_offset,
                       size_t window_bytes, void** request) noexcept {
  if (comm == nullptr || request == nullptr) return invalid("iallgather: null argument");
  *request = nullptr;
  return guarded("iallgather", [&] {
    return post(comm,
                {.kind = Kind::kAllGather,
                 .send = static_cast<const std::byte*>(send),
                 .recv = static_cast<std::byte*>(recv),
                 .elements = window_bytes,
                 .per_rank = bytes_per_rank,
                 .window_offset = window_offset},
                request);
  });
}

Status coll_ireducescatter(void* comm, const void* send, void* recv, size_t bytes_per_rank,
                           size_t window_offset, size_t window_bytes, int type, int op,
                           void** request) noexcept {
  if (comm == nullptr || request == nullptr) return invalid("ireducescatter: null argument");
  *request = nullptr;
  if (!known(type, op)) return invalid("ireducescatter: unknown data type or operation");
  const size_t size = element_bytes(static_cast<Type>(type));
  if (bytes_per_rank % size != 0 || window_offset % size != 0 || window_bytes % size != 0) {
    return invalid("ireducescatter: a size is no multiple of the element's");
  }
  return guarded("ireducescatter", [&] {
    return post(comm,
                {.kind = Kind::kReduceScatter,
                 .type = static_cast<Type>(type),
                 .op = static_cast<Op>(op),
                 .send = static_cast<const std::byte*>(send),
                 .recv = static_cast<std::byte*>(recv),
                 .elements = window_bytes / size,
                 .per_rank = bytes_per_rank / size,
                 .window_offset = window_offset / size},
                request);
  });
}

}  // namespace netsense::collnet
