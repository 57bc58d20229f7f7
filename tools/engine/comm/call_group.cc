#include "tools/engine/comm/call_group.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "tools/engine/comm/comm.h"

namespace netsense::engine {
namespace {

// Ranks of one thread need each other to connect, so that they launch side by side.
void launch_all(const std::vector<Comm*>& comms) {
  std::vector<std::exception_ptr> errors(comms.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < comms.size(); ++i) {
    threads.emplace_back([comm = comms[i], &error = errors[i]] {
      try {
        comm->launch();
      } catch (...) {
        error = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace

CallGroup& CallGroup::current() {
  thread_local CallGroup group;
  return group;
}

void CallGroup::end() {
  if (depth_ == 0) fail(ns_invalid_usage, "ns_group_end without ns_group_start");
  if (--depth_ > 0) return;
  const std::vector<Comm*> comms = std::exchange(comms_, {});
  if (const std::optional<EngineError> error = std::exchange(error_, std::nullopt)) {
    for (Comm* comm : comms) comm->drop_calls();
    throw EngineError(*error);
  }
  if (comms.size() == 1) {
    comms.front()->launch();
  } else if (!comms.empty()) {
    launch_all(comms);
  }
}

void CallGroup::call(Comm& comm, const std::function<void(int depth)>& call) {
  start();
  try {
    call(depth_);
    if (std::ranges::find(comms_, &comm) == comms_.end()) comms_.push_back(&comm);
  } catch (...) {
    --depth_;
    throw;
  }
  end();
}

void CallGroup::note(const EngineError& error) {
  if (depth_ > 0 && !error_) error_ = error;
}

void CallGroup::forget(const Comm& comm) {
  std::erase_if(comms_, [&comm](const Comm* known) { return known == &comm; });
}

}  // namespace netsense::engine
