// Collectives by the host engine (ns_engine.h).
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "tools/perf/backend.h"
#include "tools/perf/error.h"

namespace netsense::perf {
namespace {

constexpr std::align_val_t kAlignment{4096};

void check(ns_result result, const char* doing) {
  if (result == ns_success) return;
  const std::string_view text = ns_last_error();
  const std::string_view kind = ns_result_string(result);
  if (text.find(kind) != text.npos) throw Error("{}: {}", doing, text);
  throw Error("{}: {} ({})", doing, text, kind);
}

class HostBackend final : public Backend {
 public:
  HostBackend(const ns_unique_id& id, int ranks, int rank) : ranks_(ranks), rank_(rank) {
    check(ns_comm_init_rank(&comm_, ranks, &id, rank), "cannot create the communicator");
  }
  ~HostBackend() override {
    // Only after an error: whatever the abort says, the error that led here is the one to report.
    if (comm_ != nullptr) static_cast<void>(ns_comm_abort(comm_));
  }

  [[nodiscard]] const char* name() const override { return "host"; }
  [[nodiscard]] std::string net_name() const override { return ns_comm_net_name(comm_); }
  [[nodiscard]] std::string device_name() const override { return "host memory"; }

  [[nodiscard]] void* allocate(size_t bytes) override { return ::operator new(bytes, kAlignment); }
  void release(void* memory) noexcept override { ::operator delete(memory, kAlignment); }
  void write(void* to, std::span<const std::byte> from) override {
    std::memcpy(to, from.data(), from.size());
  }
  void read(std::span<std::byte> to, const void* from) override { std::memcpy(to.data(), from, to.size()); }

  void enqueue(const Call& call) override { check(dispatch(call), collective_info(call.collective).name); }
  void synchronize() override { check(ns_comm_synchronize(comm_), "waiting for the collective"); }
  void finish() override {
    check(ns_comm_destroy(comm_), "cannot close the communicator");
    comm_ = nullptr;
  }

 private:
  ns_result dispatch(const Call& call) {
    switch (call.collective) {
      case Collective::kAllReduce:
        return ns_all_reduce(call.send, call.recv, call.count, call.type, call.op, comm_);
      case Collective::kAllGather:
        return ns_all_gather(call.send, call.recv, call.count, call.type, comm_);
      case Collective::kReduceScatter:
        return ns_reduce_scatter(call.send, call.recv, call.count, call.type, call.op, comm_);
      case Collective::kBroadcast:
        return ns_broadcast(call.send, call.recv, call.count, call.type, call.root, comm_);
      case Collective::kReduce:
        return ns_reduce(call.send, call.recv, call.count, call.type, call.op, call.root, comm_);
      case Collective::kAllToAll:
        return ns_all_to_all(call.send, call.recv, call.count, call.type, comm_);
      case Collective::kSendRecv:
        break;
    }
    return send_receive(call);
  }

  ns_result send_receive(const Call& call) {
    check(ns_group_start(), "ns_group_start");
    const ns_result sent = ns_send(call.send, call.count, call.type, (rank_ + 1) % ranks_, comm_);
    const ns_result received =
        ns_recv(call.recv, call.count, call.type, (rank_ + ranks_ - 1) % ranks_, comm_);
    const ns_result ended = ns_group_end();
    if (sent != ns_success) return sent;
    return received != ns_success ? received : ended;
  }

  int ranks_;
  int rank_;
  ns_comm* comm_ = nullptr;
};

}  // namespace

std::unique_ptr<Backend> make_host_backend(Rendezvous& rendezvous) {
  ns_unique_id id{};
  if (rendezvous.rank() == 0) check(ns_get_unique_id(nullptr, &id), "cannot create the unique id");
  id = rendezvous.all_gather_value(id)[0];
  return std::make_unique<HostBackend>(id, rendezvous.ranks(), rendezvous.rank());
}

}  // namespace netsense::perf
