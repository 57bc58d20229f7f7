// How long a message takes, raw or coded. Pure.
#pragma once

#include <algorithm>

namespace netsense::adapt {

// What a codec does with a class of traffic on this machine, as measured. Speeds in raw bytes per second.
struct CodecCost {
  double ratio = 1;  // coded bytes over raw bytes
  double encode_rate = 0;
  double decode_rate = 0;
};

// Seconds that `bytes` take behind `queue_seconds` of others at `wire_rate` bytes per second.
constexpr double raw_seconds(double bytes, double wire_rate, double queue_seconds) {
  return queue_seconds + bytes / wire_rate;
}

// Coding, sending and decoding overlap block by block, so the slowest of the three decides.
constexpr double coded_seconds(double bytes, double wire_rate, double queue_seconds, const CodecCost& codec) {
  return queue_seconds +
         std::max({bytes / codec.encode_rate, codec.ratio * bytes / wire_rate, bytes / codec.decode_rate});
}

}  // namespace netsense::adapt
