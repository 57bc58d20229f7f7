// Only in libnccl-net-tracing-collnet.so: NCCL treats a library with CollNet differently from the first call
// on.
#include "tests/reference/tracing/collnet.h"

extern "C" {
__attribute__((visibility("default"))) extern const netsense::abi::CollNetV11 ncclCollNetPlugin_v11;
const netsense::abi::CollNetV11 ncclCollNetPlugin_v11 = netsense::reference::collnet_table("tracing");
}
