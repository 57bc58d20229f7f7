#include "tests/loopback/proxy.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace netsense::testing {
namespace {

// So often the thread looks whether it is to end.
constexpr int kLookMs = 20;

void prepare(int fd) {
  const int one = 1;
  (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  (void)::fcntl(fd, F_SETFL, O_NONBLOCK);
}

}  // namespace

// Two sockets, and what is on its way between them.
class Proxy::Connection {
 public:
  // Takes the sockets over. all_harmed, all_carried: of all connections together.
  Connection(int connector, int listener, const Harm& harm, std::atomic<size_t>* all_harmed,
             std::atomic<uint64_t>* all_carried)
      : fds_{connector, listener}, harm_(harm), all_harmed_(*all_harmed), all_carried_(*all_carried) {
    for (const int fd : fds_) prepare(fd);
    if (ends_at(Way::kForward, 0) || ends_at(Way::kBackward, 0)) end();
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { close_both(); }

  // What is waited for, in the order connector, listener.
  [[nodiscard]] std::array<pollfd, 2> wanted() const {
    std::array<pollfd, 2> wanted{};
    for (size_t side = 0; side < 2; ++side) {
      const Flow& in = flows_[side];
      const Flow& out = flows_[1 - side];
      const int events = (in.pending.empty() && !in.ended ? POLLIN : 0) | (out.pending.empty() ? 0 : POLLOUT);
      // poll() passes over negative descriptors, and would report a dead one without end.
      wanted[side] = {events == 0 || over_ ? -1 : fds_[side], static_cast<short>(events), 0};
    }
    return wanted;
  }

  void advance() {
    if (over_) return;
    for (const Way way : {Way::kForward, Way::kBackward}) {
      read(way);
      write(way);
      if (over_) return;
    }
  }

 private:
  struct Flow {
    std::vector<uint8_t> pending;
    uint64_t carried = 0;
    bool ended = false;
  };

  static size_t index(Way way) { return static_cast<size_t>(way); }
  [[nodiscard]] int from(Way way) const { return fds_[index(way)]; }
  [[nodiscard]] int to(Way way) const { return fds_[1 - index(way)]; }
  [[nodiscard]] bool harms(Way way) const {
    return harm_.way == way && (harmed_ || all_harmed_ < harm_.connections);
  }
  [[nodiscard]] bool cuts() const {
    return harm_.kind == Harm::Kind::kClose || harm_.kind == Harm::Kind::kReset;
  }
  [[nodiscard]] bool harms_frame() const {
    return harm_.kind == Harm::Kind::kRepeatFrame || harm_.kind == Harm::Kind::kCutFrame;
  }
  [[nodiscard]] bool ends_at(Way way, uint64_t carried) const {
    return harms(way) && cuts() && carried == harm_.at;
  }

  void read(Way way) {
    Flow& flow = flows_[index(way)];
    if (!flow.pending.empty() || flow.ended) return;
    flow.pending.resize(size_t{256} << 10);
    const ssize_t got = ::recv(from(way), flow.pending.data(), flow.pending.size(), 0);
    flow.pending.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got > 0 && way == Way::kForward) all_carried_ += static_cast<uint64_t>(got);
    if (got > 0 && harms(way) && harm_.kind == Harm::Kind::kFlipBit &&
        harm_.at - flow.carried < flow.pending.size()) {
      flow.pending[harm_.at - flow.carried] ^= 0x10;
      note_harmed();
    }
    if (got > 0 && harms(way) && !harmed_ && harms_frame()) follow_frame(&flow);
    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR))) return;
    flow.ended = true;
    ::shutdown(to(way), SHUT_WR);
  }

  // Collects the frame until the last of it is in flow->pending, and harms it there.
  void follow_frame(Flow* flow) {
    // Sizes from docs/wire-format.md.
    constexpr size_t kHeader = 64;
    constexpr size_t kPayloadBytesAt = 36;
    const uint64_t begin = harm_.at > flow->carried ? harm_.at - flow->carried : 0;
    if (begin >= flow->pending.size()) return;
    const size_t before = frame_.size();
    frame_.insert(frame_.end(), flow->pending.begin() + static_cast<ptrdiff_t>(begin), flow->pending.end());
    if (frame_.size() < kHeader) return;
    uint32_t payload = 0;
    std::memcpy(&payload, &frame_[kPayloadBytesAt], sizeof payload);
    if (frame_.size() < kHeader + payload) return;
    frame_.resize(kHeader + payload);
    const auto end = flow->pending.begin() + static_cast<ptrdiff_t>(begin + frame_.size() - before);
    if (harm_.kind == Harm::Kind::kRepeatFrame) {
      flow->pending.insert(end, frame_.begin(), frame_.end());
    } else {
      // As far as it has not been carried yet.
      const size_t cut = std::min<size_t>(payload / 2, frame_.size() - before);
      flow->pending.erase(end - static_cast<ptrdiff_t>(cut), end);
    }
    note_harmed();
  }

  void write(Way way) {
    Flow& flow = flows_[index(way)];
    while (!flow.pending.empty()) {
      uint64_t piece = std::min<uint64_t>(harm_.piece, flow.pending.size());
      if (harms(way) && cuts()) piece = std::min(piece, harm_.at - flow.carried);
      const ssize_t sent = ::send(to(way), flow.pending.data(), piece, MSG_NOSIGNAL);
      if (sent < 0) {
        if (errno == EAGAIN || errno == EINTR) return;
        // Nobody is there any more; the other way tells the side that still sends.
        flow.pending.clear();
        flow.ended = true;
        return;
      }
      flow.carried += static_cast<uint64_t>(sent);
      flow.pending.erase(flow.pending.begin(), flow.pending.begin() + sent);
      if (ends_at(way, flow.carried)) return end();
      // Tiny pieces: let the receiver find each by itself.
      if (harm_.piece < 1024) return;
    }
  }

  // Before the deed, so that whoever meets its effects finds it counted.
  void note_harmed() {
    harmed_ = true;
    ++all_harmed_;
  }

  void end() {
    note_harmed();
    over_ = true;
    if (harm_.kind == Harm::Kind::kClose) {
      // Not close(): with bytes unread that would be a reset.
      for (const int fd : fds_) ::shutdown(fd, SHUT_RDWR);
      return;
    }
    const linger reset{.l_onoff = 1, .l_linger = 0};
    for (const int fd : fds_) (void)::setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    close_both();
  }

  void close_both() {
    for (int& fd : fds_) {
      if (fd >= 0) ::close(std::exchange(fd, -1));
    }
  }

  std::array<int, 2> fds_;
  const Harm harm_;
  std::atomic<size_t>& all_harmed_;
  std::atomic<uint64_t>& all_carried_;
  std::vector<uint8_t> frame_;  // the one to be harmed, as far as it has come
  std::array<Flow, 2> flows_;
  bool harmed_ = false;
  bool over_ = false;
};

Proxy::Proxy(HandleBytes* handle, const Harm& harm) : target_(*handle), harm_(harm), detour_(handle) {
  (void)::fcntl(detour_.fd(), F_SETFL, O_NONBLOCK);
  thread_ = std::thread([this] { run(); });
}

Proxy::~Proxy() {
  stop_ = true;
  thread_.join();
}

void Proxy::accept_one() {
  const int connector = ::accept4(detour_.fd(), nullptr, nullptr, SOCK_CLOEXEC);
  if (connector < 0) return;
  const int listener = call(target_);
  if (listener < 0) {
    ::close(connector);
    return;
  }
  connections_.push_back(std::make_unique<Connection>(connector, listener, harm_, &harmed_, &carried_));
}

void Proxy::run() {
  while (!stop_) {
    const bool holds_back =
        !connections_.empty() && std::chrono::steady_clock::now() - made_ < harm_.others_late;
    // poll() passes over negative descriptors.
    std::vector<pollfd> wanted{{holds_back ? -1 : detour_.fd(), POLLIN, 0}};
    for (const auto& connection : connections_) {
      for (const pollfd& entry : connection->wanted()) wanted.push_back(entry);
    }
    (void)::poll(wanted.data(), wanted.size(), kLookMs);
    if (wanted.front().revents != 0) accept_one();
    for (const auto& connection : connections_) connection->advance();
  }
}

}  // namespace netsense::testing
