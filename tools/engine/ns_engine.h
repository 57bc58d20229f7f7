/* C API of the host engine: a stand-in for the part of NCCL that a network plugin sees, on host memory.
 * Mirrors nccl.h where there is an equivalent; buffers are ordinary host memory. Usable from Python's ctypes.
 *
 * Every function returns an ns_result (the numbers of ncclResult_t). ns_last_error gives the text. */
#ifndef NETSENSE_TOOLS_ENGINE_NS_ENGINE_H
#define NETSENSE_TOOLS_ENGINE_NS_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  ns_success = 0,
  ns_unhandled_cuda_error = 1,
  ns_system_error = 2,
  ns_internal_error = 3,
  ns_invalid_argument = 4,
  ns_invalid_usage = 5,
  ns_remote_error = 6,
  ns_in_progress = 7
} ns_result;

/* The numbers of ncclDataType_t. */
typedef enum {
  ns_int8 = 0,
  ns_uint8 = 1,
  ns_int32 = 2,
  ns_uint32 = 3,
  ns_int64 = 4,
  ns_uint64 = 5,
  ns_float16 = 6,
  ns_float32 = 7,
  ns_float64 = 8,
  ns_bfloat16 = 9,
  ns_float8_e4m3 = 10,
  ns_float8_e5m2 = 11,
  ns_num_types = 12
} ns_type;

/* The numbers of ncclRedOp_t. */
typedef enum { ns_sum = 0, ns_prod = 1, ns_max = 2, ns_min = 3, ns_avg = 4, ns_num_ops = 5 } ns_op;

typedef struct ns_comm ns_comm;

#define NS_UNIQUE_ID_BYTES 128
typedef struct {
  char bytes[NS_UNIQUE_ID_BYTES];
} ns_unique_id;

/* address: "host:port" to listen on for the bootstrap, or null to choose an interface and a free port. */
ns_result ns_get_unique_id(const char* address, ns_unique_id* id);

/* Collective over all ranks. Reads NCCL_NET_PLUGIN, NCCL_ALGO, NCCL_PROTO, NCCL_BUFFSIZE, NCCL_*NCHANNELS and
 * the other variables that change what a plugin sees. Each rank counts as a node of its own. */
ns_result ns_comm_init_rank(ns_comm** comm, int ranks, const ns_unique_id* id, int rank);
/* Waits for outstanding work, then closes in NCCL's order. */
ns_result ns_comm_destroy(ns_comm* comm);
/* Gives up outstanding work. */
ns_result ns_comm_abort(ns_comm* comm);
/* The first asynchronous error, as ncclCommGetAsyncError. */
ns_result ns_comm_async_error(ns_comm* comm, ns_result* error);
int ns_comm_rank(const ns_comm* comm);
int ns_comm_size(const ns_comm* comm);
/* What carries the data, for example "netsense v12". Valid while the comm lives. */
const char* ns_comm_net_name(const ns_comm* comm);
/* Text of this thread's last error, never null. */
const char* ns_last_error(void);
size_t ns_type_size(ns_type type);
const char* ns_result_string(ns_result result);

/* Operations are asynchronous: they return once queued; ns_comm_synchronize waits for all queued ones.
 * In-place use follows nccl.h. Inside ns_group_start/ns_group_end they are queued together. */
ns_result ns_group_start(void);
ns_result ns_group_end(void);
ns_result ns_comm_synchronize(ns_comm* comm);

ns_result ns_all_reduce(const void* send, void* recv, size_t count, ns_type type, ns_op op, ns_comm* comm);
ns_result ns_broadcast(const void* send, void* recv, size_t count, ns_type type, int root, ns_comm* comm);
ns_result ns_reduce(const void* send, void* recv, size_t count, ns_type type, ns_op op, int root,
                    ns_comm* comm);
ns_result ns_all_gather(const void* send, void* recv, size_t send_count, ns_type type, ns_comm* comm);
ns_result ns_reduce_scatter(const void* send, void* recv, size_t recv_count, ns_type type, ns_op op,
                            ns_comm* comm);
ns_result ns_all_to_all(const void* send, void* recv, size_t count, ns_type type, ns_comm* comm);
ns_result ns_send(const void* send, size_t count, ns_type type, int peer, ns_comm* comm);
ns_result ns_recv(void* recv, size_t count, ns_type type, int peer, ns_comm* comm);

/* Registers a user buffer, as ncclCommRegister. */
ns_result ns_comm_register(ns_comm* comm, void* buffer, size_t bytes, void** handle);
ns_result ns_comm_deregister(ns_comm* comm, void* handle);

#ifdef __cplusplus
}
#endif

#endif
