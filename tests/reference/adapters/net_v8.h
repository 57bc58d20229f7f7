// net v8 over net/net.h.
#pragma once

#include <algorithm>
#include <array>

#include "plugin/abi/net_v8.h"
#include "tests/reference/adapters/net_v11.h"
#include "tests/reference/tcp/request.h"

namespace netsense::reference {

struct NetAdapterV8 {
  static Status init(abi::DebugLogger logger) { return net_init(logger, nullptr); }
  static Status properties(int number, abi::NetPropertiesV8* properties) {
    const Device* device = net_device(number);
    if (device == nullptr) return Status::kInvalidArgument;
    *properties = {};
    NetAdapter<abi::NetPropertiesV8>::fill_common(*device, properties);
    return Status::kOk;
  }
  static Status connect(int device, void* handle, void** comm, abi::NetDeviceHandle** /*none*/) {
    return net_connect(device, handle, comm);
  }
  static Status isend(void* comm, void* data, int bytes, int tag, void* /*region*/, void** request) {
    if (bytes < 0) return Status::kInvalidArgument;
    return net_isend(comm, data, static_cast<size_t>(bytes), tag, nullptr, request);
  }
  static Status irecv(void* comm, int count, void** data, int* bytes, int* tags, void** /*regions*/,
                      void** request) {
    if (count < 1 || count > kMaxGroupedReceives) return Status::kInvalidArgument;
    std::array<size_t, kMaxGroupedReceives> room{};
    std::copy_n(bytes, count, room.begin());
    return net_irecv(comm, count, data, room.data(), tags, nullptr, request);
  }

  static constexpr abi::NetV8 table(const char* name) {
    using Newer = NetAdapter<abi::NetPropertiesV11>;
    return {
        .name = name,
        .init = init,
        .devices = net_devices,
        .get_properties = properties,
        .listen = net_listen,
        .connect = connect,
        .accept = Newer::accept,
        .reg_mr = Newer::register_memory,
        .reg_mr_dma_buf = nullptr,
        .dereg_mr = Newer::deregister_memory,
        .isend = isend,
        .irecv = irecv,
        .iflush = Newer::iflush,
        .test = net_test,
        .close_send = net_close_send,
        .close_recv = net_close_recv,
        .close_listen = net_close_listen,
        .get_device_mr = nullptr,
        .irecv_consumed = nullptr,
    };
  }
};

}  // namespace netsense::reference
