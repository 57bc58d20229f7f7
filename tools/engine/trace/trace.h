// Writes every call of a plugin as one JSON object a line, for comparison with recordings of the real NCCL:
//   n sequence, t thread, api, call, args, out, ret; count: a poll repeated with the same answer, folded;
//   run: folded lines that belong to one stretch of polling; in: the call during which this one came.
// Objects appear as labels that are stable within a file: l listen, s send and r receive comms, m memory
// handles, b buffers, q requests, k CollNet comms, c and pc contexts, t tuners, p profiler events, h
// phandles.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "tools/engine/ns_engine.h"
#include "tools/engine/trace/fold.h"
#include "tools/engine/trace/labels.h"

namespace netsense::engine {

// Name of the calling thread in traces ("main" until set); ends the thread's folding when destroyed.
class TraceThread {
 public:
  explicit TraceThread(std::string name);
  ~TraceThread();
  TraceThread(const TraceThread&) = delete;
  TraceThread& operator=(const TraceThread&) = delete;
};

class Trace {
 public:
  // The trace that NS_ENGINE_TRACE asks for, null when unset. "%r" in the name stands for the rank; without
  // it all ranks of this process share one file.
  static std::shared_ptr<Trace> for_rank(int rank);

  explicit Trace(const std::string& file);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // One call under way. Takes its place in the order when made; written when finish() is called.
  class Call {
   public:
    Call(Trace& trace, std::string_view api, std::string_view call);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    [[nodiscard]] const std::string& api() const { return record_.api; }
    // args and out: the inside of a JSON object. poll: "not yet", to be folded with its repetitions.
    void finish(std::string args, std::string out, ns_result result, Poll poll = Poll::kNo,
                std::string request = {});

   private:
    Trace& trace_;
    TraceRecord record_;
    int64_t outer_;
  };

  // A marker of the application.
  void mark(std::string_view call, std::string args = {});

  // Labels are shared by all wrapped tables of this file; hold the lock while using them.
  std::unique_lock<std::mutex> lock_labels() { return std::unique_lock(labels_mutex_); }
  Labels& labels() { return labels_; }

 private:
  friend class TraceThread;
  uint64_t take_number();
  void complete(TraceRecord record);
  void end_thread(const std::string& name);
  void write(const std::string& lines);

  std::mutex labels_mutex_;
  Labels labels_;
  std::mutex mutex_;
  std::FILE* file_;
  uint64_t next_number_ = 0;
  uint64_t next_written_ = 0;
  std::map<uint64_t, TraceRecord> waiting_;  // finished, but an earlier call is still under way
  Folder folder_;
};

const char* trace_result(ns_result result);

}  // namespace netsense::engine
