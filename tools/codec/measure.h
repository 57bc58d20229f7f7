// Sizes and speeds of every coder on the same data.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/codec/pieces.h"

namespace netsense::codec {

struct CoderFigures {
  std::string coder;
  size_t coded_bytes = 0;
  double encode_gb_per_s = 0;  // 10^9 raw bytes per second of one core
  double decode_gb_per_s = 0;
};

struct Figures {
  std::string file;
  DType type = DType::kBytes;
  size_t raw_bytes = 0;
  std::optional<double> bound_bits;  // per element; none where the type is no float
  std::vector<CoderFigures> coders;
};

// The data of each type in a file, one behind the other; the format's own bytes and empty data left out.
struct TypedData {
  DType type;
  std::vector<uint8_t> bytes;
};
std::vector<TypedData> by_type(std::span<const uint8_t> file, std::span<const Piece> pieces, DType fallback);

// Codes and decodes all of the data with each coder in turn, round after round, until the time is over: at
// least one round. Speeds are medians over the rounds, by the processor time of this thread, so that other
// programs on the machine do not count. Throws Error when something does not come back as it was.
Figures measure(std::string file, const TypedData& data, std::chrono::milliseconds time);

}  // namespace netsense::codec
