// Ranks with different settings for compression: the sender decides, and every receiver takes what comes.
#include <fmt/format.h>
#include <sys/wait.h>

#include <cstring>

#include "tests/catch.h"
#include "tests/loopback/child_process.h"
#include "tests/loopback/proxy.h"
#include "tests/loopback/scene.h"

namespace netsense::testing {
namespace {

// What loopback_child sends.
constexpr size_t kBytes = size_t{3} << 20;
constexpr uint32_t kMessages = 3;

struct Sender {
  const char* name;
  std::vector<std::string> settings;
  bool compresses;
};

}  // namespace

// CTest runs it with NETSENSE_MODE=off and NETSENSE_MODE=lossless.
TEST_CASE("a rank that does not compress and one that does understand each other", "[.mixed]") {
  const Sender sender = GENERATE(Sender{"off", {"NETSENSE_MODE=off"}, false},
                                 Sender{"fast", {"NETSENSE_MODE=lossless", "NETSENSE_CODEC=fast"}, true},
                                 Sender{"tight", {"NETSENSE_MODE=lossless", "NETSENSE_CODEC=tight"}, true});
  CAPTURE(sender.name);
  const Library12 net;
  HandleBytes handle{};
  void* listener = net.listen(&handle);
  const Proxy proxy(&handle, {});
  std::string text;
  for (const std::byte byte : handle) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  ChildProcess child({"send", text}, sender.settings);
  void* comm = nullptr;
  REQUIRE(net.accept(listener, &comm) == Result::kOk);
  for (uint32_t i = 0; i < kMessages; ++i) {
    std::vector<uint8_t> into(kBytes);
    REQUIRE(net.wait(net.post_recv(comm, &into)) == Result::kOk);
    // Not with ==, which would print both.
    CHECK(std::memcmp(into.data(), floats(kBytes, i).data(), kBytes) == 0);
  }
  const Ended ended = child.wait();
  CAPTURE(ended.errors);
  CHECK(WIFEXITED(ended.status));
  CHECK(WEXITSTATUS(ended.status) == 0);
  CHECK((proxy.carried() < kMessages * kBytes * 95 / 100) == sender.compresses);
  CHECK((proxy.carried() > kMessages * kBytes) == !sender.compresses);
  CHECK(warnings().empty());
  CHECK(net->close_recv(comm) == Result::kOk);
  CHECK(net->close_listen(listener) == Result::kOk);
}

}  // namespace netsense::testing
