// The C API: checks arguments, turns calls into tasks, and errors into results.
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <vector>

#include "tools/engine/base/error.h"
#include "tools/engine/base/logger.h"
#include "tools/engine/bootstrap/root.h"
#include "tools/engine/comm/call_group.h"
#include "tools/engine/comm/comm.h"
#include "tools/engine/ns_engine.h"

using netsense::engine::ApiCall;
using netsense::engine::CallGroup;
using netsense::engine::CollTask;
using netsense::engine::Comm;
using netsense::engine::EngineError;
using netsense::engine::fail;
using netsense::engine::Function;
using netsense::engine::P2pTask;

struct ns_comm {
  Comm comm;
};

namespace {

template <typename Body>
ns_result guarded(Body body) {
  try {
    body();
    return ns_success;
  } catch (const EngineError& error) {
    netsense::engine::set_last_error(error.what());
    return error.result();
  } catch (const std::bad_alloc&) {
    netsense::engine::set_last_error("out of memory");
    return ns_system_error;
  } catch (const std::exception& error) {
    netsense::engine::set_last_error(error.what());
    return ns_internal_error;
  }
}

// For what may be called between ns_group_start and ns_group_end.
template <typename Call>
ns_result groupable(Call call) {
  return guarded([&] {
    try {
      call();
    } catch (const EngineError& error) {
      CallGroup::current().note(error);
      throw;
    }
  });
}

void check_argument(bool valid, const char* what) {
  if (!valid) fail(ns_invalid_argument, "invalid argument: {}", what);
}

void check_call(const ns_comm* comm, size_t count, ns_type type, const void* buffer) {
  check_argument(comm != nullptr, "comm is null");
  check_argument(type >= 0 && type < ns_num_types, "type");
  check_argument(count == 0 || buffer != nullptr, "a buffer is null");
}

ns_result collective(ns_comm* comm, const char* name, const CollTask& task) {
  return groupable([&] {
    check_call(comm, task.count, task.type, task.send);
    check_argument(task.op >= 0 && task.op < ns_num_ops, "op");
    check_argument(task.root >= 0 && task.root < comm->comm.ranks(), "root");
    const ApiCall call{name, task.count, task.type, task.root, false};
    CallGroup::current().call(comm->comm, [&](int depth) { comm->comm.add(task, call, depth); });
  });
}

ns_result point_to_point(ns_comm* comm, bool send, void* buffer, size_t count, ns_type type, int peer) {
  return groupable([&] {
    check_call(comm, count, type, buffer);
    check_argument(peer >= 0 && peer < comm->comm.ranks(), "peer");
    P2pTask task;
    task.send = send;
    task.buffer = buffer;
    task.bytes = count * ns_type_size(type);
    task.peer = peer;
    task.function = send ? Function::kSend : Function::kRecv;
    const ApiCall call{send ? "Send" : "Recv", count, type, peer, true};
    CallGroup::current().call(comm->comm, [&](int depth) { comm->comm.add(task, call, depth); });
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

ns_result ns_get_unique_id(const char* address, ns_unique_id* id) {
  return guarded([&] {
    check_argument(id != nullptr, "id is null");
    *id = netsense::engine::pack_unique_id(netsense::engine::start_root(address == nullptr ? "" : address));
  });
}

ns_result ns_comm_init_rank(ns_comm** comm, int ranks, const ns_unique_id* id, int rank) {
  return guarded([&] {
    check_argument(comm != nullptr && id != nullptr, "comm or id is null");
    const netsense::engine::UniqueId unpacked = netsense::engine::unpack_unique_id(*id);
    *comm = new ns_comm{Comm(unpacked, ranks, rank)};
  });
}

ns_result ns_comm_destroy(ns_comm* comm) {
  return guarded([&] {
    check_argument(comm != nullptr, "comm is null");
    CallGroup::current().forget(comm->comm);
    delete comm;
  });
}

ns_result ns_comm_abort(ns_comm* comm) {
  return guarded([&] {
    check_argument(comm != nullptr, "comm is null");
    CallGroup::current().forget(comm->comm);
    comm->comm.abort();
    delete comm;
  });
}

ns_result ns_comm_async_error(ns_comm* comm, ns_result* error) {
  return guarded([&] {
    check_argument(comm != nullptr && error != nullptr, "comm or error is null");
    *error = comm->comm.async_error();
  });
}

int ns_comm_rank(const ns_comm* comm) {
  return comm->comm.rank();
}

int ns_comm_size(const ns_comm* comm) {
  return comm->comm.ranks();
}

const char* ns_comm_net_name(const ns_comm* comm) {
  return comm->comm.net_name();
}

const char* ns_last_error(void) {
  return netsense::engine::last_error();
}

size_t ns_type_size(ns_type type) {
  switch (type) {
    case ns_int8:
    case ns_uint8:
    case ns_float8_e4m3:
    case ns_float8_e5m2:
      return 1;
    case ns_float16:
    case ns_bfloat16:
      return 2;
    case ns_int32:
    case ns_uint32:
    case ns_float32:
      return 4;
    case ns_int64:
    case ns_uint64:
    case ns_float64:
      return 8;
    case ns_num_types:
      break;
  }
  return 0;
}

const char* ns_result_string(ns_result result) {
  return netsense::engine::result_name(result);
}

ns_result ns_group_start(void) {
  return guarded([] { CallGroup::current().start(); });
}

ns_result ns_group_end(void) {
  return guarded([] { CallGroup::current().end(); });
}

ns_result ns_comm_synchronize(ns_comm* comm) {
  return guarded([&] {
    check_argument(comm != nullptr, "comm is null");
    comm->comm.synchronize();
  });
}

ns_result ns_all_reduce(const void* send, void* recv, size_t count, ns_type type, ns_op op, ns_comm* comm) {
  return collective(comm, "AllReduce", {Function::kAllReduce, send, recv, count, type, op});
}

ns_result ns_broadcast(const void* send, void* recv, size_t count, ns_type type, int root, ns_comm* comm) {
  return groupable([&] {
    check_call(comm, count, type, recv);
    const void* source = comm->comm.rank() == root ? send : recv;
    const ns_result result =
        collective(comm, "Broadcast", {Function::kBroadcast, source, recv, count, type, ns_sum, root});
    if (result != ns_success) throw EngineError(result, ns_last_error());
  });
}

ns_result ns_reduce(const void* send, void* recv, size_t count, ns_type type, ns_op op, int root,
                    ns_comm* comm) {
  return collective(comm, "Reduce", {Function::kReduce, send, recv, count, type, op, root});
}

ns_result ns_all_gather(const void* send, void* recv, size_t send_count, ns_type type, ns_comm* comm) {
  return collective(comm, "AllGather", {Function::kAllGather, send, recv, send_count, type, ns_sum});
}

ns_result ns_reduce_scatter(const void* send, void* recv, size_t recv_count, ns_type type, ns_op op,
                            ns_comm* comm) {
  return collective(comm, "ReduceScatter", {Function::kReduceScatter, send, recv, recv_count, type, op});
}

ns_result ns_all_to_all(const void* send, void* recv, size_t count, ns_type type, ns_comm* comm) {
  return groupable([&] {
    check_call(comm, count, type, send);
    check_call(comm, count, type, recv);
    const size_t bytes = count * ns_type_size(type);
    std::vector<P2pTask> tasks;
    for (int peer = 0; peer < comm->comm.ranks(); ++peer) {
      const size_t offset = bytes * static_cast<size_t>(peer);
      auto* source = static_cast<std::byte*>(const_cast<void*>(send)) + offset;
      tasks.push_back({true, source, bytes, peer, Function::kAllToAll});
      tasks.push_back({false, static_cast<std::byte*>(recv) + offset, bytes, peer, Function::kAllToAll});
    }
    const ApiCall call{"AlltoAll", count, type, 0, false};
    CallGroup::current().call(comm->comm, [&](int depth) { comm->comm.add(tasks, call, depth); });
  });
}

ns_result ns_send(const void* send, size_t count, ns_type type, int peer, ns_comm* comm) {
  return point_to_point(comm, true, const_cast<void*>(send), count, type, peer);
}

ns_result ns_recv(void* recv, size_t count, ns_type type, int peer, ns_comm* comm) {
  return point_to_point(comm, false, recv, count, type, peer);
}

ns_result ns_comm_register(ns_comm* comm, void* buffer, size_t bytes, void** handle) {
  return guarded([&] {
    check_argument(comm != nullptr && handle != nullptr && buffer != nullptr && bytes > 0,
                   "buffer or handle");
    *handle = comm->comm.register_buffer(buffer, bytes);
  });
}

ns_result ns_comm_deregister(ns_comm* comm, void* handle) {
  return guarded([&] {
    check_argument(comm != nullptr && handle != nullptr, "comm or handle is null");
    comm->comm.deregister_buffer(handle);
  });
}

}  // extern "C"
#pragma GCC visibility pop
