// libnccl-net-tracing.so: a plugin with net, tuner and profiler in one library, as NCCL's behaviour was
// recorded with. It behaves as REFNET_ variables ask (net/options.h); the conformance test of the host engine
// drives it.
#include "tests/reference/adapters/net_v11.h"
#include "tests/reference/adapters/net_v8.h"
#include "tests/reference/tracing/observers.h"

#define NETSENSE_EXPORT __attribute__((visibility("default")))

extern "C" {
NETSENSE_EXPORT extern const netsense::abi::NetV8 ncclNetPlugin_v8;
NETSENSE_EXPORT extern const netsense::abi::NetV11 ncclNetPlugin_v11;
NETSENSE_EXPORT extern const netsense::abi::TunerV5 ncclTunerPlugin_v5;
NETSENSE_EXPORT extern const netsense::abi::ProfilerV5 ncclProfiler_v5;

using netsense::reference::NetAdapter;
using netsense::reference::NetAdapterV8;
using netsense::reference::PassiveProfiler;
using netsense::reference::PassiveTuner;

const netsense::abi::NetV8 ncclNetPlugin_v8 = NetAdapterV8::table("tracing");
const netsense::abi::NetV11 ncclNetPlugin_v11 =
    NetAdapter<netsense::abi::NetPropertiesV11>::table<netsense::abi::NetV11>("tracing");
const netsense::abi::TunerV5 ncclTunerPlugin_v5{.name = "tracing",
                                                .init = PassiveTuner::init,
                                                .get_coll_info = PassiveTuner::get_coll_info,
                                                .finalize = PassiveTuner::finalize};
const netsense::abi::ProfilerV5 ncclProfiler_v5{.name = "tracing",
                                                .init = PassiveProfiler::init,
                                                .start_event = PassiveProfiler::start_event,
                                                .stop_event = PassiveProfiler::stop_event,
                                                .record_event_state = PassiveProfiler::record_event_state,
                                                .finalize = PassiveProfiler::finalize};
}
