#include "tools/engine/plan/builder.h"

namespace netsense::engine {
namespace {

void add(ProxyOp op, int peer, bool send, int index, std::vector<ProxyOp>& out) {
  if (peer == kNoPeer) return;
  op.peer = peer;
  op.send = send;
  op.connection_index = index;
  out.push_back(op);
}

// A pipeline ends at the rank before its root, or starts at the one after it.
void add_ring(const Ring& ring, const ProxyOp& op, std::vector<ProxyOp>& out) {
  const bool from_root = op.pattern == Pattern::kPipelineFrom;
  const bool to_root = op.pattern == Pattern::kPipelineTo;
  const int self = ring.user_ranks.front();
  const int no_recv = from_root ? self : ring.user_ranks.back();
  const int no_send = from_root ? ring.next : self;
  const bool pipeline = from_root || to_root;
  if (!pipeline || op.root != no_recv) add(op, ring.prev, false, 0, out);
  if (!pipeline || op.root != no_send) add(op, ring.next, true, 0, out);
}

void add_tree(const Tree& tree, const ProxyOp& op, std::vector<ProxyOp>& out) {
  for (const int child : tree.down) add(op, child, false, 0, out);
  add(op, tree.up, true, 0, out);
  for (const int child : tree.down) add(op, child, true, 0, out);
  add(op, tree.up, false, 0, out);
}

}  // namespace

void add_connection_ops(const CommShape& shape, const ProxyOp& op, std::vector<ProxyOp>& out) {
  const ChannelShape& channel = shape.channels[static_cast<size_t>(op.channel)];
  switch (op.pattern) {
    case Pattern::kTreeUpDown:
      add_tree(channel.tree, op, out);
      break;
    case Pattern::kCollNetChain:
      add(op, channel.collnet_chain.up, true, 1, out);
      add(op, channel.collnet_chain.up, false, 0, out);
      break;
    default:
      add_ring(channel.ring, op, out);
  }
}

}  // namespace netsense::engine
