#include "kernels/cpu/lossy_index.h"

#include <algorithm>
#include <bit>
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

// Where the k-th largest is: its bin, its place from the top among the bin's, and how many the bin has.
struct Place {
  uint32_t bin;
  size_t rank;
  size_t of;
};
Place find_place(const uint32_t (&histogram)[2][kHistogramBins], size_t k) {
  uint32_t bin = kHistogramBins - 1;
  for (;; --bin) {
    const size_t count = histogram[0][bin] + histogram[1][bin];
    if (k <= count || bin == 0) return {bin, k, count};
    k -= count;
  }
}

// A magnitude is 11 + 10 + 10 bits.
constexpr unsigned kTopShift = 20;
constexpr unsigned kMiddleShift = 10;
constexpr uint32_t kTenBits = 0x3ff;

// Two histograms take turns: equal neighbours would wait for each other's store.
template <class Bin>
Place place_among(size_t n, size_t k, LossyWork& work, Bin bin_of) {
  std::memset(work.histogram, 0, sizeof work.histogram);
  for (size_t i = 0; i < n; ++i) {
    const uint32_t bin = bin_of(i);
    if (bin < kHistogramBins) ++work.histogram[i % 2][bin];
  }
  return find_place(work.histogram, k);
}

struct Cut {
  uint32_t magnitude;  // the smallest that is kept
  size_t ties;         // how many of that magnitude are kept
  size_t of;           // of how many
};

// The k-th largest magnitude, from the top bits down.
Cut find_cut(const Backend& backend, const float* values, size_t n, size_t k, LossyWork& work) {
  const Place top =
      place_among(n, k, work, [values](size_t i) { return magnitude_of(values, i) >> kTopShift; });
  const size_t count = backend.lossy->collect(values, n, kTopShift, top.bin, work.magnitudes);
  const uint32_t* const magnitudes = work.magnitudes;
  const Place middle = place_among(
      count, top.rank, work, [magnitudes](size_t i) { return magnitudes[i] >> kMiddleShift & kTenBits; });
  const uint32_t upper = top.bin << (kTopShift - kMiddleShift) | middle.bin;
  const Place low = place_among(count, middle.rank, work, [magnitudes, upper](size_t i) {
    return magnitudes[i] >> kMiddleShift == upper ? magnitudes[i] & kTenBits : uint32_t{kHistogramBins};
  });
  return {upper << kMiddleShift | low.bin, low.rank, low.of};
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
  const uint32_t least = choice.threshold > 0 ? std::bit_cast<uint32_t>(choice.threshold) : 1;
  backend.lossy->mark(values, n, least, work.bitmap);
  size_t kept = count_marked(work.bitmap, n);
  if (kept > choice.keep) {
    kept = choice.keep;
    if (kept == 0) return 0;
    const Cut cut = find_cut(backend, values, n, kept, work);
    const bool all = cut.ties == cut.of;
    backend.lossy->mark(values, n, all ? cut.magnitude : cut.magnitude + 1, work.bitmap);
    if (!all) mark_ties(cut, values, work.bitmap);
  }
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
