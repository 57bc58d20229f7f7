#include "tests/reference/net/net.h"

#include <atomic>
#include <memory>
#include <tuple>
#include <vector>

#include "tests/reference/net/interface.h"
#include "tests/reference/net/options.h"
#include "tests/reference/tcp/connection.h"
#include "tests/reference/tcp/endpoint.h"

namespace netsense::reference {
namespace {

// Registered memory: the plugins need nothing of it, NCCL needs handles it can tell apart.
struct Region {};

// An end of a connection, and how often it has still to say "not yet" before the next request.
struct SendEnd {
  SendConnection connection;
  int refusals_left;
};
struct RecvEnd {
  RecvConnection connection;
  int refusals_left;
};

// Set at the first init; NCCL's callback is the same for all communicators.
std::atomic<ProfilerCallback>& profiler_callback() {
  static std::atomic<ProfilerCallback> callback{nullptr};
  return callback;
}

const Options& options() {
  static const Options read = read_options();
  return read;
}

// Says "not yet" as often as the options want before each request.
bool refuse(int* left, int per_request) {
  if (*left > 0) {
    --*left;
    return true;
  }
  *left = per_request;
  return false;
}

enum class ProfilerAction : int { kStart = 0, kStop = 1 };  // NCCL's ncclProfilerNetEvent*
constexpr int64_t kProfilerPluginId = 0x7ace0001;           // the recorded plugin's type and version

void start_event(Part& part, void* parent) {
  const ProfilerCallback callback = profiler_callback().load(std::memory_order_acquire);
  if (callback == nullptr || parent == nullptr) return;
  // Without an event the transfer is as good.
  std::ignore = callback(&part.profiler_event, static_cast<int>(ProfilerAction::kStart), parent,
                         kProfilerPluginId, nullptr);
}

void stop_event(Part& part) {
  if (part.profiler_event == nullptr) return;
  const ProfilerCallback callback = profiler_callback().load(std::memory_order_acquire);
  std::ignore = callback(&part.profiler_event, static_cast<int>(ProfilerAction::kStop), nullptr,
                         kProfilerPluginId, nullptr);
  part.profiler_event = nullptr;
}

}  // namespace

Status net_init(LogFunction log, ProfilerCallback profiler) {
  set_log_function(log);
  if (profiler != nullptr) profiler_callback().store(profiler, std::memory_order_release);
  if (interface() == nullptr) {
    NETSENSE_WARN("reference plugin: no usable network interface");
    return Status::kSystemError;
  }
  return Status::kOk;
}

Status net_devices(int* count) {
  *count = options().devices;
  return Status::kOk;
}

const Device* net_device(int number) {
  static const std::vector<Device> devices = describe_devices(options());
  const bool exists = number >= 0 && number < static_cast<int>(devices.size());
  return exists ? &devices[static_cast<size_t>(number)] : nullptr;
}

Status net_listen(int device, void* handle, void** listener) {
  if (net_device(device) == nullptr) return Status::kInvalidArgument;
  auto opened = Listener::open(interface()->address, static_cast<Handle*>(handle));
  if (opened == nullptr) return Status::kSystemError;
  *listener = opened.release();
  return Status::kOk;
}

Status net_connect(int device, void* handle, void** send_comm) {
  *send_comm = nullptr;
  if (net_device(device) == nullptr) return Status::kInvalidArgument;
  auto* target = static_cast<Handle*>(handle);
  if (target->refused < options().connect_refusals) {
    ++target->refused;
    return Status::kOk;
  }
  Socket socket;
  const Status status = connect_to(target, 0, &socket);
  if (status != Status::kOk || !socket.valid()) return status;
  *send_comm = new SendEnd{.connection = SendConnection(std::move(socket), options().on_peer_close),
                           .refusals_left = options().isend_refusals};
  return Status::kOk;
}

Status net_accept(void* listener, void** recv_comm) {
  *recv_comm = nullptr;
  Socket socket;
  int64_t sender = 0;
  const Status status = static_cast<Listener*>(listener)->accept(&socket, &sender);
  if (status != Status::kOk || !socket.valid()) return status;
  *recv_comm = new RecvEnd{.connection = RecvConnection(std::move(socket), options().on_peer_close),
                           .refusals_left = options().irecv_refusals};
  return Status::kOk;
}

Status net_close_listen(void* listener) {
  delete static_cast<Listener*>(listener);
  return Status::kOk;
}

Status net_close_send(void* comm) {
  delete static_cast<SendEnd*>(comm);
  return Status::kOk;
}

Status net_close_recv(void* comm) {
  delete static_cast<RecvEnd*>(comm);
  return Status::kOk;
}

Status net_register(int type, void** region) {
  const Device* device = net_device(0);
  if ((device->pointer_types & type) == 0) return Status::kInvalidArgument;
  *region = new Region;
  return Status::kOk;
}

Status net_deregister(void* region) {
  delete static_cast<Region*>(region);
  return Status::kOk;
}

Status net_isend(void* comm, void* data, size_t bytes, int tag, void* profiler_handle, void** request) {
  *request = nullptr;
  auto* end = static_cast<SendEnd*>(comm);
  if (refuse(&end->refusals_left, options().isend_refusals)) return Status::kOk;
  Request* posted = nullptr;
  const Status status = end->connection.isend(data, bytes, tag, &posted);
  if (posted != nullptr) start_event(posted->parts[0], profiler_handle);
  *request = posted;
  return status;
}

Status net_irecv(void* comm, int count, void** data, const size_t* bytes, const int* tags,
                 void** profiler_handles, void** request) {
  *request = nullptr;
  auto* end = static_cast<RecvEnd*>(comm);
  if (count < 1 || count > net_device(0)->grouped_receives) return Status::kInvalidArgument;
  if (refuse(&end->refusals_left, options().irecv_refusals)) return Status::kOk;
  const auto parts = static_cast<size_t>(count);
  Request* posted = nullptr;
  const Status status = end->connection.irecv({data, parts}, {bytes, parts}, {tags, parts}, &posted);
  for (size_t i = 0; posted != nullptr && profiler_handles != nullptr && i < parts; ++i) {
    start_event(posted->parts[i], profiler_handles[i]);
  }
  *request = posted;
  return status;
}

Status net_iflush(void* comm, void** request) {
  Request* posted = nullptr;
  const Status status = static_cast<RecvEnd*>(comm)->connection.iflush(&posted);
  *request = posted;
  return status;
}

Status net_test(void* request, int* done, int* sizes) {
  auto* tested = static_cast<Request*>(request);
  bool finished = false;
  const Status status = tested->connection->test(tested, &finished);
  *done = finished ? 1 : 0;
  if (!finished) return status;
  for (int i = 0; i < tested->part_count; ++i) {
    Part& part = tested->parts[static_cast<size_t>(i)];
    if (sizes != nullptr) sizes[i] = static_cast<int>(part.bytes);
    stop_event(part);
  }
  return status;
}

}  // namespace netsense::reference
