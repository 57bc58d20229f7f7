#include "tools/engine/trace/traced_transfers.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "tools/engine/trace/text.h"

namespace netsense::engine {

ns_result TracedTransfers::isend(void* comm, void* data, size_t bytes, int tag, void* memory, void* phandle,
                                 void** request) {
  Trace::Call call(trace_, "net", "isend");
  const void* request_in = *request;
  const ns_result result = net_.isend(comm, data, bytes, tag, memory, phandle, request);
  const bool made = result == ns_success && *request != nullptr;
  std::string args;
  std::string out;
  {
    const auto lock = trace_.lock_labels();
    args =
        fmt::format(R"("sc":"{}","buf":{},"tag":{}{},"request_in":{})", labels().of("s", comm),
                    buffer_text(labels(), comm, memory, data, bytes), tag,
                    net_.version() >= 10 ? fmt::format(R"(,"phandle":"{}")", labels().of("h", phandle)) : "",
                    request_in_text(request_in));
    out =
        made ? fmt::format(R"("req":"{}")", labels().add_request(*request, comm, 1).label) : R"("req":null)";
    if (made) labels().usage(comm).bytes += bytes;
  }
  call.finish(std::move(args), std::move(out), result,
              result == ns_success && !made ? Poll::kNothing : Poll::kNo);
  return result;
}

ns_result TracedTransfers::irecv(void* comm, const RecvBuffers& buffers, void** request) {
  Trace::Call call(trace_, "net", "irecv");
  const void* request_in = net_.version() >= 9 || *request != kCompletionOptional ? *request : nullptr;
  const ns_result result = net_.irecv(comm, buffers, request);
  const bool made = result == ns_success && *request != nullptr;
  std::string args;
  std::string out;
  {
    const auto lock = trace_.lock_labels();
    std::string bufs;
    std::string tags;
    std::string phandles;
    for (int i = 0; i < buffers.count; ++i) {
      const char* comma = i == 0 ? "" : ",";
      bufs += comma + buffer_text(labels(), comm, buffers.memory[i], buffers.data[i], buffers.bytes[i]);
      tags += fmt::format("{}{}", comma, buffers.tags[i]);
      phandles += fmt::format(R"({}"{}")", comma, labels().of("h", buffers.phandles[i]));
    }
    args = fmt::format(R"("rc":"{}","n":{},"bufs":[{}],"tags":[{}]{},"request_in":{})",
                       labels().of("r", comm), buffers.count, bufs, tags,
                       net_.version() >= 10 ? fmt::format(R"(,"phandles":[{}])", phandles) : "",
                       request_in_text(request_in));
    out = made ? fmt::format(R"("req":"{}")", labels().add_request(*request, comm, buffers.count).label)
               : R"("req":null)";
    if (made) labels().request(*request)->counts_bytes = true;
  }
  call.finish(std::move(args), std::move(out), result,
              result == ns_success && !made ? Poll::kNothing : Poll::kNo);
  return result;
}

ns_result TracedTransfers::iflush(void* comm, int count, void** data, int* bytes, void** memory,
                                  void** request) {
  Trace::Call call(trace_, "net", "iflush");
  const void* request_in = *request;
  const ns_result result = net_.iflush(comm, count, data, bytes, memory, request);
  std::string args;
  std::string out = R"("req":null)";
  {
    const auto lock = trace_.lock_labels();
    std::string bufs;
    for (int i = 0; i < count; ++i) {
      bufs += (i == 0 ? "" : ",") +
              buffer_text(labels(), comm, memory[i], data[i], static_cast<size_t>(bytes[i]));
    }
    args = fmt::format(R"("rc":"{}","n":{},"bufs":[{}],"request_in":{})", labels().of("r", comm), count, bufs,
                       request_in_text(request_in));
    if (result == ns_success && *request != nullptr) {
      out = fmt::format(R"("req":"{}")", labels().add_flush(*request).label);
    }
  }
  call.finish(std::move(args), std::move(out), result);
  return result;
}

ns_result TracedTransfers::test(void* request, int* done, int* sizes) {
  Trace::Call call(trace_, "net", "test");
  const ns_result result = net_.test(request, done, sizes);
  traced_test(trace_, call, request, *done, sizes, result);
  return result;
}

}  // namespace netsense::engine
