// What netsense-probe is sent by anyone who connects: nothing may crash it, and what it takes for a message
// is one that it would itself have written.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "tools/probe/wire.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace netsense::mesh;
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto message = parse_message(bytes);
  if (!message) return 0;
  const auto again = encode(*message);
  if (!std::equal(again.begin(), again.end(), bytes.begin(), bytes.end())) std::abort();
  return 0;
}
