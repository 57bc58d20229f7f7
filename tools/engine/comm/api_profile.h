// The profiler events of the caller's side: API calls, groups, and the operations that a launch consists of.
#pragma once

#include <map>
#include <vector>

#include "tools/engine/plan/plan.h"
#include "tools/engine/proxy/profile.h"

namespace netsense::engine {

struct ApiCall {
  const char* function = "";
  size_t count = 0;
  ns_type type = ns_float32;
  int root = 0;
  bool p2p = false;
};

// A task as the user called it, and the event of that call.
struct CalledTask {
  void* event = nullptr;
  size_t count = 0;
  ns_type type = ns_float32;
};

class ApiProfile {
 public:
  explicit ApiProfile(const ProfilerTarget& target) : target_(target) {}

  // A call inside a group; depth counts the call's own group too. Returns the call's event (null: none).
  void* call(const ApiCall& call, int group_depth);
  // Before the group's operations are prepared.
  void group_end_begins();
  // At the launch. Both maps are by task id; the result holds the event of each task.
  std::map<uint64_t, void*> launch(const Plan& plan, const std::map<uint64_t, CalledTask>& calls);
  void group_end();

  // Event types that operations queued now are to report.
  [[nodiscard]] int mask() const { return target_.active(); }

 private:
  [[nodiscard]] void* start(const EventDescriptor& event) const;
  [[nodiscard]] void* start_coll(const PlannedColl& coll, const CalledTask& call, void* group);
  [[nodiscard]] void* start_p2p(const PlannedP2p& p2p, const CalledTask& call, void* group) const;
  void stop(void* event) const;

  ProfilerTarget target_;
  void* group_api_ = nullptr;
  std::map<Function, uint64_t> sequence_;
};

const char* type_name(ns_type type);

}  // namespace netsense::engine
