// A receiving comm of two streams whose sender says anything after the handshake. Nothing may be written
// outside the posted buffers, and once the sender has hung up every receive must have ended, as done or as an
// error.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "plugin/transport/tcp/recv_comm.h"
#include "tests/fuzz/said.h"
#include "tests/unit/transport/wire.h"

namespace {

using namespace netsense;
using tcp::testing::Wire;

constexpr size_t kBlock = 4096;
constexpr std::array kRooms{size_t{0}, size_t{1}, size_t{100}, size_t{4096}, size_t{20000}, size_t{65535}};
constexpr size_t kReceives = fuzz::Said::kMessages;

void require(bool condition) {
  if (!condition) std::abort();
}

// The receives that are posted, each in memory of exactly its size.
class Receives {
 public:
  explicit Receives(tcp::TcpRecvComm* comm) : comm_(comm) {}

  // Posts up to kReceives in all, a few at a time, so that some messages come before their receive.
  void post() {
    if (posted_ == kReceives || !comm_->health().ok()) return;
    const size_t bytes = kRooms[posted_ % kRooms.size()];
    Receive& receive = receives_[posted_++];
    receive.bytes = bytes;
    receive.buffer = std::make_unique<std::byte[]>(bytes);
    require(comm_->irecv(receive.buffer.get(), bytes, 0, nullptr, posted_ % 2 == 0, &receive.request) ==
            Status::kOk);
    require(receive.request != nullptr);
  }

  // Whether all have ended.
  bool poll() {
    bool ended = true;
    for (Receive& receive : receives_) {
      if (receive.request == nullptr) continue;
      bool done = false;
      size_t bytes = 0;
      if (comm_->test(receive.request, &done, &bytes) == Status::kOk && !done) ended = false;
      if (done) receive.request = nullptr;
      require(!done || bytes <= receive.bytes);
    }
    return ended;
  }

 private:
  struct Receive {
    std::unique_ptr<std::byte[]> buffer;
    size_t bytes = 0;
    transport::Request* request = nullptr;
  };
  tcp::TcpRecvComm* comm_;
  size_t posted_ = 0;
  std::array<Receive, kReceives> receives_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto runtime = tcp::testing::make_runtime(0, kBlock);
  std::array<Wire, 2> wires;
  std::vector<core::Fd> streams;
  for (Wire& wire : wires) streams.push_back(std::move(wire.comm));
  tcp::TcpRecvComm comm(runtime, std::move(streams), "the fuzzer", {kBlock, 1});
  Receives receives(&comm);
  fuzz::Said said({data, size});
  for (auto bytes = said.next(); !bytes.empty(); bytes = said.next()) {
    (void)!::send(wires[said.stream()].peer.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    receives.post();
    receives.poll();
  }
  for (Wire& wire : wires) wire.peer.reset();
  for (size_t i = 0; i < kReceives; ++i) receives.post();
  bool ended = false;
  // Each call reads what is there; no more than all frames can keep it busy.
  for (size_t i = 0; i < size + 100 && !ended; ++i) ended = receives.poll();
  require(ended);
  return 0;
}
