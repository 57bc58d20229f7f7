// A communicator of one rank: plugins, bootstrap, proxy threads, device and the connections between them.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/engine/bootstrap/bootstrap.h"
#include "tools/engine/comm/api_profile.h"
#include "tools/engine/comm/connector.h"
#include "tools/engine/comm/registration.h"
#include "tools/engine/comm/settings.h"
#include "tools/engine/device/device.h"
#include "tools/engine/loader/plugins.h"
#include "tools/engine/proxy/collnet_setup.h"
#include "tools/engine/proxy/progress.h"
#include "tools/engine/proxy/service.h"
#include "tools/engine/trace/trace.h"

namespace netsense::engine {

// What was called on one communicator since the group started.
struct GroupTasks {
  std::vector<CollTask> colls;
  std::vector<P2pTask> p2ps;
  std::map<uint64_t, CalledTask> calls;  // by task id

  [[nodiscard]] bool empty() const { return colls.empty() && p2ps.empty(); }
};

class Comm {
 public:
  Comm(const UniqueId& id, int ranks, int rank);
  // Waits for what is under way unless aborted or failed, then closes in NCCL's order.
  ~Comm();
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;

  void add(const CollTask& task, const ApiCall& call, int group_depth);
  void add(const P2pTask& task, const ApiCall& call, int group_depth);
  // One call of the user that becomes several tasks.
  void add(std::vector<P2pTask> tasks, const ApiCall& call, int group_depth);
  // Forgets what was added and not started.
  void drop_calls();
  // Starts what was added. Throws; the communicator can then only be aborted.
  void launch();
  // Until all that was launched has finished; throws the asynchronous error if there is one.
  void synchronize();
  // May be called from any thread.
  void abort();
  // As ncclCommRegister; only the tuner learns of it.
  void* register_buffer(void* data, size_t bytes) { return registrations_.add(data, bytes); }
  void deregister_buffer(void* handle) { registrations_.remove(handle); }

  [[nodiscard]] ns_result async_error() const { return static_cast<ns_result>(async_error_.load()); }
  [[nodiscard]] int rank() const { return shape_.rank; }
  [[nodiscard]] int ranks() const { return shape_.ranks; }
  [[nodiscard]] const char* net_name() const { return net_name_.c_str(); }
  [[nodiscard]] Trace* trace() const { return trace_.get(); }

 private:
  void init_plugins(uint64_t comm_id);
  void init_shape(int ranks, int rank);
  [[nodiscard]] bool uses_gpu_direct(const DeviceProperties& device) const;
  void make_transport(const DeviceProperties& device);
  void make_collnet(const DeviceProperties& device);
  void launch_tasks(GroupTasks tasks);
  [[nodiscard]] bool is_registered(const CollTask& task) const;
  void connect_p2p(const std::vector<P2pTask>& tasks);
  void connect_algorithms(const Plan& plan);
  int ask_tuner(const TunerQuery& query, CostTable& costs);
  void post_proxy_ops(const Plan& plan, const std::map<uint64_t, void*>& events);
  ProxyProgress& progress();
  void fail_with(ns_result result);
  void close();

  std::atomic<bool> abort_{false};
  std::atomic<int> async_error_{ns_success};
  bool broken_ = false;  // a launch failed half-way
  int number_;           // of the communicators of this process, for thread names
  EngineSettings settings_;
  std::shared_ptr<Trace> trace_;
  std::unique_ptr<Bootstrap> bootstrap_;
  PluginSet plugins_;
  std::string net_name_;
  void* tuner_context_ = nullptr;
  ProfilerTarget profiler_;
  std::optional<CallbackProfiler> callback_profiler_;
  CommShape shape_;
  std::unique_ptr<CostModel> costs_;
  std::unique_ptr<ConnectionTable> table_;
  std::unique_ptr<AttributeTeller> attributes_;
  std::unique_ptr<NetSetup> setup_;
  std::unique_ptr<ProxyProfile> proxy_profile_;
  std::unique_ptr<ApiProfile> api_profile_;
  std::unique_ptr<CollNetSetup> collnet_;
  bool collnet_connected_ = false;
  std::unique_ptr<Device> device_;
  std::unique_ptr<ProxyProgress> progress_;
  std::unique_ptr<ProxyService> service_;
  std::unique_ptr<Connector> connector_;
  Registrations registrations_;
  std::array<bool, kAlgorithms> connected_{};
  GroupTasks tasks_;
  uint64_t next_task_ = 0;
  OpCounts op_counts_;
  uint64_t last_ticket_ = 0;
};

}  // namespace netsense::engine
