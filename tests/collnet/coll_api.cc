#include "tests/collnet/coll_api.h"

#include <dlfcn.h>

#include <cstdarg>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "plugin/abi/collnet_v10.h"
#include "plugin/abi/collnet_v7.h"

namespace netsense::testing {
namespace {

constexpr int kWarn = 2;  // NCCL_LOG_WARN

// What a failing test's log should show.
void log_line(int level, unsigned long /*flags*/, const char* /*file*/, int /*line*/, const char* format,
              ...) {
  if (level > kWarn) return;
  va_list arguments;
  va_start(arguments, format);
  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): the analyzer overlooks this va_start.
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

template <typename Table>
class Api final : public CollApi {
 public:
  explicit Api(const Table* table) : table_(*table) {}

  int init(uint64_t comm_id, void** context) override {
    *context = nullptr;
    if constexpr (kHasContext) {
      return static_cast<int>(table_.init(context, comm_id, log_line));
    } else {
      return static_cast<int>(table_.init(log_line));
    }
  }
  int finalize(void* context) override {
    if constexpr (kHasContext) return static_cast<int>(table_.finalize(context));
    return 0;
  }
  int devices(int* count) override { return static_cast<int>(table_.devices(count)); }
  int listen(void* context, int device, void* handle, void** listener) override {
    if constexpr (kHasContext) {
      return static_cast<int>(table_.listen(context, device, handle, listener));
    } else {
      return static_cast<int>(table_.listen(device, handle, listener));
    }
  }
  int connect(void* handles[], int ranks, int rank, void* listener, void** comm) override {
    return static_cast<int>(table_.connect(handles, ranks, rank, listener, comm));
  }
  int reduce_support(int type, int op, int* supported) override {
    return static_cast<int>(table_.reduce_support(type, op, supported));
  }
  int reg_mr(void* comm, void* data, size_t bytes, void** region) override {
    return call_reg_mr(table_.reg_mr, comm, data, bytes, region);
  }
  int dereg_mr(void* comm, void* region) override { return static_cast<int>(table_.dereg_mr(comm, region)); }
  int iallreduce(void* comm, const CollCall& c, void** request) override {
    return call_iallreduce(table_.iallreduce, comm, c, request);
  }
  int iallgather(void* comm, void* send, void* recv, const CollWindow& w, void** request) override {
    if constexpr (requires { table_.iallgather; }) {
      return call_iallgather(table_.iallgather, comm, send, recv, w, request);
    } else {
      throw std::logic_error("this version has no iallgather");
    }
  }
  int ireducescatter(void* comm, const CollCall& c, const CollWindow& w, void** request) override {
    if constexpr (requires { table_.ireducescatter; }) {
      return call_ireducescatter(table_.ireducescatter, comm, c, w, request);
    } else {
      throw std::logic_error("this version has no ireducescatter");
    }
  }
  int test(void* request, int* done, int* size) override {
    return static_cast<int>(table_.test(request, done, size));
  }
  int close(void* comm) override { return static_cast<int>(table_.close_coll(comm)); }
  int close_listen(void* listener) override { return static_cast<int>(table_.close_listen(listener)); }

 private:
  static constexpr bool kHasContext = requires(Table table) { table.finalize; };

  template <typename Size>
  static int call_reg_mr(abi::NetRegMr<Size> reg_mr, void* comm, void* data, size_t bytes, void** region) {
    return static_cast<int>(reg_mr(comm, data, static_cast<Size>(bytes), 1, region));
  }
  template <typename Size>
  static int call_iallreduce(abi::CollNetIallreduce<Size> iallreduce, void* comm, const CollCall& c,
                             void** request) {
    return static_cast<int>(iallreduce(comm, c.send, c.recv, static_cast<Size>(c.count), c.type, c.op,
                                       nullptr, nullptr, request));
  }
  template <typename Part>
  static int call_iallgather(abi::CollNetIallgather<Part> iallgather, void* comm, void* send, void* recv,
                             const CollWindow& w, void** request) {
    Part part{nullptr, recv, static_cast<decltype(Part::bytes)>(w.bytes)};
    return static_cast<int>(
        iallgather(comm, send, 1, &part, w.bytes_per_rank, w.offset, w.bytes, nullptr, request));
  }
  template <typename Part>
  static int call_ireducescatter(abi::CollNetIreducescatter<Part> ireducescatter, void* comm,
                                 const CollCall& c, const CollWindow& w, void** request) {
    Part part{nullptr, c.send, static_cast<decltype(Part::bytes)>(w.bytes)};
    return static_cast<int>(ireducescatter(comm, 1, &part, c.recv, w.bytes_per_rank, w.offset, w.bytes,
                                           c.type, c.op, nullptr, request));
  }

  const Table& table_;
};

template <typename Table>
std::unique_ptr<CollApi> make(const void* table) {
  return std::make_unique<Api<Table>>(static_cast<const Table*>(table));
}

}  // namespace

std::unique_ptr<CollApi> find_coll_api(void* library, int version) {
  const std::string symbol = "ncclCollNetPlugin_v" + std::to_string(version);
  const void* table = dlsym(library, symbol.c_str());
  if (table == nullptr) throw std::runtime_error("no symbol " + symbol);
  switch (version) {
    case 6:
      return make<abi::CollNetV6>(table);
    case 7:
      return make<abi::CollNetV7>(table);
    case 8:
      return make<abi::CollNetV8>(table);
    case 9:
      return make<abi::CollNetV9>(table);
    case 10:
      return make<abi::CollNetV10>(table);
    case 11:
      return make<abi::CollNetV11>(table);
    case 12:
      return make<abi::CollNetV12>(table);
    default:
      throw std::runtime_error("no such version");
  }
}

}  // namespace netsense::testing
