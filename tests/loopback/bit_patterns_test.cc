// What pytorch#57410 and #59522 met: values that compression changed, or that were never compressed although
// all believed so. CTest runs it with NETSENSE_CODEC=fast and tight.
#include <cstring>
#include <iterator>
#include <optional>

#include "tests/catch.h"
#include "tests/loopback/proxy.h"
#include "tests/loopback/scene.h"
#include "tests/unit/kernels/contents.h"

namespace netsense::testing {

namespace codec = kernels::testing;

TEST_CASE("every bit pattern survives the compressed way through the plugin", "[.codec]") {
  const kernels::DType type =
      GENERATE(from_range(std::begin(codec::kFloatTypes), std::end(codec::kFloatTypes)));
  CAPTURE(codec::name_of(type));
  const codec::Bytes data = codec::patterns_among_gradients(type);
  std::vector<uint8_t> into(data.size());
  const Library12 net;
  std::optional<Proxy> proxy;
  const Ends ends(net, [&](HandleBytes* handle) { proxy.emplace(handle, Harm{}); });
  void* receiving = net.post_recv(ends.recv, &into);
  void* sending = net.post_send(ends.send, data, net.register_memory(ends.send, data));
  bool sent = false;
  poll_until("the message", [&] {
    int done = 0;
    if (!sent) REQUIRE(net->test(sending, &done, nullptr) == Result::kOk);
    sent = sent || done != 0;
    done = 0;
    REQUIRE(net->test(receiving, &done, nullptr) == Result::kOk);
    return done != 0;
  });
  // Not with ==, which would print both.
  CHECK(std::memcmp(into.data(), data.data(), data.size()) == 0);
  CHECK(proxy->carried() < data.size());
}

}  // namespace netsense::testing
