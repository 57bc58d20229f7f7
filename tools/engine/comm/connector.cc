#include "tools/engine/comm/connector.h"

#include <algorithm>

#include "tools/engine/base/error.h"
#include "tools/engine/base/logger.h"

namespace netsense::engine {
namespace {

constexpr int kMaxChannels = 64;
constexpr int kP2pPerBatch = 8;  // NCCL_MAX_DEV_WORK_P2P_PER_BATCH

uint32_t bit(Function function) {
  return 1U << static_cast<uint32_t>(function);
}

uint32_t message_tag(int index, int distance, bool barrier) {
  return (static_cast<uint32_t>(distance) << 8) | (static_cast<uint32_t>(index) << 1) | (barrier ? 1U : 0U);
}

std::vector<std::byte> to_bytes(const std::vector<ConnectInfo>& infos) {
  const auto bytes = std::as_bytes(std::span(infos));
  return {bytes.begin(), bytes.end()};
}

void from_bytes(std::span<const std::byte> bytes, std::vector<ConnectInfo>& infos) {
  if (bytes.size() != infos.size() * sizeof(ConnectInfo)) {
    fail(ns_internal_error,
         "a rank wants other connections than this one: do all ranks call the same operations?");
  }
  std::memcpy(infos.data(), bytes.data(), bytes.size());
}

}  // namespace

Connector::Connector(const Parts& parts, const CommShape& shape, const Options& options)
    : parts_(parts), shape_(shape), options_(options), wanted_(static_cast<size_t>(shape.ranks) * 2) {}

uint64_t& Connector::wanted(int peer, bool send) {
  return wanted_[static_cast<size_t>(peer) * 2 + (send ? 1 : 0)];
}

void Connector::want(const ConnectionId& id) {
  if (id.peer < 0 || id.peer >= shape_.ranks || id.peer == shape_.rank) return;
  const Connection* known = parts_.table.find(id);
  if (known == nullptr || !known->connected) wanted(id.peer, id.send) |= uint64_t{1} << id.channel;
}

void Connector::connect(int index) {
  std::vector<Round> rounds;
  for (int distance = 1; distance < shape_.ranks; ++distance) rounds.push_back(set_up_round(distance, index));

  struct Pending {
    std::shared_ptr<ProxyService::Task> task;
    int peer;
  };
  std::vector<Pending> pending;
  const NetAttributes attributes = hints(index);
  const auto start = [&](Connection* connection, const ConnectInfo& theirs) {
    auto info = std::make_shared<ConnectInfo>(theirs);
    NetSetup* setup = &parts_.setup;
    pending.push_back({parts_.service.submit([setup, connection, info, attributes] {
                         return setup->connect(*connection, *info, attributes);
                       }),
                       connection->id.peer});
  };
  for (const Round& round : rounds) {
    for (int channel = 0; channel < kMaxChannels; ++channel) {
      for (size_t i = 0; i < round.sending.size(); ++i) {
        if (round.sending[i]->id.channel == channel) start(round.sending[i], round.sending_infos[i]);
      }
      for (size_t i = 0; i < round.receiving.size(); ++i) {
        if (round.receiving[i]->id.channel == channel) start(round.receiving[i], round.receiving_infos[i]);
      }
    }
  }
  for (const Pending& one : pending) {
    parts_.service.wait(one.task, [&] { parts_.bootstrap.check_alive(one.peer); });
  }
  synchronise(rounds, index);
  std::ranges::fill(wanted_, 0);
}

Connector::Round Connector::set_up_round(int distance, int index) {
  Round round;
  round.recv_peer = (shape_.rank - distance + shape_.ranks) % shape_.ranks;
  round.send_peer = (shape_.rank + distance) % shape_.ranks;
  for (const bool send : {false, true}) {
    const int peer = send ? round.send_peer : round.recv_peer;
    for (int channel = 0; channel < kMaxChannels; ++channel) {
      if ((wanted(peer, send) >> channel & 1) == 0) continue;
      ConnectInfo info;
      (send ? round.sending : round.receiving).push_back(set_up({channel, peer, send, index}, info));
      (send ? round.sending_infos : round.receiving_infos).push_back(info);
    }
  }
  exchange(round, distance, index);
  return round;
}

Connection* Connector::set_up(const ConnectionId& id, ConnectInfo& info) {
  Connection& connection = parts_.table.add(id);
  connection.net_device = id.channel % options_.devices;
  connection.shared = id.index == 1;
  connection.gpu_direct = options_.gpu_direct;
  if (connection.gpu_direct && !id.send) {
    // NCCL asks on the caller's thread whether received data needs flushing.
    DeviceProperties properties;
    check(parts_.net.properties(connection.net_device, &properties), "the net plugin's getProperties");
    connection.need_flush = true;
  }
  parts_.service.call([&] { parts_.setup.set_up(connection, &info); });
  log_info(kLogInit | kLogNet, "Channel {:02}/{} : {} -> {} [{}] via NET/{}/{}{}{}", id.channel, id.index,
           id.send ? shape_.rank : id.peer, id.send ? id.peer : shape_.rank, id.send ? "send" : "receive",
           parts_.net.name(), connection.net_device, connection.gpu_direct ? "/GDRDMA" : "",
           connection.shared ? "/Shared" : "");
  in_order_.push_back(&connection);
  return &connection;
}

void Connector::exchange(Round& round, int distance, int index) {
  if (round.receiving.empty() && round.sending.empty()) return;
  const uint32_t tag = message_tag(index, distance, false);
  Bootstrap& bootstrap = parts_.bootstrap;
  if (round.send_peer == round.recv_peer) {
    std::vector<std::byte> mine = to_bytes(round.receiving_infos);
    const std::vector<std::byte> sending = to_bytes(round.sending_infos);
    mine.insert(mine.end(), sending.begin(), sending.end());
    bootstrap.send(round.send_peer, tag, mine);
    const std::vector<std::byte> theirs = bootstrap.receive(round.send_peer, tag);
    const size_t their_receiving = std::min(round.sending.size() * sizeof(ConnectInfo), theirs.size());
    from_bytes(std::span(theirs).first(their_receiving), round.sending_infos);
    from_bytes(std::span(theirs).subspan(their_receiving), round.receiving_infos);
    return;
  }
  if (!round.receiving.empty()) bootstrap.send(round.recv_peer, tag, to_bytes(round.receiving_infos));
  if (!round.sending.empty()) bootstrap.send(round.send_peer, tag, to_bytes(round.sending_infos));
  if (!round.sending.empty()) from_bytes(bootstrap.receive(round.send_peer, tag), round.sending_infos);
  if (!round.receiving.empty()) from_bytes(bootstrap.receive(round.recv_peer, tag), round.receiving_infos);
}

// A rank that is quick must not close what a slow one is still connecting.
void Connector::synchronise(const std::vector<Round>& rounds, int index) {
  Bootstrap& bootstrap = parts_.bootstrap;
  for (size_t i = 0; i < rounds.size(); ++i) {
    const Round& round = rounds[i];
    const uint32_t tag = message_tag(index, static_cast<int>(i) + 1, true);
    const bool one_peer = round.send_peer == round.recv_peer;
    const bool sends = !round.sending.empty() || (one_peer && !round.receiving.empty());
    const bool receives = !one_peer && !round.receiving.empty();
    if (sends) bootstrap.send(round.send_peer, tag, {});
    if (receives) bootstrap.send(round.recv_peer, tag, {});
    if (sends) bootstrap.receive(round.send_peer, tag);
    if (receives) bootstrap.receive(round.recv_peer, tag);
  }
}

NetAttributes Connector::hints(int index) const {
  constexpr int kTreePeers = (kTreeArity - 1) * 2;
  NetAttributes attributes;
  if (index == 1) {
    const int peers = std::min(shape_.p2p_channels * kP2pPerBatch, shape_.ranks);
    attributes.send = attributes.recv = {peers, 1, shape_.p2p_channels_per_peer, 1};
    constexpr uint32_t kScatter = 1U << 9;
    constexpr uint32_t kGather = 1U << 10;
    attributes.op =
        bit(Function::kSend) | bit(Function::kRecv) | bit(Function::kAllToAll) | kScatter | kGather;
  } else {
    const int peers = std::min(kTreePeers, shape_.ranks);
    attributes.send = attributes.recv = {peers, 1, static_cast<int>(shape_.channels.size()), 1};
  }
  return attributes;
}

}  // namespace netsense::engine
