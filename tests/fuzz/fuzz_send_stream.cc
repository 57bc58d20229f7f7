// A sending comm whose receiver says anything on the way back and hangs up. A message that was not out by
// then must end in an error; closing must end in any case.
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include "plugin/transport/tcp/send_comm.h"
#include "tests/fuzz/said.h"
#include "tests/unit/transport/wire.h"

namespace {

using namespace netsense;
using tcp::testing::Wire;

constexpr size_t kBlock = 4096;
constexpr std::chrono::seconds kHang{20};

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto runtime = tcp::testing::make_runtime(0, kBlock);
  // More than a socket holds: nobody reads it.
  static const std::vector<std::byte> message(size_t{4} << 20);
  if (size == 0) return 0;
  const bool large = data[0] % 2 == 0;
  Wire wire;
  std::vector<core::Fd> streams;
  streams.push_back(std::move(wire.comm));
  tcp::TcpSendComm comm(runtime, std::move(streams), "the fuzzer", {kBlock, 1});
  transport::Request* request = nullptr;
  require(comm.isend(message.data(), large ? message.size() : 100, 0, nullptr, {}, &request) == Status::kOk);
  require(request != nullptr);
  fuzz::Said said({data + 1, size - 1});
  for (auto bytes = said.next(); !bytes.empty(); bytes = said.next()) {
    (void)!::send(wire.peer.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  wire.peer.reset();
  const auto limit = std::chrono::steady_clock::now() + kHang;
  Status status = Status::kOk;
  bool done = false;
  while (status == Status::kOk && !done) {
    size_t bytes = 0;
    status = comm.test(request, &done, &bytes);
    require(std::chrono::steady_clock::now() < limit);
    std::this_thread::yield();
  }
  require(done != large);
  return 0;
}
