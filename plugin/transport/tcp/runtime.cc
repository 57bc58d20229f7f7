#include "plugin/transport/tcp/runtime.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "plugin/config/auto_values.h"

namespace netsense::tcp {
namespace {

using std::chrono::milliseconds;

// A peer that neither reads nor dies keeps a closed socket at most this long.
constexpr milliseconds kCloseLimit{5000};
constexpr milliseconds kCloseTick{10};

std::shared_ptr<telemetry::Trace> make_trace(const config::Settings& settings) {
  if (settings.trace.empty()) return nullptr;
  return std::make_shared<telemetry::Trace>(
      telemetry::TraceOptions{.path = settings.trace,
                              .limit_bytes = settings.trace_limit,
                              .mode = static_cast<uint8_t>(settings.mode),
                              .codec = static_cast<uint8_t>(settings.codec)});
}

}  // namespace

Tuning resolve(const config::Settings& settings, int cores) {
  return {.streams = config::streams_in_force(settings, cores),
          .local_streams = config::local_streams_in_force(settings, cores),
          .threads = config::threads_in_force(settings, cores),
          .block_bytes = settings.block_bytes,
          .checksum = settings.checksum,
          .coding = {.mode = settings.mode, .codec = settings.codec, .min_bytes = settings.min_coded_bytes},
          .connect_timeout = settings.connect_timeout,
          .peer_timeout = settings.peer_timeout,
          .socket = {.congestion = settings.tcp_congestion, .peer_timeout = settings.peer_timeout},
          .statistics = {.on = settings.statistics, .directory = settings.statistics_directory},
          .trace = make_trace(settings)};
}

// One socket on its way out.
class Runtime::Closing : public EventHandler {
 public:
  Closing(Runtime& owner, core::Fd fd, std::vector<std::byte> rest)
      : owner_(owner), fd_(std::move(fd)), rest_(std::move(rest)), deadline_(Clock::now() + kCloseLimit) {
    write_rest();
    owner_.reactor_.add(fd_.get(), EPOLLIN | (rest_.empty() ? 0U : EPOLLOUT), this, &registration_,
                        kCloseTick);
  }

  void on_event(uint32_t events) override {
    if ((events & EPOLLOUT) != 0 && !rest_.empty()) {
      write_rest();
      if (rest_.empty()) Reactor::modify(registration_, EPOLLIN);
    }
    // Whatever the peer still says (acknowledgements) no longer matters, but unread bytes would turn our
    // close into a reset.
    if (!drain()) finish();
  }

  void on_tick(Clock::time_point now) override {
    if (now >= deadline_ || (rest_.empty() && unacknowledged_bytes(fd_.get()) == 0)) finish();
  }

  void on_exception(const char* /*what*/) override { finish(); }

 private:
  // False when the connection is over.
  bool drain() {
    std::array<std::byte, 4096> ignored;
    for (;;) {
      const ssize_t got = ::recv(fd_.get(), ignored.data(), ignored.size(), MSG_DONTWAIT);
      if (got > 0) continue;
      return got < 0 && (errno == EAGAIN || errno == EINTR);
    }
  }

  void write_rest() {
    if (!rest_.empty()) {
      const ssize_t sent = ::send(fd_.get(), rest_.data(), rest_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent > 0) {
        rest_.erase(rest_.begin(), rest_.begin() + sent);
      } else if (errno != EAGAIN && errno != EINTR) {
        rest_.clear();
      }
    }
    if (rest_.empty()) ::shutdown(fd_.get(), SHUT_WR);
  }

  void finish() {
    Reactor::remove(&registration_);
    fd_.reset();
    owner_.retire(this);  // destroys *this
  }

  Runtime& owner_;
  core::Fd fd_;
  std::vector<std::byte> rest_;
  Clock::time_point deadline_;
  Reactor::Registration registration_;
};

Runtime::Runtime(const Tuning& tuning) : tuning_(tuning), reactor_(std::max(1, tuning.threads)) {}

Runtime::~Runtime() {
  std::unique_lock lock(mutex_);
  retired_.wait(lock, [this] { return closing_.empty(); });
}

void Runtime::finish_close(core::Fd fd, std::vector<std::byte> rest) {
  // The lock also keeps retire() from running before the entry is in the list.
  const std::scoped_lock lock(mutex_);
  closing_.push_back(std::make_unique<Closing>(*this, std::move(fd), std::move(rest)));
}

void Runtime::retire(Closing* closing) {
  std::unique_ptr<Closing> dead;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = std::find_if(closing_.begin(), closing_.end(),
                                    [closing](const auto& entry) { return entry.get() == closing; });
    dead = std::move(*found);
    closing_.erase(found);
    // Under the lock: once it is released the waiting destructor may take the condition variable away.
    retired_.notify_all();
  }
}

}  // namespace netsense::tcp
