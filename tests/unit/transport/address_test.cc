// Which addresses are this host's own.
#include "plugin/transport/tcp/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "tests/catch.h"

namespace netsense::tcp {
namespace {

Address ipv4(const char* text) {
  Address address;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  v4->sin_family = AF_INET;
  REQUIRE(inet_pton(AF_INET, text, &v4->sin_addr) == 1);
  address.length = sizeof *v4;
  address.set_port(4711);
  return address;
}

}  // namespace

TEST_CASE("the loopback is this host, an address of documentation is not") {
  CHECK(is_on_this_host(ipv4("127.0.0.1")));
  // RFC 5737: nobody has it, whether or not there is a route to it.
  CHECK_FALSE(is_on_this_host(ipv4("192.0.2.1")));
}

}  // namespace netsense::tcp
