#include "tests/unit/kernels/reference_decoder.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace netsense::kernels::testing {
namespace {

struct Malformed : std::runtime_error {
  Malformed() : std::runtime_error("malformed") {}
};

// Bytes taken from the front.
class Reader {
 public:
  Reader(const uint8_t* data, size_t bytes) : data_(data), left_(bytes) {}
  size_t left() const { return left_; }
  uint64_t take(size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i) value |= uint64_t{take_byte()} << (8 * i);
    return value;
  }
  uint8_t take_byte() {
    if (left_ == 0) throw Malformed();
    --left_;
    return *data_++;
  }
  Reader take_part(size_t bytes) {
    if (bytes > left_) throw Malformed();
    const Reader part(data_, bytes);
    data_ += bytes;
    left_ -= bytes;
    return part;
  }
  const uint8_t* here() const { return data_; }

 private:
  const uint8_t* data_;
  size_t left_;
};

// A packed field: in a group of m elements with L columns, element i is in row i / L and column i % L.
std::vector<uint8_t> unpack(Reader& in, size_t n, unsigned width) {
  std::vector<uint8_t> values(n, 0);
  for (size_t group = 0; group < n; group += 256) {
    const size_t m = std::min<size_t>(256, n - group);
    const size_t columns = (m + 7) / 8;
    unsigned done = 0;
    for (const unsigned part : {4u, 2u, 1u}) {
      if ((width & part) == 0) continue;
      Reader bytes = in.take_part(columns * part);
      for (size_t i = 0; i < m; ++i) {
        const size_t row = i / columns;
        const size_t rows_per_byte = 8 / part;
        const uint8_t byte = bytes.here()[row / rows_per_byte * columns + i % columns];
        const unsigned field = byte >> (row % rows_per_byte * part) & ((1u << part) - 1);
        values[group + i] |= static_cast<uint8_t>(field << done);
      }
      done += part;
    }
  }
  return values;
}

std::vector<uint8_t> read_levels(Reader& in, size_t elements) {
  const uint8_t widths = in.take_byte();
  const unsigned width1 = (widths & 3) + 1;
  const unsigned width2 = widths >> 2 & 7;
  const unsigned zeros = widths >> 5 & 3;
  const unsigned top1 = in.take_byte();
  const unsigned top2 = in.take_byte();
  const size_t n2 = in.take(2);
  const unsigned other1 = (1u << width1) - 1;
  const unsigned other2 = (1u << width2) - 1;
  if (zeros > other1) throw Malformed();
  std::vector<bool> coded(elements, true);
  size_t n = elements;
  if ((widths & 0x80) != 0) {
    n = in.take(2);
    const Reader bitmap = in.take_part((elements + 7) / 8);
    for (size_t i = 0; i < elements; ++i) coded[i] = (bitmap.here()[i / 8] >> (i % 8) & 1) != 0;
    if (static_cast<size_t>(std::count(coded.begin(), coded.end(), true)) != n) throw Malformed();
  }
  const std::vector<uint8_t> codes1 = unpack(in, n, width1);
  const std::vector<uint8_t> codes2 = unpack(in, n2, width2);
  std::vector<uint8_t> symbols(elements, 0);
  size_t next1 = 0;
  size_t next2 = 0;
  for (size_t i = 0; i < elements; ++i) {
    if (!coded[i]) continue;
    const unsigned code1 = codes1[next1++];
    if (code1 < zeros) {
      symbols[i] = static_cast<uint8_t>(code1);
    } else if (code1 < other1) {
      symbols[i] = static_cast<uint8_t>(top1 - (code1 - zeros));
    } else {
      const unsigned code2 = codes2.at(next2++);
      if (code2 == other2) {
        symbols[i] = in.take_byte();
        continue;
      }
      const auto moved = static_cast<uint8_t>(top2 - code2);
      symbols[i] = static_cast<uint8_t>(moved > top1 ? moved : moved - (other1 - zeros));
    }
  }
  return symbols;
}

std::vector<uint8_t> read_rans(Reader& in, size_t n, size_t residual_bytes) {
  const size_t first = in.take_byte();
  const size_t count = size_t{in.take_byte()} + 1;
  std::vector<std::pair<uint8_t, uint32_t>> slots;  // symbol and place within its own
  std::array<uint32_t, 256> frequencies{};
  for (size_t i = 0; i < count + 2; ++i) {
    uint32_t frequency = in.take_byte();
    if (frequency >= 128) frequency = (frequency - 128) | uint32_t{in.take_byte()} << 7;
    const auto symbol = static_cast<uint8_t>(i < 2 ? i : first + i - 2);
    frequencies[symbol] = frequency;
    for (uint32_t place = 0; place < frequency; ++place) slots.emplace_back(symbol, place);
  }
  if (slots.size() != 2048) throw Malformed();
  std::array<uint32_t, 32> states;
  for (uint32_t& state : states) state = static_cast<uint32_t>(in.take(4));
  if (in.left() < residual_bytes) throw Malformed();
  Reader words = in.take_part(in.left() - residual_bytes);
  std::vector<uint8_t> symbols(n);
  for (size_t i = 0; i < n; ++i) {
    uint32_t& state = states[i % 32];
    const auto [symbol, place] = slots[state % 2048];
    symbols[i] = symbol;
    state = frequencies[symbol] * (state / 2048) + place;
    if (state < 65536) state = state << 16 | static_cast<uint32_t>(words.take(2));
  }
  for (const uint32_t state : states) {
    if (state != 65536) throw Malformed();
  }
  if (words.left() != 0) throw Malformed();
  return symbols;
}

void read_floats(DType type, SubBlockMode mode, Reader& in, size_t n, Bytes& out) {
  const FloatLayout layout = float_layout(type);
  const uint8_t present = in.take_byte();
  const uint64_t base = in.take(2);
  const size_t count = in.take(2);
  const bool has_high = (present & 0x80) != 0;
  size_t residual_bytes = has_high ? packed_bytes(count, layout.high_bits) : 0;
  for (unsigned plane = 0; plane < layout.planes; ++plane)
    residual_bytes += (present >> plane & 1) != 0 ? count : 0;

  const std::vector<uint8_t> symbols =
      mode == SubBlockMode::kRans ? read_rans(in, n, residual_bytes) : read_levels(in, n);
  if (in.left() != residual_bytes) throw Malformed();
  std::vector<uint64_t> residuals(count, 0);
  if (has_high) {
    const std::vector<uint8_t> high = unpack(in, count, layout.high_bits);
    for (size_t i = 0; i < count; ++i) residuals[i] = uint64_t{high[i]} << (8 * layout.planes);
  }
  for (unsigned plane = 0; plane < layout.planes; ++plane) {
    if ((present >> plane & 1) == 0) continue;
    for (size_t i = 0; i < count; ++i) residuals[i] |= uint64_t{in.take_byte()} << (8 * plane);
  }
  const uint64_t mantissa = (uint64_t{1} << layout.mantissa_bits) - 1;
  const unsigned sign_shift = layout.exponent_bits + layout.mantissa_bits;
  size_t next = 0;
  for (const uint8_t symbol : symbols) {
    uint64_t bits = symbol == 1 ? uint64_t{1} << sign_shift : 0;
    if (symbol >= 2) {
      const uint64_t exponent_mask = (uint64_t{1} << layout.exponent_bits) - 1;
      const uint64_t residual = residuals.at(next++);
      bits = residual >> layout.mantissa_bits << sign_shift |
             ((base + symbol - 2) & exponent_mask) << layout.mantissa_bits | (residual & mantissa);
    }
    for (size_t byte = 0; byte < layout.bytes; ++byte)
      out.push_back(static_cast<uint8_t>(bits >> (8 * byte)));
  }
  if (next != count) throw Malformed();
}

void read_sub_block(DType type, Reader in, size_t n, Bytes& out) {
  const size_t size = float_layout(type).bytes;
  const auto mode = static_cast<SubBlockMode>(in.take_byte());
  switch (mode) {
    case SubBlockMode::kRaw:
      for (size_t i = 0; i < n * size; ++i) out.push_back(in.take_byte());
      break;
    case SubBlockMode::kZero:
      out.resize(out.size() + n * size, 0);
      break;
    case SubBlockMode::kConstant:
      for (size_t i = 0; i < n * size; ++i) out.push_back(i < size ? in.take_byte() : out[out.size() - size]);
      break;
    case SubBlockMode::kLevels:
    case SubBlockMode::kRans:
      read_floats(type, mode, in, n, out);
      break;
  }
}

Bytes read_block(Reader in) {
  const auto kind = static_cast<BlockKind>(in.take_byte());
  const auto type = static_cast<DType>(in.take_byte());
  const unsigned log2 = in.take_byte();
  if (in.take_byte() != 1) throw Malformed();
  const size_t raw = in.take(4);
  const size_t size = float_layout(type).bytes;
  Bytes out;
  switch (kind) {
    case BlockKind::kRaw:
      while (out.size() < raw) out.push_back(in.take_byte());
      break;
    case BlockKind::kZero:
      out.resize(raw, 0);
      break;
    case BlockKind::kConstant:
      while (out.size() < raw) out.push_back(out.size() < size ? in.take_byte() : out[out.size() - size]);
      break;
    case BlockKind::kFloat: {
      const size_t step = size_t{1} << log2;
      const size_t elements = raw / size;
      std::vector<size_t> sizes((elements + step - 1) / step);
      for (size_t& bytes : sizes) bytes = in.take(2);
      for (size_t i = 0; i < sizes.size(); ++i) {
        read_sub_block(type, in.take_part(sizes[i]), std::min(step, elements - i * step), out);
      }
      while (out.size() < raw) out.push_back(in.take_byte());
      break;
    }
    case BlockKind::kQuantised:
    case BlockKind::kSparse:
      throw Malformed();  // no lossless blocks
  }
  if (in.left() != 0) throw Malformed();
  return out;
}

}  // namespace

std::optional<Bytes> reference_decode(const Bytes& coded) {
  try {
    return read_block(Reader(coded.data(), coded.size()));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace netsense::kernels::testing
