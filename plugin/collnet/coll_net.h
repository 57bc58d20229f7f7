// The one internal API behind every version of ncclCollNet: what a collective network does that a network
// does not; the rest is plugin/core/net.h. Every function is noexcept.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plugin/core/net.h"

namespace netsense::collnet {

// handle: transport::kHandleSize bytes. comm_id: NCCL's number of the communicator; 0: not told (before v11).
Status coll_listen(uint64_t comm_id, int device, void* handle, void** listener) noexcept;
Status coll_close_listen(void* listener) noexcept;
// Waits for all ranks, for NETSENSE_CONNECT_TIMEOUT at most. handles: of all ranks, by rank.
Status coll_connect(void* handles[], int ranks, int rank, void* listener, void** comm) noexcept;
// The same on all ranks: every type and every operation that NCCL passes on.
Status coll_reduce_support(int type, int op, int* supported) noexcept;

// On return a null request means "not now, call again".
Status coll_iallreduce(void* comm, const void* send, void* recv, size_t count, int type, int op,
                       void** request) noexcept;
// A window of window_bytes at window_offset in what all ranks' parts of bytes_per_rank make up. send: this
// rank's part of the window; recv: all of it.
Status coll_iallgather(void* comm, const void* send, void* recv, size_t bytes_per_rank, size_t window_offset,
                       size_t window_bytes, void** request) noexcept;
// The same window of what is to be reduced. send: all of it; recv: this rank's part.
Status coll_ireducescatter(void* comm, const void* send, void* recv, size_t bytes_per_rank,
                           size_t window_offset, size_t window_bytes, int type, int op,
                           void** request) noexcept;

}  // namespace netsense::collnet
