#include "tests/reference/tracing/collnet.h"

#include <memory>
#include <vector>

#include "tests/reference/adapters/net_v11.h"
#include "tests/reference/net/interface.h"
#include "tests/reference/tracing/collective_group.h"

namespace netsense::reference {
namespace {

constexpr int kFloat32 = 7;  // ncclFloat32
constexpr int kFloat64 = 8;
constexpr int kSum = 0;  // ncclSum

using NetAdapterV11 = NetAdapter<abi::NetPropertiesV11>;

// An all-reduce under way, or a flush, which is done at once.
struct Pending {
  std::unique_ptr<CollectiveRequest> reduction;
};

bool supported(int type, int operation) {
  return operation == kSum && (type == kFloat32 || type == kFloat64);
}

Status init(void** context, uint64_t /*comm_id*/, abi::DebugLogger logger) {
  *context = new Context;
  return net_init(logger, nullptr);
}

Status connect(void* handles[], int ranks, int rank, void* listener, void** comm) {
  std::vector<Handle*> all;
  for (int i = 0; i < ranks; ++i) all.push_back(static_cast<Handle*>(handles[i]));
  std::unique_ptr<CollectiveGroup> group;
  const Status status = CollectiveGroup::join(all, rank, static_cast<Listener*>(listener), &group);
  *comm = group.release();
  return status;
}

Status reduce_support(abi::DataType type, abi::ReduceOp operation, int* answer) {
  *answer = supported(type, operation) ? 1 : 0;
  return Status::kOk;
}

Status iallreduce(void* comm, void* send, void* receive, size_t count, abi::DataType type,
                  abi::ReduceOp operation, void* /*send_region*/, void* /*receive_region*/, void** request) {
  *request = nullptr;
  if (!supported(type, operation)) return Status::kInvalidArgument;
  const ElementType element = type == kFloat32 ? ElementType::kFloat32 : ElementType::kFloat64;
  const size_t bytes = count * (element == ElementType::kFloat32 ? sizeof(float) : sizeof(double));
  auto pending = std::make_unique<Pending>();
  const Status status =
      static_cast<CollectiveGroup*>(comm)->iallreduce(send, receive, bytes, element, &pending->reduction);
  if (pending->reduction != nullptr) *request = pending.release();
  return status;
}

Status iflush(void* /*comm*/, void* /*data*/, int /*bytes*/, void* /*region*/, void** request) {
  *request = new Pending;
  return Status::kOk;
}

Status test(void* request, int* done, int* size) {
  auto* pending = static_cast<Pending*>(request);
  bool finished = pending->reduction == nullptr;
  if (!finished) {
    const Status status = pending->reduction->group->test(pending->reduction.get(), &finished);
    if (status != Status::kOk) return status;
  }
  *done = finished ? 1 : 0;
  if (!finished) return Status::kOk;
  if (size != nullptr)
    *size = pending->reduction == nullptr ? 0 : static_cast<int>(pending->reduction->bytes);
  delete pending;
  return Status::kOk;
}

Status close_group(void* comm) {
  delete static_cast<CollectiveGroup*>(comm);
  return Status::kOk;
}

}  // namespace

abi::CollNetV11 collnet_table(const char* name) {
  return {
      .name = name,
      .init = init,
      .devices = net_devices,
      .get_properties = NetAdapterV11::properties,
      .listen = NetAdapterV11::listen,
      .connect = connect,
      .reduce_support = reduce_support,
      .reg_mr = NetAdapterV11::register_memory,
      .reg_mr_dma_buf = nullptr,
      .dereg_mr = NetAdapterV11::deregister_memory,
      .iallreduce = iallreduce,
      .iallgather = nullptr,
      .ireducescatter = nullptr,
      .iflush = iflush,
      .test = test,
      .close_coll = close_group,
      .close_listen = net_close_listen,
      .make_vdevice = nullptr,
      .finalize = NetAdapterV11::finalize,
  };
}

}  // namespace netsense::reference
