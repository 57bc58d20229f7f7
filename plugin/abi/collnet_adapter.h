// One set of functions behind the tables of CollNet v6 to v12; what a network does too is net_adapter.h's.
#pragma once

#include "plugin/abi/collnet_v12.h"
#include "plugin/abi/net_adapter.h"
#include "plugin/collnet/coll_net.h"

namespace netsense::abi::collnet_adapter {

using adapter::refuse;

// From v11 on a context holds the number of its communicator.
struct Context {
  core::Context* core;
  uint64_t comm_id;
};

template <int kVersion>
Result init(DebugLogger logger) {
  return core::net_init({.abi_version = kVersion, .log = logger}, nullptr);
}

template <int kVersion>
Result init(void** context, uint64_t comm_id, DebugLogger logger) {
  if (context == nullptr) return refuse("CollNet init: null argument");
  *context = nullptr;
  core::Context* made = nullptr;
  const Result result = core::net_init({.abi_version = kVersion, .log = logger}, &made);
  if (result != Result::kOk) return result;
  *context = new (std::nothrow) Context{made, comm_id};
  if (*context != nullptr) return Result::kOk;
  const Result ignored = core::net_finalize(made);
  static_cast<void>(ignored);
  return Result::kSystemError;
}

inline Result finalize(void* context) {
  const auto* mine = static_cast<Context*>(context);
  if (mine == nullptr) return Result::kOk;
  const Result result = core::net_finalize(mine->core);
  delete mine;
  return result;
}

inline Result listen(int device, void* handle, void** listener) {
  return collnet::coll_listen(0, device, handle, listener);
}

inline Result listen(void* context, int device, void* handle, void** listener) {
  const auto* mine = static_cast<const Context*>(context);
  return collnet::coll_listen(mine == nullptr ? 0 : mine->comm_id, device, handle, listener);
}

inline Result connect(void* handles[], int ranks, int rank, void* listener, void** comm) {
  return collnet::coll_connect(handles, ranks, rank, listener, comm);
}

inline Result reduce_support(DataType type, ReduceOp op, int* supported) {
  return collnet::coll_reduce_support(type, op, supported);
}

template <std::integral Count>
Result iallreduce(void* comm, void* send, void* recv, Count count, DataType type, ReduceOp op,
                  void* /*send_region*/, void* /*recv_region*/, void** request) {
  if (std::signed_integral<Count> && count < 0) return refuse("iallreduce: negative count");
  return collnet::coll_iallreduce(comm, send, recv, static_cast<size_t>(count), type, op, request);
}

// NCCL has not used more than one part in any version.
template <typename Part>
Result iallgather(void* comm, void* send, int parts, Part* recv, size_t bytes_per_rank, size_t window_offset,
                  size_t window_bytes, void* /*send_region*/, void** request) {
  if (parts != 1 || recv == nullptr || static_cast<size_t>(recv->bytes) < window_bytes) {
    return refuse("iallgather: not one part with room for the window");
  }
  return collnet::coll_iallgather(comm, send, recv->address, bytes_per_rank, window_offset, window_bytes,
                                  request);
}

template <typename Part>
Result ireducescatter(void* comm, int parts, Part* send, void* recv, size_t bytes_per_rank,
                      size_t window_offset, size_t window_bytes, DataType type, ReduceOp op,
                      void* /*recv_region*/, void** request) {
  if (parts != 1 || send == nullptr || static_cast<size_t>(send->bytes) < window_bytes) {
    return refuse("ireducescatter: not one part that holds the window");
  }
  return collnet::coll_ireducescatter(comm, send->address, recv, bytes_per_rank, window_offset, window_bytes,
                                      type, op, request);
}

inline Result iflush(void* comm, void* /*data*/, int /*bytes*/, void* /*region*/, void** request) {
  return core::net_iflush(comm, 0, nullptr, nullptr, nullptr, request);
}

inline Result close_coll(void* comm) {
  return core::net_close_send(comm);
}

inline Result close_listen(void* listener) {
  return collnet::coll_close_listen(listener);
}

template <typename Table, int kVersion>
constexpr Table make_table() {
  Table table{};
  table.name = "netsense";
  table.init = init<kVersion>;
  table.devices = adapter::devices;
  table.get_properties = adapter::get_properties;
  table.listen = listen;
  table.connect = connect;
  table.reduce_support = reduce_support;
  table.reg_mr = adapter::reg_mr;
  table.reg_mr_dma_buf = adapter::reg_mr_dma_buf;
  table.dereg_mr = adapter::dereg_mr;
  table.iallreduce = iallreduce;
  if constexpr (requires { table.iallgather; }) {
    table.iallgather = iallgather;
    table.ireducescatter = ireducescatter;
  }
  table.iflush = iflush;
  table.test = adapter::test;
  table.close_coll = close_coll;
  table.close_listen = close_listen;
  if constexpr (requires { table.finalize; }) table.finalize = finalize;
  return table;
}

}  // namespace netsense::abi::collnet_adapter

// The data symbol that NCCL looks up, as NETSENSE_EXPORT_NET makes it.
#define NETSENSE_EXPORT_COLLNET(version)                                                       \
  extern "C" {                                                                                 \
  extern __attribute__((visibility("default"))) const netsense::abi::CollNetV##version         \
      ncclCollNetPlugin_v##version; /* NOLINT(readability-identifier-naming): NCCL's name */   \
  constinit const netsense::abi::CollNetV##version ncclCollNetPlugin_v##version =              \
      netsense::abi::collnet_adapter::make_table<netsense::abi::CollNetV##version, version>(); \
  }
