#include "tools/engine/proxy/collnet_setup.h"

#include <algorithm>

#include "tools/engine/base/error.h"
#include "tools/engine/base/logger.h"

namespace netsense::engine {
namespace {

constexpr auto kSimple = static_cast<size_t>(Protocol::kSimple);
constexpr uint32_t kTag = 1U << 30;  // apart from the connections between ranks
constexpr int kAskedOps = 4;         // sum, prod, max, min

}  // namespace

CollNetSetup::CollNetSetup(const Parts& parts, const CommShape& shape, const PlanSettings& settings,
                           bool gpu_direct)
    : parts_(parts), shape_(shape), settings_(settings), gpu_direct_(gpu_direct) {
  transfer_.collnet = &parts.collnet;
  transfer_.channels = static_cast<int>(shape.channels.size());
  transfer_.step_bytes = settings.buffer_bytes[kSimple] / kSteps;
  transfer_.flush = gpu_direct;
}

bool CollNetSetup::connect() {
  for (int channel = 0; channel < transfer_.channels; ++channel) {
    const int failed = connect_channel(channel) ? 0 : 1;
    const std::vector<int> failures = parts_.bootstrap.all_gather(kTag, failed);
    if (std::ranges::find(failures, 1) == failures.end()) continue;
    log_info(kLogInit, "Cannot initialize CollNet, using point-to-point network instead");
    return false;
  }
  ask_support();
  return true;
}

Connection& CollNetSetup::add(int channel, bool send) {
  Connection& connection = parts_.table.add({channel, shape_.ranks, send, send ? 1 : 0});
  connection.shared = true;
  connection.gpu_direct = gpu_direct_;
  connection.append_to = &last_args_[send ? 1 : 0];
  in_order_.push_back(&connection);
  return connection;
}

bool CollNetSetup::connect_channel(int channel) {
  try {
    for (const bool send : {false, true}) {
      Connection& connection = add(channel, send);
      Handle handle{};
      if (gpu_direct_ && !send) {
        // NCCL asks on the caller's thread whether received data needs flushing.
        DeviceProperties properties;
        check(parts_.net.properties(connection.net_device, &properties), "the net plugin's getProperties");
      }
      parts_.service.call([&] { set_up(connection, send ? nullptr : &handle); });
      std::vector<Handle> handles = parts_.bootstrap.all_gather(kTag, handle);
      parts_.service.call([&] {
        if (transfer_.comm == nullptr) join(std::move(handles));
        use_pool(connection);
      });
    }
    return true;
  } catch (const EngineError& error) {
    log_info(kLogInit, "CollNet: {}", error.what());
    return false;
  }
}

void CollNetSetup::set_up(Connection& connection, Handle* handle) {
  DeviceProperties properties;
  check(parts_.collnet.properties(connection.net_device, &properties), "the CollNet plugin's getProperties");
  if (handle == nullptr || transfer_.comm != nullptr || listener_ != nullptr) return;
  check(parts_.collnet.listen(parts_.context, connection.net_device, handle, &listener_),
        "the CollNet plugin's listen");
}

void CollNetSetup::join(std::vector<Handle> handles) {
  check(parts_.collnet.connect(handles, shape_.rank, listener_, &transfer_.comm),
        "the CollNet plugin's connect");
  if (transfer_.comm == nullptr) fail(ns_internal_error, "the CollNet plugin's connect gave no comm");
  check(parts_.collnet.close_listen(listener_), "the CollNet plugin's closeListen");
  listener_ = nullptr;
}

void CollNetSetup::use_pool(Connection& connection) {
  if (pool_.data() == nullptr) {
    pool_ = Memory(2 * shape_.channels.size() * settings_.buffer_bytes[kSimple]);
    transfer_.pool = pool_.data();
  }
  connection.comm = transfer_.comm;
  connection.buffers[kSimple] = connection.fifo.buffers[kSimple] = pool_.data();
  connection.buffer_bytes[kSimple] = connection.fifo.buffer_bytes[kSimple] = pool_.bytes();
  connection.fifo.shared_pool = true;
  if (connection.id.send) connection.fifo.head.store(uint64_t{0} - kSteps, std::memory_order_relaxed);
  check(parts_.collnet.register_memory(transfer_.comm, pool_.data(), pool_.bytes(),
                                       gpu_direct_ ? MemoryKind::kCuda : MemoryKind::kHost,
                                       &connection.registrations[kSimple]),
        "the CollNet plugin's regMr");
  if (!connection.id.send) transfer_.recv_memory = connection.registrations[kSimple];
  connection.connected = true;
}

// What every rank can reduce.
void CollNetSetup::ask_support() {
  using Answers = std::array<std::array<uint8_t, ns_num_types>, kAskedOps>;
  Answers mine{};
  for (int type = 0; type < ns_num_types; ++type) {
    for (int op = 0; op < kAskedOps; ++op) {
      int supported = 0;
      check(parts_.collnet.reduce_support(static_cast<ns_type>(type), static_cast<ns_op>(op), &supported),
            "the CollNet plugin's reduceSupport");
      mine[static_cast<size_t>(op)][static_cast<size_t>(type)] = supported != 0 ? 1 : 0;
    }
  }
  const std::vector<Answers> all = parts_.bootstrap.all_gather(kTag, mine);
  for (size_t op = 0; op < kAskedOps; ++op) {
    for (size_t type = 0; type < ns_num_types; ++type) {
      supported_[op][type] =
          std::ranges::all_of(all, [&](const Answers& answers) { return answers[op][type] == 1; });
    }
  }
}

bool CollNetSetup::supports(ns_type type, ns_op op) const {
  const ns_op asked = op == ns_avg ? ns_sum : op;
  return supported_[static_cast<size_t>(asked)][static_cast<size_t>(type)];
}

void CollNetSetup::close() {
  for (Connection* connection : in_order_) {
    if (!connection->connected) continue;
    parts_.collnet.deregister_memory(transfer_.comm, connection->registrations[kSimple]);
    connection->connected = false;
  }
  if (transfer_.comm != nullptr) parts_.collnet.close(transfer_.comm);
}

}  // namespace netsense::engine
