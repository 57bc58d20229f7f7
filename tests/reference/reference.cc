// libnccl-net-reference.so: the plain single-stream TCP plugin that the benchmarks compare with.
#include "tests/reference/adapters/net_v11.h"
#include "tests/reference/adapters/net_v8.h"
#include "tests/reference/net/options.h"

namespace netsense::reference {

Options read_options() {
  return {};
}

}  // namespace netsense::reference

#define NETSENSE_EXPORT __attribute__((visibility("default")))

extern "C" {
NETSENSE_EXPORT extern const netsense::abi::NetV8 ncclNetPlugin_v8;
NETSENSE_EXPORT extern const netsense::abi::NetV11 ncclNetPlugin_v11;
NETSENSE_EXPORT extern const netsense::abi::NetV12 ncclNetPlugin_v12;

using netsense::reference::NetAdapter;
using netsense::reference::NetAdapterV8;

const netsense::abi::NetV8 ncclNetPlugin_v8 = NetAdapterV8::table("reference");
const netsense::abi::NetV11 ncclNetPlugin_v11 =
    NetAdapter<netsense::abi::NetPropertiesV11>::table<netsense::abi::NetV11>("reference");
const netsense::abi::NetV12 ncclNetPlugin_v12 =
    NetAdapter<netsense::abi::NetPropertiesV12>::table<netsense::abi::NetV12>("reference");
}
