// The plugins of this process, shared by its communicators: which library is used, which kinds of plugin it
// holds, and when it is closed again.
#pragma once

#include <memory>
#include <string>

#include "tools/engine/loader/collnet.h"
#include "tools/engine/loader/net.h"
#include "tools/engine/loader/profiler.h"
#include "tools/engine/loader/tuner.h"

namespace netsense::engine {

// What one communicator uses. Releasing the last copy closes the libraries.
struct PluginSet {
  std::shared_ptr<void> libraries;  // declared first, so that it is released after all that lives in them
  std::shared_ptr<Net> net;
  std::shared_ptr<CollNet> collnet;    // null: none, or it could not be initialised
  std::shared_ptr<Tuner> tuner;        // null: none
  std::shared_ptr<Profiler> profiler;  // null: none
  int* profiler_mask = nullptr;        // shared by all communicators, as in NCCL
  void* net_context = nullptr;
  void* collnet_context = nullptr;
  int devices = 0;
  int collnet_devices = 0;
};

// Wraps plugins before they are first used, for tracing. Default: as they are.
class PluginWrapper {
 public:
  virtual ~PluginWrapper() = default;
  virtual std::shared_ptr<Net> wrap(std::shared_ptr<Net> net) { return net; }
  virtual std::shared_ptr<CollNet> wrap(std::shared_ptr<CollNet> collnet) { return collnet; }
  virtual std::shared_ptr<Tuner> wrap(std::shared_ptr<Tuner> tuner) { return tuner; }
  virtual std::shared_ptr<Profiler> wrap(std::shared_ptr<Profiler> profiler) { return profiler; }
};

// Loads (for the first communicator) and initialises the net plugin that NCCL_NET_PLUGIN names, with CollNet,
// tuner and profiler from the same library unless NCCL_TUNER_PLUGIN or NCCL_PROFILER_PLUGIN say otherwise.
// NS_ENGINE_NET_VERSION asks for one version of the net API. Tuner and profiler are not initialised yet.
// Throws ns_invalid_usage when no plugin can be used.
PluginSet acquire_plugins(uint64_t comm_id, PluginWrapper& wrapper);

// Calls finalize of net and CollNet. The caller then drops the set.
void finalize_plugins(PluginSet& plugins);

}  // namespace netsense::engine
