#include "plugin/transport/tcp/reactor.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <system_error>

#include "plugin/core/block_signals.h"

namespace netsense::tcp {
namespace {

constexpr uint64_t kWakeKey = 0;

int check(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

}  // namespace

class Reactor::Worker {
 public:
  explicit Worker(int index)
      : epoll_(check(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
        wake_(check(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = kWakeKey;
    check(epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event), "epoll_ctl");
    const core::BlockSignals blocked;
    thread_ = std::thread([this] { run(); });
    pthread_setname_np(thread_.native_handle(), fmt::format("netsense-io{}", index).c_str());
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  ~Worker() {
    stop_.store(true, std::memory_order_release);
    wake();
    thread_.join();
  }

  void add(int fd, uint32_t events, EventHandler* handler, Registration* registration,
           std::chrono::milliseconds tick) {
    uint64_t key = 0;
    {
      const std::scoped_lock lock(mutex_);
      key = ++last_key_;
      *registration = {this, fd, key};
      entries_.push_back({key, handler, tick, Clock::now() + tick});
      if (tick != kNoTick) next_tick_ = std::min(next_tick_, entries_.back().next_tick);
    }
    epoll_event event{};
    event.events = events;
    event.data.u64 = key;
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
      const int saved = errno;
      forget(key);
      *registration = {};
      throw std::system_error(saved, std::generic_category(), "epoll_ctl");
    }
    // The thread may be waiting without a time limit.
    if (tick != kNoTick) wake();
  }

  void modify(int fd, uint64_t key, uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = key;
    // Fails only when the descriptor has just been removed: then there is nothing left to watch.
    (void)epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
  }

  void silence(int fd) { (void)epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

  void remove(int fd, uint64_t key) {
    silence(fd);
    forget(key);
  }

 private:
  struct Entry {
    uint64_t key;
    EventHandler* handler;
    std::chrono::milliseconds tick;
    Clock::time_point next_tick;
  };

  void wake() {
    const uint64_t one = 1;
    (void)!write(wake_.get(), &one, sizeof one);
  }

  void forget(uint64_t key) {
    std::unique_lock lock(mutex_);
    std::erase_if(entries_, [key](const Entry& entry) { return entry.key == key; });
    if (std::this_thread::get_id() == thread_.get_id()) return;
    returned_.wait(lock, [&] { return running_ != key; });
  }

  // entries_ is in order of keys: they only grow.
  Entry* find(uint64_t key) {
    const auto found =
        std::lower_bound(entries_.begin(), entries_.end(), key,
                         [](const Entry& entry, uint64_t wanted) { return entry.key < wanted; });
    return found == entries_.end() || found->key != key ? nullptr : &*found;
  }

  // Calls the handler of `key`, if it is still registered.
  template <typename Call>
  void call(uint64_t key, Call&& what) {
    EventHandler* handler = nullptr;
    {
      const std::scoped_lock lock(mutex_);
      const Entry* entry = find(key);
      if (entry == nullptr) return;
      handler = entry->handler;
      running_ = key;
    }
    run_guarded(*handler, what);
    {
      const std::scoped_lock lock(mutex_);
      running_ = kWakeKey;
    }
    returned_.notify_all();
  }

  template <typename Call>
  static void run_guarded(EventHandler& handler, Call& what) noexcept {
    try {
      what(handler);
    } catch (const std::exception& error) {
      try {
        handler.on_exception(error.what());
      } catch (const std::exception&) {
        // Not even memory for the message: the peer's time limits end the connection.
        return;
      }
    }
  }

  void run() {
    std::array<epoll_event, 64> events{};
    while (!stop_.load(std::memory_order_acquire)) {
      const int count = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), wait_ms());
      for (int i = 0; i < count; ++i) {
        const epoll_event& event = events[static_cast<size_t>(i)];
        if (event.data.u64 == kWakeKey) {
          uint64_t ignored = 0;
          (void)!read(wake_.get(), &ignored, sizeof ignored);
          continue;
        }
        call(event.data.u64, [&](EventHandler& handler) { handler.on_event(event.events); });
      }
      run_ticks();
    }
  }

  int wait_ms() {
    const std::scoped_lock lock(mutex_);
    if (next_tick_ == Clock::time_point::max()) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_tick_ - Clock::now()).count();
    return static_cast<int>(std::clamp<int64_t>(left, 0, 1000));
  }

  void run_ticks() {
    const auto now = Clock::now();
    due_.clear();
    {
      const std::scoped_lock lock(mutex_);
      if (now < next_tick_) return;
      next_tick_ = Clock::time_point::max();
      for (Entry& entry : entries_) {
        if (entry.tick == kNoTick) continue;
        if (entry.next_tick <= now) {
          entry.next_tick = now + entry.tick;
          due_.push_back(entry.key);
        }
        next_tick_ = std::min(next_tick_, entry.next_tick);
      }
    }
    for (const uint64_t key : due_) call(key, [&](EventHandler& handler) { handler.on_tick(now); });
  }

  core::Fd epoll_;
  core::Fd wake_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<Entry> entries_;
  Clock::time_point next_tick_ = Clock::time_point::max();
  uint64_t last_key_ = kWakeKey;
  uint64_t running_ = kWakeKey;
  std::vector<uint64_t> due_;  // scratch of run_ticks
  std::thread thread_;
};

Reactor::Reactor(int threads) {
  for (int i = 0; i < std::max(threads, 1); ++i) workers_.push_back(std::make_unique<Worker>(i));
}

Reactor::~Reactor() = default;

void Reactor::add(int fd, uint32_t events, EventHandler* handler, Registration* registration,
                  std::chrono::milliseconds tick) {
  Worker* worker = workers_[next_.fetch_add(1, std::memory_order_relaxed) % workers_.size()].get();
  worker->add(fd, events, handler, registration, tick);
}

void Reactor::modify(const Registration& registration, uint32_t events) {
  registration.worker->modify(registration.fd, registration.key, events);
}

void Reactor::silence(const Registration& registration) {
  registration.worker->silence(registration.fd);
}

void Reactor::remove(Registration* registration) {
  if (!registration->valid()) return;
  registration->worker->remove(registration->fd, registration->key);
  *registration = {};
}

}  // namespace netsense::tcp
