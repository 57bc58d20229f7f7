#include "plugin/transport/tcp/listener.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "plugin/transport/tcp/random.h"
#include "plugin/transport/tcp/recv_comm.h"

namespace netsense::tcp {
namespace {

using std::chrono::milliseconds;

// Half-made connections kept at a time; the oldest makes room. A connection has at most kMaxStreams of them.
constexpr size_t kMaxCandidates = 128;
// From the first byte to the last one, a handshake is two round trips.
constexpr milliseconds kHandshakeLimit{10000};
constexpr milliseconds kTick{200};

// HTTP, SSH and other protocols of words, or a TLS record (type 22, version 3).
bool looks_like_text(std::span<const unsigned char> bytes) {
  if (bytes.size() >= 2 && bytes[0] == 22 && bytes[1] == 3) return true;
  return !bytes.empty() && std::all_of(bytes.begin(), bytes.end(), [](unsigned char byte) {
    return (byte >= ' ' && byte <= '~') || byte == '\r' || byte == '\n' || byte == '\t';
  });
}

}  // namespace

// A TCP connection that has not yet shown who it is.
class TcpListener::Candidate : public EventHandler {
 public:
  Candidate(TcpListener& owner, core::Fd socket)
      : peer(peer_name(socket.get())),
        fd(std::move(socket)),
        handshake(owner.secret_, owner.runtime_->tuning().capabilities(),
                  random_bytes<handshake::kNonceBytes>()),
        owner_(owner),
        exchange_(handshake),
        deadline_(Clock::now() + std::min(kHandshakeLimit, owner.runtime_->tuning().connect_timeout)) {}

  void on_event(uint32_t /*events*/) override {
    switch (exchange_.advance(fd.get())) {
      case ExchangeResult::kWaiting:
        return;
      case ExchangeResult::kDone:
        return owner_.succeeded(this);
      case ExchangeResult::kFailed:
        return owner_.failed(this, describe(handshake.error(), handshake.peer_version()));
      case ExchangeResult::kClosed:
        went_away_ = true;
        return owner_.failed(this, handshake.greeted() ? "it went away in the middle of the handshake"
                                                       : describe(HandshakeError::kForeign, 0));
    }
  }

  void on_tick(Clock::time_point now) override {
    if (now < deadline_ && !hurry_.load(std::memory_order_relaxed)) return;
    owner_.failed(this, handshake.greeted() ? "it stopped in the middle of the handshake"
                                            : describe(HandshakeError::kForeign, 0));
  }

  void on_exception(const char* what) override { owner_.failed(this, what); }

  // Makes the next tick the last one. Not dropped at once: it may be in the middle of a callback.
  void hurry() { hurry_.store(true, std::memory_order_relaxed); }

  // Port scanners and monitoring knock and leave, or speak to web servers and the like. A rank with another
  // plugin sends that plugin's bytes, or waits.
  [[nodiscard]] Stranger kind() const {
    if (handshake.greeted()) return Stranger::kGreeted;
    const bool silent = exchange_.received().empty();
    return (silent && went_away_) || looks_like_text(exchange_.received()) ? Stranger::kScanner
                                                                           : Stranger::kForeign;
  }

  const std::string peer;
  core::Fd fd;
  ServerHandshake handshake;
  Reactor::Registration registration;

 private:
  TcpListener& owner_;
  Exchange exchange_;
  Clock::time_point deadline_;
  std::atomic<bool> hurry_{false};
  bool went_away_ = false;
};

TcpListener::TcpListener(std::shared_ptr<Runtime> runtime, core::Fd socket, const Address& bound,
                         const Secret& secret, std::string device)
    : runtime_(std::move(runtime)),
      socket_(std::move(socket)),
      address_(to_string(bound)),
      secret_(secret),
      device_(std::move(device)) {
  runtime_->reactor().add(socket_.get(), EPOLLIN, this, &registration_, kTick);
}

TcpListener::~TcpListener() {
  {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
  }
  // From here on no callback changes the lists, so they can be walked without the lock, which a running
  // callback may need before remove() can return.
  Reactor::remove(&registration_);
  for (auto& candidate : candidates_) Reactor::remove(&candidate->registration);
}

void TcpListener::on_event(uint32_t /*events*/) {
  for (;;) {
    core::Fd fd(::accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (fd.valid()) {
      admit(std::move(fd));
      continue;
    }
    // A connection that died in the queue says nothing about the others.
    if (errno == ECONNABORTED || errno == EINTR || errno == EPROTO) continue;
    if (errno != EAGAIN) shortage(errno);
    return;
  }
}

// The connection stays in the queue, of which epoll would tell again and again: the next tick looks again.
void TcpListener::shortage(int error) {
  if (error != EMFILE && error != ENFILE && error != ENOBUFS && error != ENOMEM) {
    health_.fail(Status::kSystemError, fmt::format("accept on {}: {}", address_, std::strerror(error)));
  }
  Reactor::modify(registration_, 0);
  paused_ = true;
  const std::scoped_lock lock(mutex_);
  shortage_ = error;
}

void TcpListener::on_exception(const char* what) {
  health_.fail(Status::kSystemError, fmt::format("accepting on {} failed: {}", address_, what));
}

void TcpListener::admit(core::Fd socket) {
  if (apply_options(socket.get(), runtime_->tuning().socket) != 0) return;
  const std::scoped_lock lock(mutex_);
  if (closing_ || candidates_.size() >= 4 * kMaxCandidates) return;
  auto candidate = std::make_unique<Candidate>(*this, std::move(socket));
  runtime_->reactor().add(candidate->fd.get(), EPOLLIN, candidate.get(), &candidate->registration, kTick);
  candidates_.push_back(std::move(candidate));
  size_t surplus = candidates_.size() > kMaxCandidates ? candidates_.size() - kMaxCandidates : 0;
  for (const auto& old : candidates_) {
    if (surplus-- == 0) break;
    old->hurry();
  }
}

void TcpListener::on_tick(Clock::time_point now) {
  if (paused_) {
    paused_ = false;
    Reactor::modify(registration_, EPOLLIN);
  }
  const std::scoped_lock lock(mutex_);
  std::erase_if(groups_, [&](const auto& entry) {
    if (now < entry.second.deadline) return false;
    note_stranger(entry.second.peer, "only some of its streams arrived", Stranger::kGreeted);
    return true;
  });
}

void TcpListener::succeeded(Candidate* candidate) {
  const std::scoped_lock lock(mutex_);
  if (closing_) return;
  const Hello& hello = candidate->handshake.hello();
  auto [entry, added] = groups_.try_emplace(hello.connection);
  Group& group = entry->second;
  if (added) {
    group.streams.resize(hello.streams);
    group.missing = hello.streams;
    group.peer = candidate->peer;
    group.capabilities = hello.capabilities;
    // As long as its connector may take: this stream has proved itself, and the others may be held up.
    group.deadline = Clock::now() + runtime_->tuning().connect_timeout;
  }
  const bool fits = hello.streams == group.streams.size() && !group.streams[hello.stream].valid() &&
                    hello.capabilities == group.capabilities;
  if (fits) {
    Reactor::remove(&candidate->registration);
    group.streams[hello.stream] = std::move(candidate->fd);
    if (--group.missing == 0) {
      ready_.push_back(std::move(group));
      groups_.erase(entry);
    }
  } else {
    note_stranger(candidate->peer, "its streams contradict each other", Stranger::kGreeted);
  }
  drop(candidate);
}

void TcpListener::failed(Candidate* candidate, std::string_view why) {
  const std::scoped_lock lock(mutex_);
  if (closing_) return;
  note_stranger(candidate->peer, why, candidate->kind());
  drop(candidate);
}

// A peer that dies takes streams with it that had not said a word yet; these must not pass for somebody
// else's.
void TcpListener::note_stranger(std::string_view peer, std::string_view why, Stranger kind) {
  if (kind < stranger_) return;
  stranger_ = kind;
  last_stranger_ = fmt::format("{}: {}", peer, why);
}

void TcpListener::drop(Candidate* candidate) {
  Reactor::remove(&candidate->registration);
  candidates_.remove_if([candidate](const auto& entry) { return entry.get() == candidate; });
}

Status TcpListener::accept(std::unique_ptr<transport::RecvComm>* comm) {
  const std::scoped_lock lock(mutex_);
  if (!ready_.empty()) {
    Group group = std::move(ready_.front());
    ready_.pop_front();
    *comm = std::make_unique<TcpRecvComm>(runtime_, std::move(group.streams), std::move(group.peer),
                                          group.capabilities, device_);
    return Status::kOk;
  }
  if (!health_.ok()) return health_.status();
  return check_time();
}

Status TcpListener::check_time() {
  const auto now = Clock::now();
  if (!first_accept_) first_accept_ = now;
  const auto limit = runtime_->tuning().connect_timeout;
  if (now - *first_accept_ < limit) return Status::kOk;
  const auto seconds = std::chrono::duration<double>(limit).count();
  if (shortage_ != 0) {
    health_.fail(Status::kSystemError, fmt::format("a peer that connects to {} cannot be let in: {}",
                                                   address_, explain(shortage_)));
    return health_.status();
  }
  if (stranger_ != Stranger::kScanner) {
    health_.fail(
        Status::kRemoteError,
        fmt::format("no netsense peer connected to {} within {} s (NETSENSE_CONNECT_TIMEOUT). The last to "
                    "try was {}",
                    address_, seconds, last_stranger_));
    return health_.status();
  }
  // Nobody has come: the peer may be busy, and NCCL gives up by itself when it hears that it died.
  if (!said_waiting_) {
    said_waiting_ = true;
    NETSENSE_WARN("still waiting on {} for a peer after {} s: no host has connected{}", address_, seconds,
                  last_stranger_.empty() ? "" : fmt::format(", but {}", last_stranger_));
  }
  return Status::kOk;
}

}  // namespace netsense::tcp
