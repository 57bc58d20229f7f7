// The calls of a network plugin that move data, each written to the trace with what became of it.
#pragma once

#include "tools/engine/loader/net.h"
#include "tools/engine/trace/trace.h"

namespace netsense::engine {

class TracedTransfers {
 public:
  // Both must outlive this.
  TracedTransfers(Net& net, Trace& trace) : net_(net), trace_(trace) {}

  // As those of Net.
  ns_result isend(void* comm, void* data, size_t bytes, int tag, void* memory, void* phandle, void** request);
  ns_result irecv(void* comm, const RecvBuffers& buffers, void** request);
  ns_result iflush(void* comm, int count, void** data, int* bytes, void** memory, void** request);
  ns_result test(void* request, int* done, int* sizes);

 private:
  Labels& labels() { return trace_.labels(); }

  Net& net_;
  Trace& trace_;
};

}  // namespace netsense::engine
