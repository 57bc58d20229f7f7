#include "tests/reference/tracing/collective_group.h"

#include <array>
#include <chrono>
#include <cstring>
#include <thread>

namespace netsense::reference {
namespace {

constexpr std::chrono::seconds kJoinTimeout{30};
constexpr int kTag = 0;

template <typename T>
void add(std::byte* sum, const std::vector<std::byte>& addend) {
  for (size_t at = 0; at < addend.size(); at += sizeof(T)) {
    T left;
    T right;
    std::memcpy(&left, sum + at, sizeof(T));
    std::memcpy(&right, addend.data() + at, sizeof(T));
    left += right;
    std::memcpy(sum + at, &left, sizeof(T));
  }
}

Status finish(Connection& connection, Request** request) {
  if (*request == nullptr) return Status::kOk;
  bool done = false;
  const Status status = connection.test(*request, &done);
  if (done) *request = nullptr;
  return status;
}

Status post(RecvConnection& connection, void* data, size_t bytes, Request** request) {
  const std::array<void*, 1> buffers{data};
  const std::array<size_t, 1> room{bytes};
  const std::array<int, 1> tags{kTag};
  return connection.irecv(buffers, room, tags, request);
}

bool all_finished(const std::vector<Request*>& requests) {
  for (const Request* request : requests) {
    if (request != nullptr) return false;
  }
  return true;
}

// Connections wanted to and from this rank, and how far they are.
struct Joining {
  std::vector<Socket> outgoing;  // by position in targets
  std::vector<Socket> incoming;  // by the peer's number
  size_t outgoing_left;
  size_t incoming_left;

  Status attempt(std::span<Handle> targets, int rank, Listener* listener) {
    for (size_t i = 0; i < targets.size(); ++i) {
      if (outgoing[i].valid()) continue;
      const Status status = connect_to(&targets[i], rank, &outgoing[i]);
      if (status != Status::kOk) return status;
      if (outgoing[i].valid()) --outgoing_left;
    }
    Socket socket;
    int64_t peer = 0;
    const Status status = listener->accept(&socket, &peer);
    if (status != Status::kOk || !socket.valid()) return status;
    if (peer < 0 || peer >= static_cast<int64_t>(incoming.size())) return Status::kRemoteError;
    incoming[static_cast<size_t>(peer)] = std::move(socket);
    --incoming_left;
    return Status::kOk;
  }
};

}  // namespace

Status CollectiveGroup::join(std::span<Handle* const> handles, int rank, Listener* listener,
                             std::unique_ptr<CollectiveGroup>* group) {
  const bool root = rank == 0;
  std::vector<Handle> targets;
  for (size_t i = root ? 1 : 0; i < (root ? handles.size() : size_t{1}); ++i) targets.push_back(*handles[i]);
  Joining joining{.outgoing = std::vector<Socket>(targets.size()),
                  .incoming = std::vector<Socket>(handles.size()),
                  .outgoing_left = targets.size(),
                  .incoming_left = targets.size()};
  const auto deadline = std::chrono::steady_clock::now() + kJoinTimeout;
  while (joining.outgoing_left + joining.incoming_left > 0) {
    const Status status = joining.attempt(targets, rank, listener);
    if (status != Status::kOk) return status;
    if (std::chrono::steady_clock::now() > deadline) return Status::kRemoteError;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  std::unique_ptr<CollectiveGroup> joined(new CollectiveGroup(root));
  for (Socket& socket : joining.outgoing) {
    joined->sends_.push_back(std::make_unique<SendConnection>(std::move(socket), OnPeerClose::kError));
  }
  for (Socket& socket : joining.incoming) {
    if (!socket.valid()) continue;
    joined->receives_.push_back(std::make_unique<RecvConnection>(std::move(socket), OnPeerClose::kError));
  }
  *group = std::move(joined);
  return Status::kOk;
}

Status CollectiveGroup::iallreduce(const void* send, void* receive, size_t bytes, ElementType type,
                                   std::unique_ptr<CollectiveRequest>* request) {
  if (under_way_ == kMaxRequests) return Status::kOk;
  auto created = std::make_unique<CollectiveRequest>();
  created->group = this;
  created->result = static_cast<std::byte*>(receive);
  created->bytes = bytes;
  created->type = type;
  created->receives.resize(receives_.size());
  created->sends.resize(sends_.size());
  if (root_) {
    std::memmove(receive, send, bytes);
    created->contributions.assign(receives_.size(), std::vector<std::byte>(bytes));
  } else {
    created->summed = true;
    const Status status = sends_[0]->isend(send, bytes, kTag, &created->sends[0]);
    if (status != Status::kOk) return status;
  }
  for (size_t i = 0; i < receives_.size(); ++i) {
    void* target = root_ ? created->contributions[i].data() : receive;
    const Status status = post(*receives_[i], target, bytes, &created->receives[i]);
    if (status != Status::kOk) return status;
  }
  ++under_way_;
  *request = std::move(created);
  return Status::kOk;
}

Status CollectiveGroup::test(CollectiveRequest* request, bool* done) {
  *done = false;
  for (size_t i = 0; i < receives_.size(); ++i) {
    const Status status = finish(*receives_[i], &request->receives[i]);
    if (status != Status::kOk) return status;
  }
  if (!request->summed && all_finished(request->receives)) {
    const Status status = send_result(request);
    if (status != Status::kOk) return status;
  }
  for (size_t i = 0; i < sends_.size(); ++i) {
    const Status status = finish(*sends_[i], &request->sends[i]);
    if (status != Status::kOk) return status;
  }
  *done = request->summed && all_finished(request->receives) && all_finished(request->sends);
  if (*done) --under_way_;
  return Status::kOk;
}

Status CollectiveGroup::send_result(CollectiveRequest* request) {
  for (const std::vector<std::byte>& contribution : request->contributions) {
    if (request->type == ElementType::kFloat32) {
      add<float>(request->result, contribution);
    } else {
      add<double>(request->result, contribution);
    }
  }
  for (size_t i = 0; i < sends_.size(); ++i) {
    const Status status = sends_[i]->isend(request->result, request->bytes, kTag, &request->sends[i]);
    if (status != Status::kOk) return status;
  }
  request->summed = true;
  return Status::kOk;
}

}  // namespace netsense::reference
