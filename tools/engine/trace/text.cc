#include "tools/engine/trace/text.h"

#include <fmt/format.h>

namespace netsense::engine {

std::string properties_text(const DeviceProperties& p, int version) {
  if (version <= 8) {
    return fmt::format(R"("name":"{}","ptrSupport":{},"speed":{},"maxRecvs":{})", p.name, p.pointer_support,
                       p.speed, p.max_recvs);
  }
  return fmt::format(
      R"("name":"{}","ptrSupport":{},"regIsGlobal":{},"forceFlush":{},"speed":{},"port":{},"latency":{:g},"maxComms":{},)"
      R"("maxRecvs":{},"netDeviceType":{},"maxP2pBytes":{},"maxCollBytes":{},"maxMultiRequestSize":{})",
      p.name, p.pointer_support, p.reg_is_global, p.force_flush, p.speed, p.port, p.latency, p.max_comms,
      p.max_recvs, p.device_type, p.max_p2p_bytes, p.max_coll_bytes, p.max_multi_request_size);
}

std::string memory_label(const Labels& labels, const void* comm, const void* memory, const void* data) {
  const Labels::Memory* found = labels.memory(comm, memory, data);
  return found == nullptr ? "unknown" : found->label;
}

std::string buffer_text(const Labels& labels, const void* comm, const void* memory, const void* data,
                        size_t bytes) {
  const Labels::Memory* found = labels.memory(comm, memory, data);
  if (found == nullptr) return fmt::format(R"({{"mr":null,"len":{}}})", bytes);
  return fmt::format(R"({{"mr":"{}","off":{},"len":{}}})", found->label,
                     static_cast<const std::byte*>(data) - found->base, bytes);
}

std::string request_in_text(const void* request) {
  if (request == nullptr) return "null";
  return request == kCompletionOptional ? R"("OPTIONAL_RECV_COMPLETION")" : R"("old value")";
}

std::string registration_text(Labels& labels, const std::string& comm, const void* data, size_t bytes,
                              MemoryKind kind) {
  const std::string buffer = labels.of("b", data);
  const std::string before = labels.ends_at(data);
  labels.add_buffer_end(data, bytes, buffer);
  return fmt::format(R"("comm":"{}","buf":"{}"{},"size":{},"type":"{}")", comm, buffer,
                     before.empty() ? "" : fmt::format(R"(,"starts_at_end_of":"{}")", before), bytes,
                     kind == MemoryKind::kCuda ? "CUDA" : "HOST");
}

void traced_test(Trace& trace, Trace::Call& call, const void* request, int done, const int* sizes,
                 ns_result result) {
  std::string args;
  std::string out = fmt::format(R"("done":{})", done);
  std::string name;
  {
    const auto lock = trace.lock_labels();
    const Labels::Request* known = trace.labels().request(request);
    name = known == nullptr ? "unknown" : known->label;
    args = fmt::format(R"("req":"{}")", name);
    if (result == ns_success && done != 0) {
      args += sizes == nullptr ? R"(,"sizes":null)" : R"(,"sizes":"given")";
      out += R"(,"sizes":[)";
      for (int i = 0; sizes != nullptr && known != nullptr && i < known->buffers; ++i) {
        out += fmt::format("{}{}", i == 0 ? "" : ",", sizes[i]);
        if (known->counts_bytes) trace.labels().usage(known->comm).bytes += static_cast<uint64_t>(sizes[i]);
      }
      if (sizes == nullptr && call.api() == "collnet") out += "0";
      out += "]";
      trace.labels().remove_request(request);
    }
  }
  const bool waiting = result == ns_success && done == 0;
  call.finish(std::move(args), std::move(out), result, waiting ? Poll::kTest : Poll::kNo, std::move(name));
}

}  // namespace netsense::engine
