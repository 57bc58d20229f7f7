#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "tests/unit/kernels/reference_decoder.h"

namespace netsense::kernels::testing {
namespace {

struct Malformed : std::runtime_error {
  Malformed() : std::runtime_error("malformed") {}
};

class Reader {
 public:
  explicit Reader(const Bytes& bytes) : bytes_(bytes) {}
  uint32_t take(size_t bytes) {
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; ++i) value |= uint32_t{take_bytes(1)[0]} << 8 * i;
    return value;
  }
  const uint8_t* take_bytes(size_t bytes) {
    if (bytes > bytes_.size() - at_) throw Malformed();
    at_ += bytes;
    return bytes_.data() + at_ - bytes;
  }
  [[nodiscard]] bool done() const { return at_ == bytes_.size(); }

 private:
  const Bytes& bytes_;
  size_t at_ = 0;
};

std::vector<uint32_t> unpack(Reader& in, size_t n, unsigned width) {
  std::vector<uint32_t> fields(n);
  for (size_t group = 0; group < n; group += 256) {
    const size_t m = std::min<size_t>(256, n - group);
    const size_t columns = (m + 7) / 8;
    unsigned done = 0;
    for (const unsigned part : {8U, 4U, 2U, 1U}) {
      if ((width & part) == 0) continue;
      const uint8_t* const bytes = in.take_bytes(columns * part);
      const size_t rows_per_byte = 8 / part;
      for (size_t i = 0; i < m; ++i) {
        const size_t row = i / columns;
        const unsigned byte = bytes[row / rows_per_byte * columns + i % columns];
        fields[group + i] |= (byte >> row % rows_per_byte * part & ((1U << part) - 1)) << done;
      }
      done += part;
    }
  }
  return fields;
}

std::vector<float> read_quantised(Reader& in, size_t n, unsigned bits) {
  std::vector<float> scales((n + 255) / 256);
  for (float& scale : scales) {
    const uint32_t upper = in.take(2);
    if (upper > 0x7f7f) throw Malformed();
    scale = std::bit_cast<float>(upper << 16);
  }
  const int top = (1 << (bits - 1)) - 1;
  const std::vector<uint32_t> codes = unpack(in, n, bits);
  std::vector<float> values(n);
  for (size_t i = 0; i < n; ++i) {
    const int level = static_cast<int>(codes[i]) - top;
    if (level > top) throw Malformed();
    // Two roundings to f32: a volatile keeps them apart.
    const volatile float step = scales[i / 256] / static_cast<float>(top);
    values[i] = static_cast<float>(level) * step;
  }
  return values;
}

std::vector<bool> read_bitmap(Reader& in, size_t n) {
  const uint8_t* const bytes = in.take_bytes((n + 7) / 8);
  std::vector<bool> kept(n);
  for (size_t i = 0; i < (n + 7) / 8 * 8; ++i) {
    const bool bit = (bytes[i / 8] >> i % 8 & 1) != 0;
    if (i < n) {
      kept[i] = bit;
    } else if (bit) {
      throw Malformed();
    }
  }
  return kept;
}

std::vector<bool> read_gaps(Reader& in, size_t n, unsigned width) {
  const uint32_t fields = in.take(4);
  if (fields > n) throw Malformed();
  std::vector<bool> kept(n);
  size_t at = 0;
  for (const uint32_t field : unpack(in, fields, width)) {
    at += field;
    if (field == (1U << width) - 1) continue;
    if (at >= n) throw Malformed();
    kept[at++] = true;
  }
  if (at > n) throw Malformed();
  return kept;
}

std::vector<float> read_sparse(Reader& in, size_t n, unsigned bits) {
  const uint32_t count = in.take(4);
  const unsigned width = in.take(1);
  if (count == 0 || width > 15) throw Malformed();
  const std::vector<bool> kept = width == 0 ? read_bitmap(in, n) : read_gaps(in, n, width);
  if (static_cast<size_t>(std::count(kept.begin(), kept.end(), true)) != count) throw Malformed();
  const std::vector<float> levels = read_quantised(in, count, bits);
  std::vector<float> values(n);
  size_t next = 0;
  for (size_t i = 0; i < n; ++i) {
    if (kept[i]) values[i] = levels[next++];
  }
  return values;
}

std::vector<float> read_block(const Bytes& coded) {
  Reader in(coded);
  const uint32_t kind = in.take(1);
  const uint32_t type = in.take(1);
  const uint32_t bits = in.take(1);
  const uint32_t version = in.take(1);
  const uint32_t raw = in.take(4);
  if (type != 1 || version != 1 || raw % 4 != 0 || raw / 4 > 65536) throw Malformed();
  std::vector<float> values(raw / 4);
  if (kind < 4) {
    const auto lossless = reference_decode(coded);
    if (!lossless.has_value()) throw Malformed();
    if (raw != 0) std::memcpy(values.data(), lossless->data(), raw);
    return values;
  }
  if (kind > 5 || bits < 2 || bits > 8) throw Malformed();
  values = kind == 4 ? read_quantised(in, raw / 4, bits) : read_sparse(in, raw / 4, bits);
  if (!in.done()) throw Malformed();
  return values;
}

}  // namespace

std::optional<std::vector<float>> reference_decode_lossy(const Bytes& coded) {
  try {
    return read_block(coded);
  } catch (const Malformed&) {
    return std::nullopt;
  }
}

}  // namespace netsense::kernels::testing
