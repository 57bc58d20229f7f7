#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "tests/reference/net/options.h"

namespace netsense::reference {
namespace {

// Group, Coll, P2p, ProxyOp, ProxyStep and NetPlugin.
constexpr int kUsualEvents = 159;

int number(const char* name, int otherwise, int least, int most) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::clamp(std::atoi(value), least, most);
}

}  // namespace

Options read_options() {
  Options options;
  options.device_name = "trace";
  constexpr int kRecordedSpeed = 100000;
  options.speed_mbps = kRecordedSpeed;
  options.devices = number("REFNET_DEVICES", 1, 1, 2);
  options.cuda_pointers = number("REFNET_CUDA", 0, 0, 1) != 0;
  options.grouped_receives = number("REFNET_MAX_RECVS", 1, 1, kMaxGroupedReceives);
  constexpr int kMany = 1000;
  options.connect_refusals = number("REFNET_CONNECT_LATER", 0, 0, kMany);
  options.isend_refusals = number("REFNET_ISEND_NULL", 0, 0, kMany);
  options.irecv_refusals = number("REFNET_IRECV_NULL", 0, 0, kMany);
  const char* eof = std::getenv("REFNET_EOF");
  const bool report = eof != nullptr && std::string_view(eof) == "error";
  options.on_peer_close = report ? OnPeerClose::kError : OnPeerClose::kSilent;
  const int usual = number("REFNET_PROFILER", 0, 0, 1) != 0 ? kUsualEvents : 0;
  constexpr int kAllEvents = 4095;
  options.profiler_mask = number("REFNET_PROFILER_MASK", usual, 0, kAllEvents);
  return options;
}

}  // namespace netsense::reference
