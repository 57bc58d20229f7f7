#include "plugin/transport/tcp/connector.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "plugin/transport/tcp/exchange.h"
#include "plugin/transport/tcp/random.h"
#include "plugin/transport/tcp/send_comm.h"

namespace netsense::tcp {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTick{50};
// NCCL asks again and again while it wants a connection. Counted in ticks: they stand still while a debugger
// or SIGSTOP holds the process.
constexpr int kAbandonedTicks = 200;
// A refused or unreachable peer is asked again: it may be restarting its network, and NCCL's own transport
// does so.
constexpr milliseconds kRetryAfter{100};

constexpr const char* kClosedEarly =
    "it closed the connection during the handshake: its process may have ended, or it does not run netsense "
    "(set "
    "NCCL_NET_PLUGIN=netsense on every node)";

bool worth_retrying(int error) {
  return error == ECONNREFUSED || error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH ||
         error == ENETDOWN || error == EAGAIN || error == EADDRNOTAVAIL;
}

}  // namespace

// One stream on its way. Only touched by the reactor after start().
class Connector::Attempt : public EventHandler {
 public:
  Attempt(Connector& owner, const Hello& hello)
      : owner_(owner),
        handshake_(owner.target_.secret, hello, random_bytes<handshake::kNonceBytes>()),
        exchange_(handshake_) {}

  ~Attempt() override {
    {
      const std::scoped_lock lock(retrying_);
      cancelled_ = true;
    }
    Reactor::remove(&registration_);
  }

  // Begins; called once, by the thread that makes the connector.
  void start() { try_connect(Clock::now()); }
  core::Fd take_socket() {
    Reactor::remove(&registration_);
    return std::move(fd_);
  }

  void on_event(uint32_t events) override {
    if (proven_) return notice_end();
    if (finished_) return;
    if (!connected_) {
      const int error = take_socket_error(fd_.get());
      if (error != 0) return retry(error);
      if ((events & EPOLLOUT) == 0) return;
      connected_ = true;
      Reactor::modify(registration_, EPOLLIN);
    }
    switch (exchange_.advance(fd_.get())) {
      case ExchangeResult::kWaiting:
        return;
      case ExchangeResult::kDone:
        finished_ = proven_ = true;
        return owner_.stream_ready(handshake_.peer_capabilities());
      case ExchangeResult::kFailed:
        return give_up(Status::kRemoteError, describe(handshake_.error(), handshake_.peer_version()));
      case ExchangeResult::kClosed:
        return give_up(Status::kRemoteError, kClosedEarly);
    }
  }

  void on_exception(const char* what) override { give_up(Status::kSystemError, what); }

  void on_tick(Clock::time_point now) override {
    const uint64_t polls = owner_.polls();
    ticks_unasked_ = polls == polls_seen_ ? ticks_unasked_ + 1 : 0;
    polls_seen_ = polls;
    if (ticks_unasked_ >= kAbandonedTicks && owner_.leave(polls)) return leave();
    if (finished_) return;
    if (now >= owner_.deadline_) {
      const auto seconds = std::chrono::duration<double>(owner_.runtime_->tuning().connect_timeout).count();
      const std::string why =
          connected_
              ? describe(HandshakeError::kForeign, 0) + "; it accepted the connection and then said nothing"
              : fmt::format("it cannot be reached: {}", std::strerror(last_error_));
      return give_up(Status::kRemoteError,
                     fmt::format("{} (after {} s, NETSENSE_CONNECT_TIMEOUT)", why, seconds));
    }
    if (retry_at_ && now >= *retry_at_) try_connect(now);
  }

 private:
  void try_connect(Clock::time_point now) {
    const std::scoped_lock lock(retrying_);
    if (cancelled_) return;
    retry_at_.reset();
    Reactor::remove(&registration_);
    fd_ = start_connect(owner_.target_.address, owner_.runtime_->tuning().socket);
    if (!fd_.valid()) {
      // Not even a socket: the tick needs a descriptor to hang on, so there is no later attempt.
      return give_up(Status::kSystemError, fmt::format("connecting failed: {}", explain(errno)));
    }
    next_retry_ = now + kRetryAfter;
    owner_.runtime_->reactor().add(fd_.get(), EPOLLOUT | EPOLLIN, this, &registration_, kTick);
  }

  void retry(int error) {
    last_error_ = error;
    if (error == ECONNRESET) return give_up(Status::kRemoteError, kClosedEarly);
    if (!worth_retrying(error)) {
      return give_up(Status::kRemoteError, fmt::format("connecting failed: {}", std::strerror(error)));
    }
    retry_at_ = next_retry_;
    Reactor::silence(registration_);  // the tick replaces the dead socket
  }

  // NCCL does not say so when it gives a connection up. The peer must hear of it, or it would wait for ever.
  void leave() {
    finished_ = true;
    proven_ = false;
    ::shutdown(fd_.get(), SHUT_RDWR);
    Reactor::silence(registration_);
  }

  // The peer says nothing more before the comm takes the socket over; but it may give the connection up while
  // other streams of it are still on their way.
  void notice_end() {
    std::byte ignored{};
    const ssize_t got = ::recv(fd_.get(), &ignored, sizeof ignored, MSG_PEEK | MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    Reactor::silence(registration_);
    if (got <= 0) owner_.stream_lost();
  }

  void give_up(Status status, const std::string& why) {
    finished_ = true;
    if (registration_.valid()) Reactor::silence(registration_);
    owner_.fail(status, why);
  }

  Connector& owner_;
  ClientHandshake handshake_;
  Exchange exchange_;
  std::mutex retrying_;  // a retry makes a new registration, which the destructor must not miss
  bool cancelled_ = false;
  core::Fd fd_;
  Reactor::Registration registration_;
  bool connected_ = false;
  bool finished_ = false;
  bool proven_ = false;  // waits for the other streams of the connection
  int last_error_ = ETIMEDOUT;
  uint64_t polls_seen_ = 0;
  int ticks_unasked_ = 0;
  Clock::time_point next_retry_;
  std::optional<Clock::time_point> retry_at_;
};

Connector::Connector(std::shared_ptr<Runtime> runtime, const HandleContents& target, std::string device)
    : runtime_(std::move(runtime)),
      target_(target),
      peer_(to_string(target.address)),
      device_(std::move(device)),
      deadline_(Clock::now() + runtime_->tuning().connect_timeout) {
  const Tuning& tuning = runtime_->tuning();
  const auto streams =
      static_cast<uint16_t>(is_on_this_host(target.address) ? tuning.local_streams : tuning.streams);
  Hello hello{.connection = random_bytes<sizeof(ConnectionId)>(),
              .stream = 0,
              .streams = streams,
              .capabilities = tuning.capabilities()};
  for (; hello.stream < streams; ++hello.stream) attempts_.push_back(std::make_unique<Attempt>(*this, hello));
  for (auto& attempt : attempts_) attempt->start();
}

Connector::~Connector() = default;

void Connector::stream_ready(const Capabilities& peer) {
  const std::scoped_lock lock(mutex_);
  peer_capabilities_ = peer;
  ++ready_;
}

void Connector::fail(Status status, const std::string& why) {
  health_.fail(status, fmt::format("cannot connect to peer {}: {}", peer_, why));
}

void Connector::stream_lost() {
  {
    const std::scoped_lock lock(mutex_);
    // A whole connection is handed over whatever has become of it: its comm says what is wrong.
    if (ready_ == attempts_.size()) return;
  }
  fail(Status::kRemoteError, kClosedEarly);
}

bool Connector::leave(uint64_t polls) {
  const std::scoped_lock lock(mutex_);
  // Asked for at this very moment: then the attempts belong to poll().
  if (!left_ && polls_ != polls) return false;
  left_ = true;
  return true;
}

Status Connector::poll(std::unique_ptr<transport::SendComm>* comm) {
  bool ready = false;
  {
    const std::scoped_lock lock(mutex_);
    ++polls_;
    if (left_)
      fail(Status::kInternalError, "NCCL had stopped asking for this connection, so it was given up");
    ready = ready_ == attempts_.size();
  }
  if (!health_.ok()) return health_.status();
  if (!ready) return Status::kOk;
  std::vector<core::Fd> streams;
  streams.reserve(attempts_.size());
  for (auto& attempt : attempts_) streams.push_back(attempt->take_socket());
  *comm = std::make_unique<TcpSendComm>(runtime_, std::move(streams), peer_, peer_capabilities_, device_);
  return Status::kOk;
}

}  // namespace netsense::tcp
