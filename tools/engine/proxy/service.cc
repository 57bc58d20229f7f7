#include "tools/engine/proxy/service.h"

#include <sched.h>

#include <chrono>

#include "tools/engine/base/error.h"
#include "tools/engine/trace/trace.h"

namespace netsense::engine {
namespace {

constexpr int kYieldRounds = 1000;  // rounds without progress that only yield; then short sleeps

}  // namespace

ProxyService::ProxyService(std::string thread_name, const std::atomic<bool>& abort)
    : thread_name_(std::move(thread_name)), abort_(abort) {
  thread_ = std::thread([this] { run(); });
}

ProxyService::~ProxyService() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  submitted_.notify_one();
  thread_.join();
}

std::shared_ptr<ProxyService::Task> ProxyService::submit(Step step) {
  auto task = std::make_shared<Task>();
  task->step = std::move(step);
  {
    const std::lock_guard lock(mutex_);
    inbox_.push_back(task);
  }
  submitted_.notify_one();
  return task;
}

void ProxyService::wait(const std::shared_ptr<Task>& task, const std::function<void()>& meanwhile) {
  std::unique_lock lock(mutex_);
  while (!finished_.wait_for(lock, std::chrono::milliseconds(100), [&task] { return task->finished; })) {
    if (!meanwhile) continue;
    lock.unlock();
    meanwhile();
    lock.lock();
  }
  if (task->error) std::rethrow_exception(task->error);
}

void ProxyService::call(const std::function<void()>& work) {
  wait(submit([&work] {
    work();
    return true;
  }));
}

void ProxyService::finish(Task& task, std::exception_ptr error) {
  {
    const std::lock_guard lock(mutex_);
    task.error = std::move(error);
    task.finished = true;
  }
  finished_.notify_all();
}

// Whether the task is finished, well or not.
bool ProxyService::advance(Task& task) {
  try {
    if (!task.step()) {
      if (!abort_.load(std::memory_order_acquire)) return false;
      fail(ns_internal_error, "the communicator was aborted while it was connecting");
    }
    finish(task, nullptr);
  } catch (...) {
    finish(task, std::current_exception());
  }
  return true;
}

void ProxyService::run() {
  const TraceThread name(thread_name_);
  int quiet_rounds = 0;
  for (;;) {
    const size_t finished = std::erase_if(running_, [this](const auto& task) { return advance(*task); });
    std::shared_ptr<Task> task;
    {
      std::unique_lock lock(mutex_);
      if (running_.empty()) submitted_.wait(lock, [this] { return !inbox_.empty() || stop_; });
      if (inbox_.empty() && running_.empty() && stop_) break;
      if (!inbox_.empty()) {
        task = inbox_.front();
        inbox_.pop_front();
      }
    }
    if (task && !advance(*task)) running_.push_back(task);
    quiet_rounds = finished > 0 || task ? 0 : quiet_rounds + 1;
    if (quiet_rounds > kYieldRounds) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    } else if (quiet_rounds > 0) {
      sched_yield();
    }
  }
  if (at_end_) at_end_();
}

}  // namespace netsense::engine
