#include "tools/engine/loader/net_adapter.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <mutex>
#include <type_traits>
#include <vector>

#include "plugin/abi/net_v10.h"
#include "plugin/abi/net_v11.h"
#include "plugin/abi/net_v12.h"
#include "plugin/abi/net_v6.h"
#include "plugin/abi/net_v7.h"
#include "plugin/abi/net_v8.h"
#include "plugin/abi/net_v9.h"
#include "tools/engine/base/logger.h"
#include "tools/engine/loader/properties.h"

namespace netsense::engine {
namespace {

ns_result to_result(abi::Result result) {
  return static_cast<ns_result>(result);
}

template <int kVersion, typename Table, typename Properties>
class NetAdapter final : public Net {
 public:
  explicit NetAdapter(Table* table) : table_(table) {}

  [[nodiscard]] const char* name() const override { return table_->name; }
  [[nodiscard]] int version() const override { return kVersion; }
  [[nodiscard]] bool has_attributes() const override {
    if constexpr (kVersion >= 11) return table_->set_net_attributes != nullptr;
    return false;
  }

  // Before v11 a plugin knows nothing of communicators: NCCL calls its init for the first one only.
  ns_result init(const NetInit& init, void** context) override {
    *context = nullptr;
    if constexpr (kVersion >= 11) {
      abi::NetConfigV11 config{init.traffic_class};
      return to_result(table_->init(context, init.comm_id, &config, &ns_engine_log, init.profiler));
    } else {
      const std::lock_guard lock(mutex_);
      if (users_ > 0) {
        ++users_;
        return ns_success;
      }
      ns_result result = ns_success;
      if constexpr (kVersion == 10) {
        result = to_result(table_->init(&ns_engine_log, init.profiler));
      } else {
        result = to_result(table_->init(&ns_engine_log));
      }
      if (result == ns_success) ++users_;
      return result;
    }
  }

  ns_result finalize(void* context) override {
    if constexpr (kVersion >= 11) {
      return to_result(table_->finalize(context));
    } else {
      const std::lock_guard lock(mutex_);
      if (users_ > 0) --users_;
      return ns_success;
    }
  }

  ns_result devices(int* count) override { return to_result(table_->devices(count)); }

  ns_result properties(int device, DeviceProperties* properties) override {
    Properties theirs{};
    const ns_result result = to_result(table_->get_properties(device, &theirs));
    if (result == ns_success) *properties = convert_properties(theirs);
    return result;
  }

  ns_result set_attributes(void* context, const NetAttributes& attributes) override {
    if constexpr (kVersion >= 11) {
      const auto peers = [](const TrafficHint& hint) {
        return abi::NetPeerAttributesV11{hint.max_peers, hint.min_peers, hint.max_flows, hint.min_flows};
      };
      abi::NetAttributesV11 theirs{peers(attributes.send), peers(attributes.recv), attributes.op,
                                   attributes.algo, attributes.proto};
      return to_result(table_->set_net_attributes(context, &theirs));
    }
    return ns_success;
  }

  ns_result listen(void* context, int device, Handle* handle, void** listener) override {
    if constexpr (kVersion >= 11) {
      return to_result(table_->listen(context, device, handle->data(), listener));
    } else {
      return to_result(table_->listen(device, handle->data(), listener));
    }
  }

  ns_result connect(void* context, int device, Handle* handle, void** comm) override {
    abi::NetDeviceHandle* offload = nullptr;
    if constexpr (kVersion >= 11) {
      return to_result(table_->connect(context, device, handle->data(), comm, &offload));
    } else if constexpr (kVersion == 10) {
      abi::NetConfigV10 config{abi::kUndefined};
      return to_result(table_->connect(device, &config, handle->data(), comm, &offload));
    } else if constexpr (kVersion >= 7) {
      return to_result(table_->connect(device, handle->data(), comm, &offload));
    } else {
      return to_result(table_->connect(device, handle->data(), comm));
    }
  }

  ns_result accept(void* listener, void** comm) override {
    if constexpr (kVersion >= 7) {
      abi::NetDeviceHandle* offload = nullptr;
      return to_result(table_->accept(listener, comm, &offload));
    } else {
      return to_result(table_->accept(listener, comm));
    }
  }

  ns_result register_memory(void* comm, void* data, size_t bytes, MemoryKind kind, void** memory) override {
    using Size = std::conditional_t<(kVersion >= 8), size_t, int>;
    return to_result(table_->reg_mr(comm, data, static_cast<Size>(bytes), static_cast<int>(kind), memory));
  }

  ns_result deregister_memory(void* comm, void* memory) override {
    return to_result(table_->dereg_mr(comm, memory));
  }

  ns_result isend(void* comm, void* data, size_t bytes, int tag, void* memory, void* phandle,
                  void** request) override {
    if constexpr (kVersion >= 10) {
      return to_result(table_->isend(comm, data, bytes, tag, memory, phandle, request));
    } else {
      using Size = std::conditional_t<(kVersion >= 9), size_t, int>;
      return to_result(table_->isend(comm, data, static_cast<Size>(bytes), tag, memory, request));
    }
  }

  ns_result irecv(void* comm, const RecvBuffers& buffers, void** request) override {
    if constexpr (kVersion >= 10) {
      return to_result(table_->irecv(comm, buffers.count, buffers.data, buffers.bytes, buffers.tags,
                                     buffers.memory, buffers.phandles, request));
    } else if constexpr (kVersion == 9) {
      return to_result(table_->irecv(comm, buffers.count, buffers.data, buffers.bytes, buffers.tags,
                                     buffers.memory, request));
    } else {
      // Older plugins know nothing of the hint in *request, and their sizes are int.
      if (*request == kCompletionOptional) *request = nullptr;
      std::array<int, 64> bytes{};
      for (int i = 0; i < buffers.count; ++i) {
        bytes[static_cast<size_t>(i)] = static_cast<int>(buffers.bytes[i]);
      }
      return to_result(table_->irecv(comm, buffers.count, buffers.data, bytes.data(), buffers.tags,
                                     buffers.memory, request));
    }
  }

  ns_result iflush(void* comm, int count, void** data, int* bytes, void** memory, void** request) override {
    return to_result(table_->iflush(comm, count, data, bytes, memory, request));
  }

  ns_result test(void* request, int* done, int* sizes) override {
    return to_result(table_->test(request, done, sizes));
  }

  ns_result close_send(void* comm) override { return to_result(table_->close_send(comm)); }
  ns_result close_recv(void* comm) override { return to_result(table_->close_recv(comm)); }
  ns_result close_listen(void* listener) override { return to_result(table_->close_listen(listener)); }

 private:
  Table* table_;
  std::mutex mutex_;
  int users_ = 0;
};

template <int kVersion, typename Table, typename Properties>
std::shared_ptr<Net> try_version(void* library, int wanted, std::string* tried) {
  if (wanted != 0 && wanted != kVersion) return nullptr;
  const std::string symbol = fmt::format("ncclNetPlugin_v{}", kVersion);
  *tried += (tried->empty() ? "" : ", ") + symbol;
  auto* table = static_cast<Table*>(dlsym(library, symbol.c_str()));
  if (table == nullptr) return nullptr;
  log_info(kLogInit | kLogNet, "NET/Plugin: Loaded net plugin {} (v{})", table->name, kVersion);
  return std::make_shared<NetAdapter<kVersion, Table, Properties>>(table);
}

}  // namespace

std::shared_ptr<Net> find_net(void* library, int wanted, std::string* tried) {
  std::shared_ptr<Net> net = try_version<12, abi::NetV12, abi::NetPropertiesV12>(library, wanted, tried);
  if (!net) net = try_version<11, abi::NetV11, abi::NetPropertiesV11>(library, wanted, tried);
  if (!net) net = try_version<10, abi::NetV10, abi::NetPropertiesV10>(library, wanted, tried);
  if (!net) net = try_version<9, abi::NetV9, abi::NetPropertiesV9>(library, wanted, tried);
  if (!net) net = try_version<8, abi::NetV8, abi::NetPropertiesV8>(library, wanted, tried);
  if (!net) net = try_version<7, abi::NetV7, abi::NetPropertiesV7>(library, wanted, tried);
  if (!net) net = try_version<6, abi::NetV6, abi::NetPropertiesV6>(library, wanted, tried);
  return net;
}

}  // namespace netsense::engine
