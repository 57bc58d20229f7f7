#include "tools/engine/trace/trace.h"

#include <fmt/format.h>

#include "tools/engine/base/env.h"
#include "tools/engine/base/error.h"

namespace netsense::engine {
namespace {

// Of the calling thread: its name and the call it is inside of.
struct ThreadState {
  std::string name = "main";
  int64_t inside = -1;
};

ThreadState& thread_state() {
  thread_local ThreadState state;
  return state;
}

// Files of this process, by name. They stay open: a later communicator goes on in the same file.
struct OpenTraces {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Trace>> by_file;
};

OpenTraces& open_traces() {
  static OpenTraces traces;
  return traces;
}

}  // namespace

TraceThread::TraceThread(std::string name) {
  thread_state().name = std::move(name);
}

TraceThread::~TraceThread() {
  OpenTraces& traces = open_traces();
  const std::lock_guard lock(traces.mutex);
  for (const auto& [file, trace] : traces.by_file) {
    trace->end_thread(thread_state().name);
  }
}

std::shared_ptr<Trace> Trace::for_rank(int rank) {
  const auto pattern = env_string("NS_ENGINE_TRACE");
  if (!pattern || pattern->empty()) return nullptr;
  std::string name = *pattern;
  if (const size_t at = name.find("%r"); at != std::string::npos) name.replace(at, 2, std::to_string(rank));
  OpenTraces& traces = open_traces();
  const std::lock_guard lock(traces.mutex);
  std::shared_ptr<Trace>& trace = traces.by_file[name];

  if (!trace) trace = std::make_shared<Trace>(name);
  return trace;
}

Trace::Trace(const std::string& file) : file_(std::fopen(file.c_str(), "we")) {
  if (file_ == nullptr) fail(ns_system_error, "cannot write the trace file {}", file);
}

Trace::~Trace() {
  std::string lines;
  folder_.flush("", lines);
  write(lines);
  std::fclose(file_);
}

uint64_t Trace::take_number() {
  const std::lock_guard lock(mutex_);
  return next_number_++;
}

void Trace::complete(TraceRecord record) {
  std::string lines;
  const std::lock_guard lock(mutex_);
  waiting_.emplace(record.number, std::move(record));
  while (!waiting_.empty() && waiting_.begin()->first == next_written_) {
    folder_.add(std::move(waiting_.begin()->second), lines);
    waiting_.erase(waiting_.begin());
    ++next_written_;
  }
  write(lines);
}

// Each line at once: a process that ends without destroying its communicators leaves a whole trace.
void Trace::write(const std::string& lines) {
  if (lines.empty()) return;
  std::fwrite(lines.data(), 1, lines.size(), file_);
  std::fflush(file_);
}

void Trace::end_thread(const std::string& name) {
  std::string lines;
  const std::lock_guard lock(mutex_);
  folder_.flush(name, lines);
  write(lines);
}

void Trace::mark(std::string_view call, std::string args) {
  Call record(*this, "app", call);
  record.finish(std::move(args), "", ns_success);
}

Trace::Call::Call(Trace& trace, std::string_view api, std::string_view call)
    : trace_(trace), outer_(thread_state().inside) {
  record_.number = trace.take_number();
  record_.thread = thread_state().name;
  record_.api = api;
  record_.call = call;
  record_.inside = outer_;
  thread_state().inside = static_cast<int64_t>(record_.number);
}

Trace::Call::~Call() {
  thread_state().inside = outer_;
}

void Trace::Call::finish(std::string args, std::string out, ns_result result, Poll poll,
                         std::string request) {
  record_.args = std::move(args);
  record_.out = std::move(out);
  record_.result = result;
  record_.poll = poll;
  record_.request = std::move(request);
  trace_.complete(std::move(record_));
}

const char* trace_result(ns_result result) {
  switch (result) {
    case ns_success:
      return "ok";
    case ns_unhandled_cuda_error:
      return "unhandledCudaError";
    case ns_system_error:
      return "systemError";
    case ns_internal_error:
      return "internalError";
    case ns_invalid_argument:
      return "invalidArgument";
    case ns_invalid_usage:
      return "invalidUsage";
    case ns_remote_error:
      return "remoteError";
    case ns_in_progress:
      return "inProgress";
  }
  return "unknown";
}

}  // namespace netsense::engine
