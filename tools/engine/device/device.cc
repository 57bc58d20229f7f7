#include "tools/engine/device/device.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "tools/engine/device/channel.h"

namespace netsense::engine {

class Device::Impl {
 public:
  Impl(const CommShape& shape, const PlanSettings& settings, ConnectionLookup lookup)
      : shape_(shape), settings_(settings), lookup_(std::move(lookup)) {
    const size_t channels = std::max(shape.channels.size(), static_cast<size_t>(shape.p2p_channels));
    threads_.reserve(channels);
    for (size_t channel = 0; channel < channels; ++channel) {
      threads_.emplace_back([this, channel] { work(static_cast<int>(channel)); });
    }
  }

  ~Impl() {
    abort();
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  uint64_t launch(std::shared_ptr<const Plan> plan) {
    uint64_t ticket = 0;
    {
      const std::lock_guard lock(mutex_);
      ticket = ++launched_;
      waiting_.push_back(std::move(plan));
      if (waiting_.size() == 1) start_next();
    }
    changed_.notify_all();
    return ticket;
  }

  bool finished(uint64_t ticket) const { return finished_.load(std::memory_order_acquire) >= ticket; }

  void wait(uint64_t ticket) const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return finished(ticket) || aborted(); });
  }

  void abort() {
    {
      const std::lock_guard lock(mutex_);
      abort_.store(true, std::memory_order_relaxed);
    }
    changed_.notify_all();
  }

  bool aborted() const { return abort_.load(std::memory_order_relaxed); }

 private:
  // Passes over plans without work. Under the lock.
  void start_next() {
    while (!waiting_.empty()) {
      const auto& batches = waiting_.front()->batches;
      running_ = static_cast<size_t>(
          std::ranges::count_if(batches, [](const std::vector<Batch>& channel) { return !channel.empty(); }));
      if (running_ > 0) return;
      finish_front();
    }
  }

  void finish_front() {
    waiting_.pop_front();
    finished_.fetch_add(1, std::memory_order_release);
  }

  void work(int channel) {
    Channel runner(shape_, settings_, lookup_, channel);
    uint64_t next = 1;  // ticket to look at
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return closing_ || (!waiting_.empty() && next <= front_ticket()); });
      if (closing_) return;
      next = front_ticket() + 1;
      const std::shared_ptr<const Plan> plan = waiting_.front();
      const auto& batches = plan->batches[static_cast<size_t>(channel)];
      if (batches.empty()) continue;
      lock.unlock();
      const bool done = runner.run(batches, abort_);
      if (!done) abort();
      lock.lock();
      if (--running_ == 0) {
        finish_front();
        start_next();
        changed_.notify_all();
      }
    }
  }

  // Ticket of the plan that runs.
  uint64_t front_ticket() const { return finished_.load(std::memory_order_relaxed) + 1; }

  const CommShape shape_;
  const PlanSettings settings_;
  const ConnectionLookup lookup_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<std::shared_ptr<const Plan>> waiting_;  // the first one runs
  size_t running_ = 0;                               // channels that have not finished it
  uint64_t launched_ = 0;
  std::atomic<uint64_t> finished_{0};
  std::atomic<bool> abort_{false};
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

Device::Device(const CommShape& shape, const PlanSettings& settings, ConnectionLookup lookup)
    : impl_(std::make_unique<Impl>(shape, settings, std::move(lookup))) {}
Device::~Device() = default;

uint64_t Device::launch(std::shared_ptr<const Plan> plan) {
  return impl_->launch(std::move(plan));
}
bool Device::finished(uint64_t ticket) const {
  return impl_->finished(ticket);
}
void Device::wait(uint64_t ticket) const {
  impl_->wait(ticket);
}
void Device::abort() {
  impl_->abort();
}
bool Device::aborted() const {
  return impl_->aborted();
}

}  // namespace netsense::engine
