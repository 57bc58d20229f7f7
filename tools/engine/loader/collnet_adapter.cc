#include <dlfcn.h>

#include "plugin/abi/collnet_v11.h"
#include "tools/engine/base/logger.h"
#include "tools/engine/loader/collnet.h"
#include "tools/engine/loader/properties.h"

namespace netsense::engine {
namespace {

ns_result to_result(abi::Result result) {
  return static_cast<ns_result>(result);
}

class CollNetAdapter final : public CollNet {
 public:
  explicit CollNetAdapter(abi::CollNetV11* table) : table_(table) {}

  [[nodiscard]] const char* name() const override { return table_->name; }
  ns_result init(uint64_t comm_id, void** context) override {
    return to_result(table_->init(context, comm_id, &ns_engine_log));
  }
  ns_result finalize(void* context) override { return to_result(table_->finalize(context)); }
  ns_result devices(int* count) override { return to_result(table_->devices(count)); }
  ns_result properties(int device, DeviceProperties* properties) override {
    abi::NetPropertiesV11 theirs{};
    const ns_result result = to_result(table_->get_properties(device, &theirs));
    if (result == ns_success) *properties = convert_properties(theirs);
    return result;
  }
  ns_result listen(void* context, int device, Handle* handle, void** listener) override {
    return to_result(table_->listen(context, device, handle->data(), listener));
  }
  ns_result connect(std::vector<Handle>& handles, int rank, void* listener, void** comm) override {
    std::vector<void*> pointers;
    pointers.reserve(handles.size());
    for (Handle& handle : handles) pointers.push_back(handle.data());
    return to_result(
        table_->connect(pointers.data(), static_cast<int>(pointers.size()), rank, listener, comm));
  }
  ns_result reduce_support(ns_type type, ns_op op, int* supported) override {
    return to_result(table_->reduce_support(type, op, supported));
  }
  ns_result register_memory(void* comm, void* data, size_t bytes, MemoryKind kind, void** memory) override {
    return to_result(table_->reg_mr(comm, data, bytes, static_cast<int>(kind), memory));
  }
  ns_result deregister_memory(void* comm, void* memory) override {
    return to_result(table_->dereg_mr(comm, memory));
  }
  ns_result iallreduce(void* comm, const CollNetReduction& r, void** request) override {
    return to_result(table_->iallreduce(comm, r.send, r.recv, r.count, r.type, r.op, r.send_memory,
                                        r.recv_memory, request));
  }
  ns_result iflush(void* comm, void* data, int bytes, void* memory, void** request) override {
    return to_result(table_->iflush(comm, data, bytes, memory, request));
  }
  ns_result test(void* request, int* done, int* size) override {
    return to_result(table_->test(request, done, size));
  }
  ns_result close(void* comm) override { return to_result(table_->close_coll(comm)); }
  ns_result close_listen(void* listener) override { return to_result(table_->close_listen(listener)); }

 private:
  abi::CollNetV11* table_;
};

}  // namespace

std::shared_ptr<CollNet> find_collnet(void* library) {
  auto* table = static_cast<abi::CollNetV11*>(dlsym(library, "ncclCollNetPlugin_v11"));
  if (table == nullptr) return nullptr;
  log_info(kLogInit | kLogNet, "NET/Plugin: Loaded collnet plugin {} (v11)", table->name);
  return std::make_shared<CollNetAdapter>(table);
}

}  // namespace netsense::engine
