#include "tools/engine/proxy/net_setup.h"

#include <numeric>

#include "tools/engine/base/error.h"

namespace netsense::engine {

NetSetup::NetSetup(Net& net, void* context, AttributeTeller& attributes, const PlanSettings& settings,
                   int ranks, int p2p_channels)
    : net_(net),
      context_(context),
      attributes_(attributes),
      settings_(settings),
      ranks_(ranks),
      pool_bytes_(static_cast<size_t>(p2p_channels) * kSharedSteps * settings.p2p_chunk_bytes),
      last_shared_args_(static_cast<size_t>(p2p_channels) * 2),
      shared_comms_(static_cast<size_t>(p2p_channels) * static_cast<size_t>(ranks) * 2) {}

void NetSetup::set_up(Connection& connection, ConnectInfo* info) {
  DeviceProperties properties;
  check(net_.properties(connection.net_device, &properties), "the net plugin's getProperties");
  if (properties.max_p2p_bytes == 0 || properties.max_p2p_bytes > abi::kMaxNetBytes) {
    fail(ns_internal_error, "the net plugin offers transfers of {} bytes, allowed are 1 to {}",
         properties.max_p2p_bytes, abi::kMaxNetBytes);
  }
  connection.max_recvs = properties.max_recvs;
  connection.append_to = connection.shared ? &last_shared_args(connection) : &connection.last_args;
  if (connection.id.send) return;
  check(net_.listen(context_, connection.net_device, &info->handle, &connection.listener),
        "the net plugin's listen");
  if (HandleLabels* labels = handle_labels(net_)) info->label = labels->label_of(connection.listener);
  info->gpu_direct = connection.gpu_direct ? 1 : 0;
}

bool NetSetup::connect(Connection& connection, ConnectInfo& info, const NetAttributes& hints) {
  attributes_.tell_connecting(hints);
  SharedComm* shared = shares_comm(connection) ? &shared_comm(connection) : nullptr;
  if (shared != nullptr && shared->comm != nullptr) {
    connection.comm = shared->comm;
  } else if (connection.id.send) {
    if (HandleLabels* labels = handle_labels(net_)) labels->learn(info.handle, info.label);
    check(net_.connect(context_, connection.net_device, &info.handle, &connection.comm),
          "the net plugin's connect");
  } else {
    check(net_.accept(connection.listener, &connection.comm), "the net plugin's accept");
  }
  if (connection.comm == nullptr) return false;
  if (shared != nullptr) {
    shared->comm = connection.comm;
    ++shared->users;
  }
  if (!connection.id.send) {
    check(net_.close_listen(connection.listener), "the net plugin's closeListen");
    connection.listener = nullptr;
  }
  if (connection.shared) {
    use_pool(connection);
  } else {
    make_buffers(connection);
  }
  connection.connected = true;
  return true;
}

NetSetup::SharedComm& NetSetup::shared_comm(const Connection& connection) {
  const auto row = static_cast<size_t>(connection.id.channel) * static_cast<size_t>(ranks_) +
                   static_cast<size_t>(connection.id.peer);
  return shared_comms_[row * 2 + (connection.id.send ? 1 : 0)];
}

ProxyArgs*& NetSetup::last_shared_args(const Connection& connection) {
  return last_shared_args_[static_cast<size_t>(connection.id.channel) * 2 + (connection.id.send ? 1 : 0)];
}

// LL, LL128 and Simple lie behind each other. With GPU-direct the sender's LL stays in host memory, apart.
void NetSetup::make_buffers(Connection& connection) {
  const auto& sizes = settings_.buffer_bytes;
  const bool apart = connection.gpu_direct && connection.id.send;
  const auto total = std::accumulate(sizes.begin(), sizes.end(), size_t{0});
  connection.memory.emplace_back(apart ? sizes[0] : total);
  if (apart) connection.memory.emplace_back(total - sizes[0]);
  std::byte* at = connection.memory.front().data();
  for (size_t p = 0; p < kProtocols; ++p) {
    if (apart && p == 1) at = connection.memory.back().data();
    const MemoryKind kind =
        connection.gpu_direct && !(apart && p == 0) ? MemoryKind::kCuda : MemoryKind::kHost;
    connection.buffers[p] = connection.fifo.buffers[p] = at;
    connection.buffer_bytes[p] = connection.fifo.buffer_bytes[p] = sizes[p];
    check(net_.register_memory(connection.comm, at, sizes[p], kind, &connection.registrations[p]),
          "the net plugin's regMr");
    at += sizes[p];
  }
}

void NetSetup::use_pool(Connection& connection) {
  Memory& pool = pools_[connection.id.send ? 1 : 0];
  if (pool.data() == nullptr) pool = Memory(pool_bytes_);
  constexpr auto kSimple = static_cast<size_t>(Protocol::kSimple);
  connection.buffers[kSimple] = connection.fifo.buffers[kSimple] = pool.data();
  connection.buffer_bytes[kSimple] = connection.fifo.buffer_bytes[kSimple] = pool.bytes();
  connection.fifo.shared_pool = true;
  if (settings_.p2p_ll_buffers) add_low_latency_buffer(connection);
  // No credits before the proxy gives them together with a place in the pool.
  if (connection.id.send) connection.fifo.head.store(uint64_t{0} - kSteps, std::memory_order_relaxed);
  check(net_.register_memory(connection.comm, pool.data(), pool.bytes(),
                             connection.gpu_direct ? MemoryKind::kCuda : MemoryKind::kHost,
                             &connection.registrations[kSimple]),
        "the net plugin's regMr");
}

void NetSetup::add_low_latency_buffer(Connection& connection) {
  constexpr auto kLowLatency = static_cast<size_t>(Protocol::kLL);
  const size_t bytes = settings_.buffer_bytes[kLowLatency];
  connection.memory.emplace_back(bytes);
  std::byte* buffer = connection.memory.back().data();
  connection.buffers[kLowLatency] = connection.fifo.buffers[kLowLatency] = buffer;
  connection.buffer_bytes[kLowLatency] = connection.fifo.buffer_bytes[kLowLatency] = bytes;
  check(net_.register_memory(connection.comm, buffer, bytes, MemoryKind::kHost,
                             &connection.registrations[kLowLatency]),
        "the net plugin's regMr");
}

void NetSetup::close(Connection& connection) {
  if (!connection.connected) return;
  for (size_t p = 0; p < kProtocols; ++p) {
    if (connection.buffers[p] != nullptr)
      net_.deregister_memory(connection.comm, connection.registrations[p]);
  }
  connection.connected = false;
  if (shares_comm(connection) && --shared_comm(connection).users > 0) return;
  if (connection.id.send) {
    net_.close_send(connection.comm);
  } else {
    net_.close_recv(connection.comm);
  }
}

}  // namespace netsense::engine
