// How the progress thread moves one operation forward by what is possible now: NCCL's rules for posting,
// sending and testing (src/transport/net.cc), once per round of the thread.
#pragma once

#include "tools/engine/loader/net.h"
#include "tools/engine/proxy/attributes.h"
#include "tools/engine/proxy/op.h"
#include "tools/engine/proxy/profile.h"

namespace netsense::engine {

struct CollNetContext;

struct TransferContext {
  Net& net;
  AttributeTeller& attributes;
  const ProxyProfile& profile;
  int rank = 0;
  size_t p2p_chunk_bytes = 0;         // size of a slot in the send/recv pool
  bool completion_optional = true;    // NCCL_NET_OPTIONAL_RECV_COMPLETION
  CollNetContext* collnet = nullptr;  // null: no CollNet
};

// Set args.idle to whether nothing moved and args.state to kNone when it has finished.
ns_result progress_send(TransferContext& context, ProxyArgs& args);
ns_result progress_recv(TransferContext& context, ProxyArgs& args);

// Where a message of a send/recv lies in the pool.
inline size_t pool_offset(const TransferContext& context, const ProxyArgs& args, const ProxySub& sub,
                          int place, int depth) {
  const uint64_t slot = (sub.posted % static_cast<uint64_t>(depth)) * static_cast<uint64_t>(args.nsubs) +
                        static_cast<uint64_t>(place);
  return context.p2p_chunk_bytes * (static_cast<uint64_t>(sub.channel) * kSharedSteps + slot);
}

// Messages that may be posted ahead of the slowest one.
inline int posting_depth(const ProxyArgs& args) {
  const int share = kSharedSteps / args.nsubs;
  return share < kSteps ? share : kSteps;
}

// Where the operation's steps begin on its connection, whose count goes on to the next operation.
inline void claim_steps(const ProxyArgs& args, ProxySub& sub) {
  uint64_t& step = sub.connection->step;
  sub.base = (step + args.chunk_steps - 1) / args.chunk_steps * args.chunk_steps;
  step = sub.base + sub.nsteps;
}

}  // namespace netsense::engine
