#include "kernels/cpu/lossy_index.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/cpu/bytes.h"

namespace netsense::kernels {
namespace {

constexpr size_t bitmap_bytes(size_t n) {
  return (n + 7) / 8;
}

uint32_t magnitude_of(const float* values, size_t i) {
  uint32_t bits;
  std::memcpy(&bits, reinterpret_cast<const uint8_t*>(values) + i * sizeof bits, sizeof bits);
  return bits & kMagnitudeBits;
}

size_t count_marked(const uint8_t* bitmap, size_t n) {
  size_t count = 0;
  for (size_t i = 0; i < n; i += 64) {
    count += static_cast<size_t>(std::popcount(load_le<uint64_t>(bitmap + i / 8)));
  }
  return count;
}

struct Cut {
  uint32_t magnitude;  // the smallest that is kept
  size_t ties;         // how many of that magnitude are kept
  size_t of;           // of how many
};

void pad(uint32_t* magnitudes, size_t n) {
  std::fill_n(magnitudes + n, 16, 0U);
}

// The k-th largest of n magnitudes, bit by bit from the top. A pass over few of them is so quick that a
// histogram would not pay.
Cut find_cut(const Backend& backend, const uint32_t* magnitudes, size_t n, size_t k) {
  Cut cut{0, k, n};
  size_t above = 0;
  for (uint32_t bit = 1U << 30; bit != 0; bit >>= 1) {
    const size_t count = backend.lossy->count(magnitudes, n, cut.magnitude | bit);
    if (count >= k) {
      cut.magnitude |= bit;
      cut.of = count;
    } else {
      above = count;
    }
  }
  return {cut.magnitude, k - above, cut.of - above};
}

// What about as many elements as asked for reach, and rather some more, by the evidence of a sample; `least`
// where there is none.
constexpr size_t kSample = 1024;
uint32_t reached_by(const Backend& backend, const float* values, size_t n, size_t k, uint32_t least,
                    LossyWork& work) {
  if (n < 4 * kSample) return least;
  const double expected = static_cast<double>(k) * kSample / static_cast<double>(n);
  const auto taken = static_cast<size_t>(expected + 4 * std::sqrt(expected) + 4);
  if (taken >= kSample) return least;
  uint32_t* const sample = work.magnitudes;
  for (size_t i = 0; i < kSample; ++i) sample[i] = magnitude_of(values, i * n / kSample);
  return std::max(least, find_cut(backend, sample, kSample, taken).magnitude);
}

// The cut between the `keep` largest and the others, or a cut below all that are to be looked at, where those
// are no more than `keep`.
Cut cut_of(const Backend& backend, const float* values, size_t n, size_t keep, uint32_t least,
           LossyWork& work) {
  uint32_t low = reached_by(backend, values, n, keep, least, work);
  size_t count = backend.lossy->collect(values, n, low, work.magnitudes);
  if (count < keep && low > least) {
    low = least;
    count = backend.lossy->collect(values, n, low, work.magnitudes);
  }
  if (count <= keep && low == least) return {least, 0, 0};
  pad(work.magnitudes, count);
  return find_cut(backend, work.magnitudes, count, std::min(keep, count));
}

// Marks the first `ties` elements of that magnitude.
void mark_ties(const Cut& cut, const float* values, uint8_t* bitmap) {
  size_t left = cut.ties;
  for (size_t i = 0; left != 0; ++i) {
    if (magnitude_of(values, i) != cut.magnitude) continue;
    bitmap[i / 8] = static_cast<uint8_t>(bitmap[i / 8] | 1u << i % 8);
    --left;
  }
}

void find_positions(size_t n, LossyWork& work) {
  uint16_t* at = work.positions;
  for (size_t i = 0; i < n; i += 64) {
    for (uint64_t bits = load_le<uint64_t>(work.bitmap + i / 8); bits != 0; bits &= bits - 1) {
      *at++ = static_cast<uint16_t>(i + static_cast<size_t>(std::countr_zero(bits)));
    }
  }
}

}  // namespace

size_t select_kept(const Backend& backend, const LossyChoice& choice, const float* values, size_t n,
                   LossyWork& work) {
  if (choice.keep == 0) return 0;
  const uint32_t least = choice.threshold > 0 ? std::bit_cast<uint32_t>(choice.threshold) : 1;
  const Cut cut = choice.keep < n ? cut_of(backend, values, n, choice.keep, least, work) : Cut{least, 0, 0};
  const bool all = cut.ties == cut.of;
  backend.lossy->mark(values, n, all ? cut.magnitude : cut.magnitude + 1, work.bitmap);
  if (!all) mark_ties(cut, values, work.bitmap);
  const size_t kept = count_marked(work.bitmap, n);
  find_positions(n, work);
  return kept;
}

IndexForm choose_form(const Backend& backend, size_t n, size_t kept, LossyWork& work) {
  size_t next = 0;
  for (size_t i = 0; i < kept; ++i) {
    work.gaps[i] = static_cast<uint16_t>(work.positions[i] - next);
    next = work.positions[i] + size_t{1};
  }
  std::fill_n(work.gaps + kept, 16, uint16_t{0});
  const size_t dropped = next - kept;

  IndexForm best{0, 0, bitmap_bytes(n)};
  for (unsigned width = 1; width <= kMaxGapWidth; ++width) {
    const uint32_t skip = (1u << width) - 1;
    // Each gap leaves at most skip - 1 to the field that keeps.
    const size_t left = kept * (skip - 1);
    const size_t least = kept + (dropped > left ? (dropped - left) / skip : 0);
    if (kGapCountBytes + packed_bytes(least, width) >= best.bytes) continue;
    const size_t fields = kept + backend.lossy->sum_quotients(work.gaps, kept, skip);
    const size_t bytes = kGapCountBytes + packed_bytes(fields, width);
    if (bytes < best.bytes) best = {width, fields, bytes};
  }
  return best;
}

void write_positions(const Backend& backend, const IndexForm& form, size_t n, size_t kept, LossyWork& work,
                     uint8_t* out) {
  if (form.width == 0) {
    std::memcpy(out, work.bitmap, bitmap_bytes(n));
    return;
  }
  store_le(out, static_cast<uint32_t>(form.fields));
  const uint32_t skip = (1u << form.width) - 1;
  size_t field = 0;
  const auto put = [&](uint32_t value) {
    work.low[field] = static_cast<uint8_t>(value);
    work.high[field] = static_cast<uint8_t>(value >> 8);
    ++field;
  };
  for (size_t i = 0; i < kept; ++i) {
    uint32_t gap = work.gaps[i];
    for (; gap >= skip; gap -= skip) put(skip);
    put(gap);
  }
  std::memset(work.low + field, 0, kRows);
  std::memset(work.high + field, 0, kRows);
  backend.lossy->pack(work.low, work.high, field, form.width, out + kGapCountBytes);
}

size_t read_positions(const Backend& backend, unsigned width, size_t n, size_t kept, const uint8_t* in,
                      size_t bytes, LossyWork& work) {
  if (width == 0) {
    const size_t taken = bitmap_bytes(n);
    if (bytes < taken) return 0;
    std::memset(work.bitmap + n / 64 * 8, 0, 8);
    std::memcpy(work.bitmap, in, taken);
    if (n % 8 != 0 && work.bitmap[taken - 1] >> n % 8 != 0) return 0;
    if (count_marked(work.bitmap, n) != kept) return 0;
    find_positions(n, work);
    return taken;
  }
  if (bytes < kGapCountBytes) return 0;
  const size_t fields = load_le<uint32_t>(in);
  if (fields < kept || fields > n) return 0;
  const size_t taken = kGapCountBytes + packed_bytes(fields, width);
  if (bytes < taken) return 0;
  if (width <= 8) std::memset(work.high, 0, fields);
  backend.lossy->unpack(in + kGapCountBytes, fields, width, work.low, work.high);
  const uint32_t skip = (1u << width) - 1;
  size_t at = 0;
  size_t found = 0;
  for (size_t i = 0; i < fields; ++i) {
    const uint32_t value = work.low[i] | uint32_t{work.high[i]} << 8;
    at += value;
    work.positions[found] = static_cast<uint16_t>(at);
    const size_t keeps = value != skip ? 1 : 0;
    found += keeps;
    at += keeps;
  }
  return found == kept && at <= n ? taken : 0;
}

}  // namespace netsense::kernels
