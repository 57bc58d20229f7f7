// One set of functions behind the tables of net v6 to v12. Where the versions differ, a function has one
// overload per form, and the type of the table's entry picks it.
#pragma once

#include <array>
#include <concepts>

#include "plugin/abi/net_v12.h"
#include "plugin/core/log.h"
#include "plugin/core/net.h"

namespace netsense::abi::adapter {

static_assert(transport::kHandleSize == kNetHandleBytes);

// More buffers in one irecv than any transport offers.
inline constexpr int kMaxGroupedReceives = 8;

inline core::Context* as_context(void* context) {
  return static_cast<core::Context*>(context);
}

inline Result refuse(const char* reason) {
  NETSENSE_WARN("{}", reason);
  return Result::kInvalidArgument;
}

template <int kVersion>
Result init(DebugLogger logger) {
  return core::net_init({.abi_version = kVersion, .log = logger}, nullptr);
}

template <int kVersion>
Result init(DebugLogger logger, ProfilerCallback /*profiler*/) {
  return init<kVersion>(logger);
}

template <int kVersion>
Result init(void** context, uint64_t /*comm_id*/, NetConfigV11* /*config*/, DebugLogger logger,
            ProfilerCallback /*profiler*/) {
  if (context == nullptr) return refuse("init: null argument");
  core::Context* made = nullptr;
  const Result result = core::net_init({.abi_version = kVersion, .log = logger}, &made);
  *context = made;
  return result;
}

inline Result devices(int* count) {
  return core::net_devices(count);
}

template <typename Properties>
Result get_properties(int device, Properties* properties) {
  if (properties == nullptr) return refuse("getProperties: null argument");
  const transport::DeviceInfo* info = nullptr;
  const Result result = core::net_properties(device, &info);
  if (result != Result::kOk) return result;
  *properties = {};
  // NCCL's structures have char* here and only read them.
  properties->name = const_cast<char*>(info->name.c_str());
  if (!info->pci_path.empty()) properties->pci_path = const_cast<char*>(info->pci_path.c_str());
  properties->guid = info->guid;
  properties->ptr_support = info->memory_types;
  properties->speed_mbps = info->speed_mbps;
  properties->port = info->port;
  properties->latency_us = info->latency_us;
  properties->max_comms = info->max_comms;
  properties->max_recvs = info->max_grouped_receives;
  if constexpr (requires { properties->device_type; }) properties->device_type = kNetDeviceHost;
  if constexpr (requires { properties->virtual_device; }) {
    properties->virtual_device.device_count = 1;
    properties->virtual_device.devices[0] = device;
    properties->max_p2p_bytes = transport::kMaxMessage;
    properties->max_coll_bytes = transport::kMaxMessage;
  }
  if constexpr (requires { properties->max_multi_request; }) properties->max_multi_request = 1;
  if constexpr (requires { properties->rail_id; }) {
    properties->rail_id = kUndefined;
    properties->plane_id = kUndefined;
  }
  return Result::kOk;
}

inline Result listen(int device, void* handle, void** listener) {
  return core::net_listen(nullptr, device, handle, listener);
}

inline Result listen(void* context, int device, void* handle, void** listener) {
  return core::net_listen(as_context(context), device, handle, listener);
}

inline Result connect(int device, void* handle, void** comm) {
  return core::net_connect(nullptr, device, handle, comm);
}

inline Result connect(int device, void* handle, void** comm, NetDeviceHandle** /*device_handle*/) {
  return core::net_connect(nullptr, device, handle, comm);
}

inline Result connect(int device, NetConfigV10* /*config*/, void* handle, void** comm,
                      NetDeviceHandle** /*device_handle*/) {
  return core::net_connect(nullptr, device, handle, comm);
}

inline Result connect(void* context, int device, void* handle, void** comm,
                      NetDeviceHandle** /*device_handle*/) {
  return core::net_connect(as_context(context), device, handle, comm);
}

inline Result accept(void* listener, void** comm) {
  return core::net_accept(listener, comm);
}

inline Result accept(void* listener, void** comm, NetDeviceHandle** /*device_handle*/) {
  return core::net_accept(listener, comm);
}

template <std::integral Size>
Result reg_mr(void* comm, void* data, Size bytes, int type, void** region) {
  if (std::signed_integral<Size> && bytes < 0) return refuse("regMr: negative size");
  return core::net_reg_mr(comm, data, static_cast<size_t>(bytes), type, region);
}

// Never reached by NCCL, since ptrSupport has no NCCL_PTR_DMABUF.
inline Result reg_mr_dma_buf(void* /*comm*/, void* /*data*/, size_t /*bytes*/, int /*type*/,
                             uint64_t /*offset*/, int /*fd*/, void** region) {
  if (region != nullptr) *region = nullptr;
  NETSENSE_WARN("regMrDmaBuf: DMA-BUF memory is not supported, as ptrSupport says");
  return Result::kInvalidUsage;
}

inline Result dereg_mr(void* comm, void* region) {
  return core::net_dereg_mr(comm, region);
}

template <std::integral Size>
Result isend(void* comm, void* data, Size bytes, int tag, void* region, void** request) {
  if (std::signed_integral<Size> && bytes < 0) return refuse("isend: negative size");
  return core::net_isend(comm, data, static_cast<size_t>(bytes), tag, region, nullptr, request);
}

inline Result isend(void* comm, void* data, size_t bytes, int tag, void* region, void* parent,
                    void** request) {
  return core::net_isend(comm, data, bytes, tag, region, parent, request);
}

// v6 to v8 know no hint: whatever stands in *request on entry means nothing.
inline Result irecv(void* comm, int count, void** data, int* bytes, int* tags, void** regions,
                    void** request) {
  if (bytes == nullptr || count < 1 || count > kMaxGroupedReceives)
    return refuse("irecv: bad number of buffers");
  std::array<size_t, kMaxGroupedReceives> room{};
  for (int i = 0; i < count; ++i) {
    if (bytes[i] < 0) return refuse("irecv: negative size");
    room[static_cast<size_t>(i)] = static_cast<size_t>(bytes[i]);
  }
  return core::net_irecv(comm, count, data, room.data(), tags, regions, /*completion_optional=*/false,
                         request);
}

// NCCL reuses the slots that hold requests, so anything but the exact hint is a leftover.
inline bool has_completion_hint(void* const* request) {
  return request != nullptr && reinterpret_cast<uintptr_t>(*request) == kOptionalRecvCompletion;
}

inline Result irecv(void* comm, int count, void** data, size_t* bytes, int* tags, void** regions,
                    void** request) {
  return core::net_irecv(comm, count, data, bytes, tags, regions, has_completion_hint(request), request);
}

inline Result irecv(void* comm, int count, void** data, size_t* bytes, int* tags, void** regions,
                    void** /*parents*/, void** request) {
  return irecv(comm, count, data, bytes, tags, regions, request);
}

inline Result iflush(void* comm, int count, void** data, int* bytes, void** regions, void** request) {
  return core::net_iflush(comm, count, data, bytes, regions, request);
}

inline Result test(void* request, int* done, int* bytes) {
  return core::net_test(request, done, bytes);
}
inline Result close_send(void* comm) {
  return core::net_close_send(comm);
}
inline Result close_recv(void* comm) {
  return core::net_close_recv(comm);
}
inline Result close_listen(void* listener) {
  return core::net_close_listen(listener);
}
inline Result finalize(void* context) {
  return core::net_finalize(as_context(context));
}

inline Result set_net_attributes(void* context, NetAttributesV11* attributes) {
  if (attributes == nullptr) return Result::kOk;
  return core::net_announce(as_context(context), attributes->op, attributes->protocol);
}

// getDeviceMr, irecvConsumed and makeVDevice stay null: they are for networks with device code and for NICs
// that can be merged, and every NCCL since v7 asks whether they are there.
template <typename Table, int kVersion>
constexpr Table make_table() {
  Table table{};
  table.name = "netsense";
  table.init = init<kVersion>;
  table.devices = devices;
  table.get_properties = get_properties;
  table.listen = listen;
  table.connect = connect;
  table.accept = accept;
  table.reg_mr = reg_mr;
  table.reg_mr_dma_buf = reg_mr_dma_buf;
  table.dereg_mr = dereg_mr;
  table.isend = isend;
  table.irecv = irecv;
  table.iflush = iflush;
  table.test = test;
  table.close_send = close_send;
  table.close_recv = close_recv;
  table.close_listen = close_listen;
  if constexpr (requires { table.finalize; }) table.finalize = finalize;
  if constexpr (requires { table.set_net_attributes; }) table.set_net_attributes = set_net_attributes;
  return table;
}

}  // namespace netsense::abi::adapter

// The data symbol that NCCL looks up. Declared first, because a const object alone would be local to its
// file.
#define NETSENSE_EXPORT_NET(version)                                                     \
  extern "C" {                                                                           \
  extern __attribute__((visibility("default"))) const netsense::abi::NetV##version       \
      ncclNetPlugin_v##version; /* NOLINT(readability-identifier-naming): NCCL's name */ \
  constinit const netsense::abi::NetV##version ncclNetPlugin_v##version =                \
      netsense::abi::adapter::make_table<netsense::abi::NetV##version, version>();       \
  }
