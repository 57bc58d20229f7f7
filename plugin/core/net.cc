#include "plugin/core/net.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugin/config/settings.h"
#include "plugin/core/devices.h"
#include "plugin/core/guard.h"
#include "plugin/core/profile.h"
#include "plugin/core/transports.h"

namespace netsense::core {

using transport::Comm;
using transport::DeviceInfo;
using transport::Handle;
using transport::kHandleSize;
using transport::kMaxMessage;
using transport::Listener;
using transport::MemoryType;
using transport::MessageHints;
using transport::Reader;
using transport::RecvComm;
using transport::Region;
using transport::Request;
using transport::SendComm;
using transport::Transport;

struct Context {
  int abi_version = 0;
  std::shared_ptr<transport::Announced> announced = std::make_shared<transport::Announced>();
};

namespace {

// What the process has read and found out; made at the first init.
struct Net {
  config::Settings settings;
  std::vector<std::unique_ptr<Transport>> transports;
  std::vector<Device> devices;
  std::atomic<int> contexts{0};  // made by init and not finalized; NCCL before v11 has none
};

// changed: the settings that differ from their defaults, with their values.
void report_start(const Net& net, int abi_version, const std::string& changed) {
  if (net.devices.empty()) {
    NETSENSE_WARN(
        "no usable network interface{}{}: netsense is not used and NCCL goes on to its other networks. "
        "See `netsense-info` for each interface and why it was left out",
        net.settings.interfaces.empty() ? "" : " matches ", net.settings.interfaces);
    return;
  }
  std::string devices;
  for (const Device& device : net.devices) {
    devices += fmt::format("{}{} ({} Mbit/s, {})", devices.empty() ? "" : ", ", device.info->name,
                           device.info->speed_mbps, device.transport->name());
  }
  NETSENSE_INFO_INIT("netsense {} on, net v{}, {}; {}; {}{}{}", NETSENSE_VERSION, abi_version, devices,
                     net.transports.front()->description(), config::describe_compression(net.settings),
                     changed.empty() ? "" : "; set: ", changed);
}

// NCCL uses a CollNet only where it is told to. A program can also say so (collnetEnable in ncclConfig_t), of
// which a plugin learns nothing.
void warn_of_missing_collnet(const config::Settings& settings) {
  if (settings.mode != config::Mode::kAdaptive) return;
  const char* enabled = std::getenv("NCCL_COLLNET_ENABLE");
  if (enabled != nullptr && std::atoi(enabled) > 0) return;
  NETSENSE_WARN(
      "NETSENSE_MODE=adaptive needs CollNet to round sums: set NCCL_COLLNET_ENABLE=1 on all ranks (or "
      "collnetEnable in the program's ncclConfig_t). Without it everything is coded losslessly");
}

std::unique_ptr<Net> make_net(int abi_version) {
  auto net = std::make_unique<Net>();
  config::LoadedSettings loaded = config::load_settings(environ);
  for (const config::Problem& problem : loaded.problems) NETSENSE_WARN("{}", problem.message);
  net->settings = std::move(loaded.settings);
  net->transports = make_transports(net->settings);
  for (const auto& transport : net->transports) {
    int index = 0;
    for (const DeviceInfo& info : transport->devices())
      net->devices.push_back({transport.get(), index++, &info});
  }
  report_start(*net, abi_version, config::changed_settings(loaded));
  warn_of_missing_collnet(net->settings);
  return net;
}

// Null before the first init. Leaked on purpose: NCCL may close comms after static destructors have run.
std::atomic<Net*>& the_net() {
  static std::atomic<Net*> net{nullptr};
  return net;
}

void ensure_net(int abi_version) {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  if (the_net() == nullptr) the_net() = make_net(abi_version).release();
}

Status unknown_device(int device) {
  const Net* net = the_net();
  NETSENSE_WARN("there is no device {}: netsense offers {}", device,
                net == nullptr ? 0 : net->devices.size());
  return Status::kInvalidArgument;
}

template <typename Closed>
void close_own(Closed* closed) {
  if (closed != nullptr && closed->is_inherited()) return;
  delete closed;
}

Handle as_handle(void* handle) {
  return Handle(static_cast<std::byte*>(handle), kHandleSize);
}

}  // namespace

const Device* find_device(int device) {
  const Net* net = the_net();
  if (net == nullptr || device < 0 || static_cast<size_t>(device) >= net->devices.size()) return nullptr;
  return &net->devices[static_cast<size_t>(device)];
}

const config::Settings& settings() {
  static const config::Settings defaults;
  const Net* net = the_net();
  return net == nullptr ? defaults : net->settings;
}

// NCCL before 2.28 may go on polling after an error, so the user can ask for the process to end instead.
Status finish(Status status) {
  if (status != Status::kOk && settings().abort_on_error) {
    NETSENSE_WARN("NETSENSE_ABORT_ON_ERROR=1: ending the process after the error above");
    std::abort();
  }
  return status;
}

Status net_init(const InitArgs& args, Context** context) noexcept {
  set_log_function(args.log);
  return guarded("init", [&] {
    ensure_net(args.abi_version);
    if (context == nullptr) return Status::kOk;
    *context = std::make_unique<Context>(Context{.abi_version = args.abi_version}).release();
    the_net().load()->contexts.fetch_add(1);
    return Status::kOk;
  });
}

Status net_finalize(Context* context) noexcept {
  if (context == nullptr) return Status::kOk;
  delete context;
  return guarded("finalize", [] {
    Net* net = the_net();
    // With the last communicator nobody is left to ask for a connection in the making.
    if (net != nullptr && net->contexts.fetch_sub(1) == 1) {
      for (const auto& transport : net->transports) transport->drop_unfinished();
    }
    return Status::kOk;
  });
}

Status net_announce(Context* context, uint32_t functions, uint32_t protocols) noexcept {
  // SendRecv, Send, Recv, AlltoAll, Scatter, Gather: for these NCCL leaves the protocols as they were.
  constexpr uint32_t kPointToPoint = 0x7e0;
  constexpr uint32_t kSimple = 1U << 2;
  if (context == nullptr) return Status::kOk;
  const bool low_latency = (functions & kPointToPoint) == 0 && protocols != 0 && (protocols & kSimple) == 0;
  context->announced->low_latency.store(low_latency, std::memory_order_relaxed);
  return Status::kOk;
}

Status net_devices(int* count) noexcept {
  if (count == nullptr) return invalid("devices: null argument");
  const Net* net = the_net();
  *count = net == nullptr ? 0 : static_cast<int>(net->devices.size());
  return Status::kOk;
}

Status net_properties(int device, const DeviceInfo** info) noexcept {
  const Device* found = find_device(device);
  if (found == nullptr) return unknown_device(device);
  *info = found->info;
  return Status::kOk;
}

Status net_listen(Context* /*context*/, int device, void* handle, void** listener) noexcept {
  if (handle == nullptr || listener == nullptr) return invalid("listen: null argument");
  const Device* found = find_device(device);
  if (found == nullptr) return unknown_device(device);
  return guarded("listen", [&] {
    std::unique_ptr<Listener> made;
    const Status status = found->transport->listen(found->index, as_handle(handle), &made);
    *listener = made.release();
    return finish(status);
  });
}

Status net_connect(Context* context, int device, void* handle, void** send_comm) noexcept {
  if (handle == nullptr || send_comm == nullptr) return invalid("connect: null argument");
  const Device* found = find_device(device);
  if (found == nullptr) return unknown_device(device);
  *send_comm = nullptr;
  return guarded("connect", [&] {
    std::unique_ptr<SendComm> made;
    const Status status = found->transport->connect(found->index, as_handle(handle), &made);
    if (made != nullptr && context != nullptr) made->follow(context->announced);
    *send_comm = static_cast<Comm*>(made.release());
    return finish(status);
  });
}

Status net_accept(void* listener, void** recv_comm) noexcept {
  if (listener == nullptr || recv_comm == nullptr) return invalid("accept: null argument");
  *recv_comm = nullptr;
  return guarded("accept", [&] {
    std::unique_ptr<RecvComm> made;
    const Status status = static_cast<Listener*>(listener)->accept(&made);
    *recv_comm = static_cast<Comm*>(made.release());
    return finish(status);
  });
}

Status net_close_listen(void* listener) noexcept {
  return guarded("closeListen", [&] {
    close_own(static_cast<Listener*>(listener));
    return Status::kOk;
  });
}

Status net_close_send(void* comm) noexcept {
  return guarded("closeSend", [&] {
    close_own(static_cast<Comm*>(comm));
    return Status::kOk;
  });
}

Status net_close_recv(void* comm) noexcept {
  return net_close_send(comm);
}

Status net_reg_mr(void* comm, void* data, size_t bytes, int type, void** region) noexcept {
  if (comm == nullptr || region == nullptr) return invalid("regMr: null argument");
  return guarded("regMr", [&] {
    Region* made = nullptr;
    const Status status =
        static_cast<Comm*>(comm)->register_memory(data, bytes, static_cast<MemoryType>(type), &made);
    *region = made;
    return status;
  });
}

Status net_dereg_mr(void* comm, void* region) noexcept {
  if (comm == nullptr) return invalid("deregMr: null argument");
  return guarded("deregMr",
                 [&] { return static_cast<Comm*>(comm)->deregister_memory(static_cast<Region*>(region)); });
}

Status net_isend(void* comm, void* data, size_t bytes, int tag, void* region, const void* phandle,
                 void** request) noexcept {
  if (comm == nullptr || request == nullptr) return invalid("isend: null argument");
  *request = nullptr;
  if (bytes > kMaxMessage) return invalid("isend: a message may have at most 1 GiB");
  return guarded("isend", [&] {
    Request* made = nullptr;
    auto* sender = static_cast<SendComm*>(static_cast<Comm*>(comm));
    const std::optional<TrafficInfo> traffic = traffic_of(phandle);
    const MessageHints hints{.data_type = traffic ? traffic->data_type : kUnknownTraffic,
                             .low_latency = sender->low_latency_announced()};
    const Status status = sender->isend(data, bytes, tag, static_cast<Region*>(region), hints, &made);
    *request = made;
    return finish(status);
  });
}

Status net_irecv(void* comm, int count, void** data, const size_t* bytes, const int* tags, void** regions,
                 bool completion_optional, void** request) noexcept {
  if (comm == nullptr || data == nullptr || bytes == nullptr || request == nullptr) {
    return invalid("irecv: null argument");
  }
  *request = nullptr;
  if (count != 1) return invalid("irecv: one buffer at a time, as maxRecvs=1 says");
  if (bytes[0] > kMaxMessage) return invalid("irecv: a message may have at most 1 GiB");
  return guarded("irecv", [&] {
    Request* made = nullptr;
    auto* region = regions == nullptr ? nullptr : static_cast<Region*>(regions[0]);
    const Status status = static_cast<RecvComm*>(static_cast<Comm*>(comm))
                              ->irecv(data[0], bytes[0], tags == nullptr ? 0 : tags[0], region,
                                      completion_optional ? Reader::kPollsFlags : Reader::kUnknown, &made);
    *request = made;
    return finish(status);
  });
}

Status net_iflush(void* comm, int /*count*/, void** /*data*/, const int* /*bytes*/, void** /*regions*/,
                  void** request) noexcept {
  if (comm == nullptr || request == nullptr) return invalid("iflush: null argument");
  // Host memory needs no flush; a null request says that there is nothing to wait for.
  *request = nullptr;
  return Status::kOk;
}

Status net_test(void* request, int* done, int* bytes) noexcept {
  if (request == nullptr || done == nullptr) return invalid("test: null argument");
  *done = 0;
  return guarded("test", [&] {
    bool finished = false;
    size_t transferred = 0;
    auto* asked = static_cast<Request*>(request);
    const Status status = asked->owner->test(asked, &finished, &transferred);
    if (finished) {
      *done = 1;
      if (bytes != nullptr) *bytes = static_cast<int>(transferred);
    }
    return finish(status);
  });
}

}  // namespace netsense::core
