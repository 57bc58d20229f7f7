// A receiving comm of two streams whose sender says anything after the handshake, compressed blocks among it.
// Nothing may be written outside the posted buffers, nothing but the message may be given out as one, and the
// sender must hear of every error. Once it has hung up every receive must have ended, as done or as an error.
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

constexpr size_t kBlock = size_t{32} << 10;
constexpr std::array kRooms{size_t{0},    size_t{1},     size_t{100},    size_t{200000},
                            size_t{4096}, size_t{20000}, size_t{120000}, size_t{70000}};
constexpr size_t kReceives = fuzz::kMessages;

void require(bool condition) {
  if (!condition) std::abort();
}

constexpr std::array kReaders{transport::Reader::kUnknown, transport::Reader::kPollsFlags,
                              transport::Reader::kWaits};

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
    receive.buffer = std::make_unique_for_overwrite<std::byte[]>(bytes);
    std::fill_n(receive.buffer.get(), bytes, fuzz::kUntouched);
    require(comm_->irecv(receive.buffer.get(), bytes, 0, nullptr, kReaders[posted_ % kReaders.size()],
                         &receive.request) == Status::kOk);
    require(receive.request != nullptr);
  }

  // Whether all have ended.
  bool poll(const fuzz::Said& said) {
    bool ended = true;
    for (size_t i = 0; i < receives_.size(); ++i) {
      Receive& receive = receives_[i];
      if (receive.request == nullptr) continue;
      bool done = false;
      size_t bytes = 0;
      if (comm_->test(receive.request, &done, &bytes) == Status::kOk && !done) ended = false;
      if (!done) continue;
      receive.request = nullptr;
      require(bytes <= receive.bytes);
      require(said.anything() || said.told(i).allows(i, {receive.buffer.get(), bytes}));
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

// Whether the receiver has sent an error.
bool heard_of_an_error(const core::Fd& peer) {
  std::array<std::byte, core::kFrameHeaderBytes + core::kMaxErrorText> bytes{};
  const ssize_t got = ::recv(peer.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < static_cast<ssize_t>(core::kFrameHeaderBytes)) return false;
  core::FrameHeader header;
  require(core::parse_frame(std::span(bytes).first<core::kFrameHeaderBytes>(), transport::kMaxMessage,
                            &header) == core::FrameError::kNone);
  return header.type == core::FrameType::kError && header.coded_bytes > 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto runtime = tcp::testing::make_runtime(0, kBlock);
  std::array<Wire, 2> wires;
  std::vector<core::Fd> streams;
  for (Wire& wire : wires) streams.push_back(std::move(wire.comm));
  tcp::TcpRecvComm comm(runtime, std::move(streams), "the fuzzer", {kBlock, core::kKnownCodecs});
  Receives receives(&comm);
  fuzz::Said said({data, size});
  for (auto bytes = said.next(); !bytes.empty(); bytes = said.next()) {
    (void)!::send(wires[said.stream()].peer.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    receives.post();
    receives.poll(said);
  }
  if (!comm.health().ok() && !said.anything() && !said.gave_up()) {
    require(heard_of_an_error(wires[0].peer) || heard_of_an_error(wires[1].peer));
  }
  for (Wire& wire : wires) wire.peer.reset();
  for (size_t i = 0; i < kReceives; ++i) receives.post();
  bool ended = false;
  // Each call reads what is there; no more than all frames can keep it busy.
  for (size_t i = 0; i < size + 100 && !ended; ++i) ended = receives.poll(said);
  require(ended);
  return 0;
}
