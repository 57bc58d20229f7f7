#include "tools/engine/plan/plan.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "tools/engine/plan/arithmetic.h"
#include "tools/engine/plan/builder.h"
#include "tools/engine/plan/choose.h"

namespace netsense::engine {
namespace {

size_t traffic(const CollTask& task, int ranks) {
  const size_t bytes = operation_bytes(task.function, ranks, task.count, task.type);
  return task.function == Function::kAllReduce ? 2 * bytes : bytes;
}

// NCCL moves bytes where it does not reduce.
CollTask as_nccl_counts(CollTask task) {
  if (task.function != Function::kAllGather && task.function != Function::kBroadcast) return task;
  task.count *= ns_type_size(task.type);
  task.type = ns_int8;
  task.op = ns_sum;
  return task;
}

// Tasks within a quarter of a power of two of each other are taken to be of equal size.
int size_class(size_t bytes) {
  const size_t units = std::min<size_t>(bytes, size_t{1} << 30) >> 10;
  if (units < 4) return static_cast<int>(units);
  const int log = log2_down(units);
  return (log - 1) * 4 + static_cast<int>(units >> (log - 2) & 3);
}

ns_op device_op(ns_op op) {
  return op == ns_min ? ns_max : op;
}  // one kernel for both

// Groups of the same function, operation and type, each by size, ascending; the group of the largest task
// first.
std::vector<std::vector<CollTask>> group_alike(std::vector<CollTask> tasks, int ranks) {
  std::ranges::reverse(tasks);
  std::ranges::stable_sort(tasks, std::greater{},
                           [ranks](const CollTask& t) { return size_class(traffic(t, ranks)); });
  std::vector<std::vector<CollTask>> groups;
  std::map<std::tuple<Function, ns_op, ns_type>, size_t> places;
  for (CollTask& task : tasks) {
    const auto [place, added] =
        places.try_emplace({task.function, device_op(task.op), task.type}, groups.size());
    if (added) groups.emplace_back();
    groups[place->second].push_back(task);
  }
  for (auto& group : groups) std::ranges::reverse(group);
  return groups;
}

class Planner {
 public:
  Planner(const CommShape& shape, const CostModel& costs, const TunerHook& tuner, size_t tasks)
      : shape_(shape),
        costs_(costs),
        tuner_(tuner),
        pipe_ops_(static_cast<int>(div_up(tasks, std::max<size_t>(shape.channels.size(), 1)))) {}

  // Tasks of up to four times the size of the first are chosen for together, as one of the sum of their
  // sizes.
  bool choose_for(const std::vector<CollTask>& group, std::vector<PlannedColl>& out) {
    for (size_t begin = 0; begin < group.size();) {
      CollTask sum = group[begin];
      size_t end = begin + 1;
      for (;
           end < group.size() && traffic(group[end], shape_.ranks) < 4 * traffic(group[begin], shape_.ranks);
           ++end) {
        sum.count += group[end].count;
      }
      const std::optional<Choice> choice = choose_one(sum);
      if (!choice) return false;
      for (; begin < end; ++begin) {
        PlannedColl coll;
        coll.task = group[begin];
        coll.algorithm = choice->algorithm;
        coll.protocol = choice->protocol;
        coll.channels = choice->max_channels;
        coll.warps = choice->warps;
        out.push_back(coll);
      }
    }
    return true;
  }

 private:
  std::optional<Choice> choose_one(const CollTask& task) const {
    const size_t bytes = operation_bytes(task.function, shape_.ranks, task.count, task.type);
    CostTable table = costs_.table(task.function, bytes, pipe_ops_, task.type, task.op);
    const int wanted = tuner_ ? tuner_({task.function, bytes, pipe_ops_, task.registered}, table) : 0;
    std::optional<Choice> choice = choose(shape_, table, bytes);
    if (choice && wanted > 0)
      choice->max_channels = std::min(wanted, static_cast<int>(shape_.channels.size()));
    return choice;
  }

  const CommShape& shape_;
  const CostModel& costs_;
  const TunerHook& tuner_;
  int pipe_ops_;
};

// Merges the channels' operations by number, collectives first, and names the connections.
void add_proxy_ops(PlanBuilder& builder, OpCounts& counts) {
  std::vector<ProxyOp> ops;
  for (const auto& channel : builder.ops) ops.insert(ops.end(), channel.begin(), channel.end());
  std::ranges::stable_sort(ops, {}, [](const ProxyOp& op) {
    return std::pair{op.op_count & 1, op.op_count};
  });
  counts.p2p_batches.resize(builder.plan.batches.size());
  for (ProxyOp& op : ops) {
    if ((op.op_count & 1) == 0) {
      op.op_count += counts.colls << 1;
      add_connection_ops(builder.shape, op, builder.plan.proxy_ops);
    } else {
      op.op_count += counts.p2p_batches[static_cast<size_t>(op.channel)] << 1;
      builder.plan.proxy_ops.push_back(op);
    }
  }
  counts.colls += builder.colls;
  for (size_t c = 0; c < builder.p2p_batches.size(); ++c) {
    if (builder.p2p_batches[c] > 0) counts.p2p_batches[c] += builder.p2p_batches[c] + 1;
  }
}

}  // namespace

size_t operation_bytes(Function function, int ranks, size_t count, ns_type type) {
  const bool shared_out = function == Function::kAllGather || function == Function::kReduceScatter;
  return count * ns_type_size(type) * (shared_out ? static_cast<size_t>(ranks) : 1);
}

PlanResult make_plan(const CommShape& shape, const PlanSettings& settings, const CostModel& costs,
                     const TunerHook& tuner, std::vector<CollTask> colls, const std::vector<P2pTask>& p2ps,
                     OpCounts& counts) {
  std::erase_if(colls, [](const CollTask& task) { return task.count == 0; });
  std::ranges::transform(colls, colls.begin(), as_nccl_counts);
  PlanBuilder builder(shape, settings);
  PlanResult result;
  Planner planner(shape, costs, tuner, colls.size());
  std::vector<PlannedColl> chosen;
  for (const auto& group : group_alike(std::move(colls), shape.ranks)) {
    if (planner.choose_for(group, chosen)) continue;
    result.result = ns_invalid_usage;
    result.error =
        "no algorithm and protocol that this engine has is left by NCCL_ALGO, NCCL_PROTO and the tuner";
    return result;
  }
  add_colls(builder, std::move(chosen));
  result.result = add_p2ps(builder, p2ps, result.error);
  if (result.result != ns_success) return result;
  if (shape.ranks > 1) add_proxy_ops(builder, counts);
  result.plan = std::move(builder.plan);
  return result;
}

}  // namespace netsense::engine
