// The progress thread of a communicator: takes queued operations in order, keeps those of one connection
// behind each other, and moves all that are active forward, round after round.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tools/engine/proxy/op.h"
#include "tools/engine/proxy/profile.h"
#include "tools/engine/proxy/transfer.h"

namespace netsense::engine {

class ProxyProgress {
 public:
  // on_error is called once, on the thread, with the first error of the plugin; the thread then ends.
  ProxyProgress(const TransferContext& context, std::string thread_name, const std::atomic<bool>& abort,
                std::function<void(ns_result)> on_error);
  // Finishes what is active unless aborted.
  ~ProxyProgress();
  ProxyProgress(const ProxyProgress&) = delete;
  ProxyProgress& operator=(const ProxyProgress&) = delete;

  void post(std::vector<QueuedOp> ops);

 private:
  void run();
  ns_result advance_all(bool& idle);
  ns_result advance(ProxyArgs& args);
  int take_posted();
  void append(const QueuedOp& queued);
  void add_sub(ProxyArgs& args, const QueuedOp& queued);
  ProxyArgs* allocate();
  ProxyArgs* remove(ProxyArgs* args, ProxyArgs*& before);
  void report_idle_change(bool was_idle, bool idle);
  void rest(uint64_t idle_rounds);

  TransferContext context_;
  std::string thread_name_;
  const std::atomic<bool>& abort_;
  std::function<void(ns_result)> on_error_;

  std::mutex mutex_;
  std::condition_variable posted_or_stop_;
  std::vector<QueuedOp> posted_;
  std::atomic<bool> has_posted_{false};
  bool stop_ = false;

  std::vector<QueuedOp> taken_;  // being appended, from next_taken_ on
  size_t next_taken_ = 0;
  ProxyArgs* active_ = nullptr;
  ProxyArgs* free_ = nullptr;
  std::vector<std::unique_ptr<ProxyArgs[]>> pools_;
  std::thread thread_;
};

}  // namespace netsense::engine
