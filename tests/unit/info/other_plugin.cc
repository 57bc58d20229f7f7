// A network plugin that is not netsense and cannot be initialised: what NCCL would load in a container that
// brings another libnccl-net.so.
#include "plugin/abi/net_v12.h"

namespace {

using namespace netsense::abi;

Result refuse(void** /*context*/, uint64_t /*comm_id*/, NetConfigV11* /*config*/, DebugLogger /*logger*/,
              ProfilerCallback /*profiler*/) {
  return Result::kSystemError;
}

NetV12 make_table() {
  NetV12 table{};
  table.name = "other";
  table.init = refuse;
  return table;
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) extern const NetV12 ncclNetPlugin_v12;
const NetV12 ncclNetPlugin_v12 = make_table();
}
