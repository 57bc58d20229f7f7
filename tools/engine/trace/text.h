// Pieces of trace lines that several plugin kinds share. Functions that take Labels want them locked.
#pragma once

#include <string>

#include "tools/engine/loader/net.h"
#include "tools/engine/trace/trace.h"

namespace netsense::engine {

std::string properties_text(const DeviceProperties& properties, int version);
std::string memory_label(const Labels& labels, const void* comm, const void* memory, const void* data);
// {"mr":"m0","off":0,"len":1024}
std::string buffer_text(const Labels& labels, const void* comm, const void* memory, const void* data,
                        size_t bytes);
std::string request_in_text(const void* request);
std::string registration_text(Labels& labels, const std::string& comm, const void* data, size_t bytes,
                              MemoryKind kind);
// Finishes the line of a test() and forgets the request when it is done.
void traced_test(Trace& trace, Trace::Call& call, const void* request, int done, const int* sizes,
                 ns_result result);

}  // namespace netsense::engine
