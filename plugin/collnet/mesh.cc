#include "plugin/collnet/mesh.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "plugin/collnet/hello.h"
#include "plugin/core/log.h"

namespace netsense::collnet {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::microseconds kPollEvery{200};

// Connections that a rank makes at a time. A listener keeps a limited number of half-made TCP connections and
// drops the oldest when there are more; with many ranks and many streams, all at once are too many.
constexpr size_t kAtOnce = 4;

// Messages under way per direction and phase: enough to keep a connection busy, and in all not much more
// memory for many peers than for few. Most of those that are sent hold a header only, and use a page.
size_t messages_sent(int ranks) {
  return static_cast<size_t>(std::clamp(256 / ranks, 4, 16));
}
size_t messages_received(int ranks) {
  return static_cast<size_t>(std::clamp(128 / ranks, 2, 4));
}

// One connection that this rank makes, until its hello is sent.
struct Outgoing {
  int peer = 0;
  Phase phase = Phase::kInputs;
  std::array<std::byte, transport::kHandleSize> handle{};  // the transport keeps its state in it
  std::unique_ptr<transport::SendComm> comm;
  HelloBytes hello{};
  transport::Request* request = nullptr;
  bool done = false;
};

// One that it accepts, until the peer has said who it is.
struct Incoming {
  std::unique_ptr<transport::RecvComm> comm;
  HelloBytes hello{};
  transport::Request* request = nullptr;
  bool done = false;
};

class MeshBuilder {
 public:
  MeshBuilder(const core::Device& device, std::span<void* const> handles, int rank,
              transport::Listener& listener, const Agreement& agreement, Mesh* mesh)
      : device_(device), listener_(listener), agreement_(agreement), mesh_(*mesh) {
    const int ranks = static_cast<int>(handles.size());
    mesh_.rank = rank;
    mesh_.peers.resize(handles.size());
    for (int distance = 1; distance < ranks; ++distance) {
      // Each begins at its own neighbour, so that no listener is asked by all at once.
      const int peer = (rank + distance) % ranks;
      for (const Phase phase : {Phase::kInputs, Phase::kSums}) {
        Outgoing& made = outgoing_.emplace_back();
        made.peer = peer;
        made.phase = phase;
        std::memcpy(made.handle.data(), handles[static_cast<size_t>(peer)], made.handle.size());
        made.hello = write_hello({.rank = static_cast<uint32_t>(rank),
                                  .ranks = static_cast<uint32_t>(ranks),
                                  .phase = static_cast<uint32_t>(phase),
                                  .fingerprint = agreement.fingerprint,
                                  .text = agreement.text});
      }
    }
    incoming_.reserve(outgoing_.size());
  }

  // *done: whether every connection is there. Settings that differ are an error only then: who closed at
  // once would leave the peer, whose own hello is still to come, with a lost connection instead of the
  // reason.
  Status poll(bool* done) {
    size_t under_way = 0;
    for (Outgoing& connection : outgoing_) {
      if (connection.done) continue;
      if (++under_way > kAtOnce) break;
      if (const Status status = advance(connection); status != Status::kOk) return status;
    }
    if (const Status status = accept(); status != Status::kOk) return status;
    for (Incoming& connection : incoming_) {
      if (const Status status = advance(connection); status != Status::kOk) return status;
    }
    *done = std::ranges::all_of(outgoing_, &Outgoing::done) && incoming_.size() == outgoing_.size() &&
            std::ranges::all_of(incoming_, &Incoming::done);
    return *done && differing_ ? Status::kInvalidUsage : Status::kOk;
  }

  // For the message of a rank that has waited long enough.
  [[nodiscard]] std::string missing() const {
    std::string text;
    for (int peer = 0; peer < mesh_.ranks(); ++peer) {
      if (peer == mesh_.rank) continue;
      const Peer& there = mesh_.peers[static_cast<size_t>(peer)];
      if (there.recv[0] != nullptr && there.recv[1] != nullptr) continue;
      text += fmt::format("{}{}", text.empty() ? "" : ", ", peer);
    }
    return text;
  }

 private:
  Status advance(Outgoing& connection) {
    if (connection.done) return Status::kOk;
    if (connection.comm == nullptr) {
      const Status status =
          device_.transport->connect(device_.index, transport::Handle(connection.handle), &connection.comm);
      if (status != Status::kOk || connection.comm == nullptr) return status;
    }
    if (connection.request == nullptr) {
      const Status status = connection.comm->isend(connection.hello.data(), connection.hello.size(), 0,
                                                   nullptr, {}, &connection.request);
      if (status != Status::kOk || connection.request == nullptr) return status;
    }
    size_t bytes = 0;
    const Status status = connection.comm->test(connection.request, &connection.done, &bytes);
    if (status != Status::kOk || !connection.done) return status;
    peer(connection.peer).send[static_cast<int>(connection.phase)] =
        std::make_unique<SendLane>(std::move(connection.comm), messages_sent(mesh_.ranks()));
    return Status::kOk;
  }

  Status accept() {
    if (incoming_.size() == outgoing_.size()) return Status::kOk;
    std::unique_ptr<transport::RecvComm> comm;
    const Status status = listener_.accept(&comm);
    if (status == Status::kOk && comm != nullptr) incoming_.emplace_back().comm = std::move(comm);
    return status;
  }

  Status advance(Incoming& connection) {
    if (connection.done) return Status::kOk;
    if (connection.request == nullptr) {
      const Status status = connection.comm->irecv(connection.hello.data(), connection.hello.size(), 0,
                                                   nullptr, transport::Reader::kWaits, &connection.request);
      if (status != Status::kOk || connection.request == nullptr) return status;
    }
    size_t bytes = 0;
    const Status status = connection.comm->test(connection.request, &connection.done, &bytes);
    if (status != Status::kOk || !connection.done) return status;
    return greet(connection, bytes);
  }

  Status greet(Incoming& connection, size_t bytes) {
    const std::string address = connection.comm->peer();
    const auto hello = read_hello(std::span(connection.hello).first(bytes));
    if (!hello || hello->ranks != static_cast<uint32_t>(mesh_.ranks()) || hello->rank >= hello->ranks ||
        hello->phase >= kPhases || static_cast<int>(hello->rank) == mesh_.rank) {
      NETSENSE_WARN(
          "CollNet: {} connected and does not belong to these {} ranks or runs another netsense. Install the "
          "same version on every node",
          address, mesh_.ranks());
      return Status::kRemoteError;
    }
    if (hello->fingerprint != agreement_.fingerprint) {
      differing_ = true;
      // Once for the two connections of each peer.
      if (hello->phase == static_cast<uint32_t>(Phase::kInputs)) {
        NETSENSE_WARN(
            "CollNet: rank {} ({}) has other settings: it has {}; rank {} has {}. Set them alike on all "
            "ranks",
            hello->rank, address, hello->text, mesh_.rank, agreement_.text);
      }
    }
    std::unique_ptr<RecvLane>& lane = peer(static_cast<int>(hello->rank)).recv[hello->phase];
    if (lane != nullptr) {
      NETSENSE_WARN("CollNet: rank {} ({}) connected twice", hello->rank, address);
      return Status::kRemoteError;
    }
    lane = std::make_unique<RecvLane>(std::move(connection.comm),
                                      fmt::format("{} (rank {})", address, hello->rank),
                                      messages_received(mesh_.ranks()));
    return Status::kOk;
  }

  Peer& peer(int rank) { return mesh_.peers[static_cast<size_t>(rank)]; }

  const core::Device& device_;
  transport::Listener& listener_;
  const Agreement& agreement_;
  Mesh& mesh_;
  bool differing_ = false;
  std::vector<Outgoing> outgoing_;
  std::vector<Incoming> incoming_;
};

}  // namespace

Status connect_mesh(const core::Device& device, std::span<void* const> handles, int rank,
                    transport::Listener& listener, const Agreement& agreement,
                    std::chrono::milliseconds patience, Mesh* mesh) {
  MeshBuilder builder(device, handles, rank, listener, agreement, mesh);
  const Clock::time_point deadline = Clock::now() + patience;
  for (;;) {
    bool done = false;
    const Status status = builder.poll(&done);
    if (status != Status::kOk || done) return status;
    if (Clock::now() >= deadline) {
      NETSENSE_WARN(
          "CollNet: rank {} still waits for rank {} after {} s (NETSENSE_CONNECT_TIMEOUT). Look at the log "
          "of the processes there",
          rank, builder.missing(), std::chrono::duration<double>(patience).count());
      return Status::kRemoteError;
    }
    std::this_thread::sleep_for(kPollEvery);
  }
}

}  // namespace netsense::collnet
