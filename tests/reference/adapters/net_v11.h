// net v11 and v12 over net/net.h; the two differ in the properties only.
#pragma once

#include "plugin/abi/net_v12.h"
#include "tests/reference/net/net.h"

namespace netsense::reference {

// NCCL tells communicators apart by this; the plugins keep nothing per communicator.
struct Context {};

template <typename Properties>
struct NetAdapter {
  static Status init(void** context, uint64_t /*comm_id*/, abi::NetConfigV11* /*config*/,
                     abi::DebugLogger logger, abi::ProfilerCallback profiler) {
    *context = new Context;
    return net_init(logger, profiler);
  }
  static Status finalize(void* context) {
    delete static_cast<Context*>(context);
    return Status::kOk;
  }
  static Status properties(int number, Properties* properties) {
    const Device* device = net_device(number);
    if (device == nullptr) return Status::kInvalidArgument;
    *properties = {};
    fill_common(*device, properties);
    properties->max_p2p_bytes = abi::kMaxNetBytes;
    properties->max_coll_bytes = abi::kMaxNetBytes;
    properties->max_multi_request = 1;
    properties->virtual_device.device_count = 1;
    properties->virtual_device.devices[0] = number;
    if constexpr (requires { properties->rail_id; }) {
      properties->rail_id = abi::kUndefined;
      properties->plane_id = abi::kUndefined;
    }
    return Status::kOk;
  }
  // What the properties of every version have in common.
  static void fill_common(const Device& device, Properties* properties) {
    constexpr int kMaxComms = 65536;
    properties->name = const_cast<char*>(device.name.c_str());
    properties->pci_path = device.pci_path.empty() ? nullptr : const_cast<char*>(device.pci_path.c_str());
    properties->ptr_support = device.pointer_types;
    properties->speed_mbps = device.speed_mbps;
    properties->port = 1;
    properties->max_comms = kMaxComms;
    properties->max_recvs = device.grouped_receives;
    properties->device_type = abi::kNetDeviceHost;
  }
  static Status listen(void* /*context*/, int device, void* handle, void** listener) {
    return net_listen(device, handle, listener);
  }
  static Status connect(void* /*context*/, int device, void* handle, void** comm,
                        abi::NetDeviceHandle** /*none*/) {
    return net_connect(device, handle, comm);
  }
  static Status accept(void* listener, void** comm, abi::NetDeviceHandle** /*none*/) {
    return net_accept(listener, comm);
  }
  static Status register_memory(void* /*comm*/, void* /*data*/, size_t /*bytes*/, int type, void** region) {
    return net_register(type, region);
  }
  static Status deregister_memory(void* /*comm*/, void* region) { return net_deregister(region); }
  static Status isend(void* comm, void* data, size_t bytes, int tag, void* /*region*/, void* parent,
                      void** request) {
    return net_isend(comm, data, bytes, tag, parent, request);
  }
  static Status irecv(void* comm, int count, void** data, size_t* bytes, int* tags, void** /*regions*/,
                      void** parents, void** request) {
    return net_irecv(comm, count, data, bytes, tags, parents, request);
  }
  static Status iflush(void* comm, int /*count*/, void** /*data*/, int* /*bytes*/, void** /*regions*/,
                       void** request) {
    return net_iflush(comm, request);
  }
  static Status set_attributes(void* /*context*/, abi::NetAttributesV11* /*attributes*/) {
    return Status::kOk;
  }

  template <typename Table>
  static constexpr Table table(const char* name) {
    return {
        .name = name,
        .init = init,
        .devices = net_devices,
        .get_properties = properties,
        .listen = listen,
        .connect = connect,
        .accept = accept,
        .reg_mr = register_memory,
        .reg_mr_dma_buf = nullptr,
        .dereg_mr = deregister_memory,
        .isend = isend,
        .irecv = irecv,
        .iflush = iflush,
        .test = net_test,
        .close_send = net_close_send,
        .close_recv = net_close_recv,
        .close_listen = net_close_listen,
        .get_device_mr = nullptr,
        .irecv_consumed = nullptr,
        .make_vdevice = nullptr,
        .finalize = finalize,
        .set_net_attributes = set_attributes,
    };
  }
};

}  // namespace netsense::reference
