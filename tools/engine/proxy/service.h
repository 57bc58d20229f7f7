// The service thread of a communicator: on it come the plugin's calls that set up, register and close. Work
// that cannot finish at once (connect, accept) is asked again in every round while new work keeps coming in,
// as in NCCL.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace netsense::engine {

class ProxyService {
 public:
  // True when finished, false to be called again. May throw EngineError.
  using Step = std::function<bool()>;

  struct Task {
    Step step;
    bool finished = false;
    std::exception_ptr error;
  };

  // abort, when set, fails every task that is not finished.
  ProxyService(std::string thread_name, const std::atomic<bool>& abort);
  // Runs `last` on the thread and ends it.
  ~ProxyService();
  ProxyService(const ProxyService&) = delete;
  ProxyService& operator=(const ProxyService&) = delete;

  std::shared_ptr<Task> submit(Step step);
  // Waits; throws the task's error. `meanwhile` is called now and then and may throw to give up.
  void wait(const std::shared_ptr<Task>& task, const std::function<void()>& meanwhile = {});
  void call(const std::function<void()>& work);
  // Work for the end of the thread's life.
  void at_end(std::function<void()> work) { at_end_ = std::move(work); }

 private:
  void run();
  bool advance(Task& task);
  void finish(Task& task, std::exception_ptr error);

  std::string thread_name_;
  const std::atomic<bool>& abort_;
  std::function<void()> at_end_;
  std::mutex mutex_;
  std::condition_variable submitted_;
  std::condition_variable finished_;
  std::deque<std::shared_ptr<Task>> inbox_;
  bool stop_ = false;
  std::vector<std::shared_ptr<Task>> running_;
  std::thread thread_;
};

}  // namespace netsense::engine
