// What a communicator does with the calls of a group: connections, plan, proxy operations, device.
#include <algorithm>

#include "tools/engine/base/error.h"
#include "tools/engine/comm/comm.h"

namespace netsense::engine {

void Comm::add(const CollTask& task, const ApiCall& call, int group_depth) {
  tasks_.colls.push_back(task);
  tasks_.colls.back().id = next_task_;
  tasks_.calls[next_task_++] = {api_profile_->call(call, group_depth), call.count, call.type};
}

void Comm::add(const P2pTask& task, const ApiCall& call, int group_depth) {
  add(std::vector<P2pTask>{task}, call, group_depth);
}

void Comm::add(std::vector<P2pTask> tasks, const ApiCall& call, int group_depth) {
  void* event = api_profile_->call(call, group_depth);
  for (P2pTask& task : tasks) {
    task.id = next_task_;
    tasks_.calls[next_task_++] = {event, call.count, call.type};
    tasks_.p2ps.push_back(task);
  }
}

void Comm::drop_calls() {
  tasks_ = {};
  api_profile_->group_end();
}

void Comm::launch() {
  GroupTasks tasks;
  std::swap(tasks, tasks_);
  if (tasks.empty()) return;
  if (async_error() != ns_success)
    fail(async_error(), "the communicator has failed: {}", result_name(async_error()));
  if (broken_)
    fail(ns_invalid_usage, "an earlier operation of this communicator failed: it can only be aborted");
  api_profile_->group_end_begins();
  try {
    launch_tasks(std::move(tasks));
  } catch (...) {
    broken_ = true;
    throw;
  }
  api_profile_->group_end();
}

void Comm::launch_tasks(GroupTasks tasks) {
  for (CollTask& task : tasks.colls) task.registered = is_registered(task);
  connect_p2p(tasks.p2ps);
  TunerHook tuner;
  if (plugins_.tuner) {
    tuner = [this](const TunerQuery& query, CostTable& costs) { return ask_tuner(query, costs); };
  }
  PlanResult planned =
      make_plan(shape_, settings_.plan, *costs_, tuner, std::move(tasks.colls), tasks.p2ps, op_counts_);
  if (planned.result != ns_success) fail(planned.result, "{}", planned.error);
  const auto plan = std::make_shared<const Plan>(std::move(planned.plan));
  connect_algorithms(*plan);
  const std::map<uint64_t, void*> events = api_profile_->launch(*plan, tasks.calls);
  post_proxy_ops(*plan, events);
  last_ticket_ = device_->launch(plan);
}

bool Comm::is_registered(const CollTask& task) const {
  const size_t bytes = task.count * ns_type_size(task.type);
  const auto all = static_cast<size_t>(shape_.ranks);
  const size_t send = task.function == Function::kReduceScatter ? bytes * all : bytes;
  const size_t recv = task.function == Function::kAllGather ? bytes * all : bytes;
  return registrations_.contains(task.send, send) && registrations_.contains(task.recv, recv);
}

int Comm::ask_tuner(const TunerQuery& query, CostTable& costs) {
  int channels = 0;
  const CostTable before = costs;
  const ns_result result = plugins_.tuner->coll_info(
      tuner_context_, {query.function, query.bytes, query.pipe_ops, query.registered}, costs, &channels);
  if (result == ns_success) return channels;
  costs = before;
  return 0;
}

void Comm::connect_p2p(const std::vector<P2pTask>& tasks) {
  for (const P2pTask& task : tasks) {
    if (task.peer == shape_.rank) continue;
    const auto round = std::ranges::find_if(shape_.p2p_rounds, [&task](const P2pRound& r) {
      return (task.send ? r.send_rank : r.recv_rank) == task.peer;
    });
    const int number = static_cast<int>(round - shape_.p2p_rounds.begin());
    for (int part = 0; part < shape_.p2p_channels_per_peer; ++part) {
      connector_->want({p2p_channel_for_part(shape_, number, part), task.peer, task.send, 1});
    }
  }
  const bool any =
      std::ranges::any_of(tasks, [this](const P2pTask& task) { return task.peer != shape_.rank; });
  if (any) connector_->connect(1);
}

// At the first use of an algorithm, on all channels, whether this operation uses them or not.
void Comm::connect_algorithms(const Plan& plan) {
  for (const Algorithm algorithm : {Algorithm::kTree, Algorithm::kRing}) {
    const auto uses = [algorithm](const PlannedColl& coll) { return coll.algorithm == algorithm; };
    bool& connected = connected_[static_cast<size_t>(algorithm)];
    if (connected || std::ranges::none_of(plan.colls, uses)) continue;
    for (int channel = 0; channel < static_cast<int>(shape_.channels.size()); ++channel) {
      const ChannelShape& shape = shape_.channels[static_cast<size_t>(channel)];
      if (algorithm == Algorithm::kRing) {
        connector_->want({channel, shape.ring.prev, false, 0});
        connector_->want({channel, shape.ring.next, true, 0});
        continue;
      }
      std::vector<int> neighbours(shape.tree.down.begin(), shape.tree.down.end());
      neighbours.push_back(shape.tree.up);
      for (const int peer : neighbours) {
        connector_->want({channel, peer, false, 0});
        connector_->want({channel, peer, true, 0});
      }
    }
    connector_->connect(0);
    connected = true;
  }
}

void Comm::post_proxy_ops(const Plan& plan, const std::map<uint64_t, void*>& events) {
  if (plan.proxy_ops.empty()) return;
  std::vector<QueuedOp> queued;
  queued.reserve(plan.proxy_ops.size());
  for (const ProxyOp& op : plan.proxy_ops) {
    Connection* connection = table_->find({op.channel, op.peer, op.send, op.connection_index});
    if (connection == nullptr || !connection->connected) {
      fail(ns_internal_error, "rank {} has no connection {} peer {} on channel {}/{}", shape_.rank,
           op.send ? "to" : "from", op.peer, op.channel, op.connection_index);
    }
    const auto event = events.find(op.id);
    queued.push_back(
        {op, connection, {api_profile_->mask(), event == events.end() ? nullptr : event->second}});
  }
  progress().post(std::move(queued));
}

}  // namespace netsense::engine
