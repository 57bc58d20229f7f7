// The symbols of a kRans sub-block: 32 interleaved rANS states (J. Duda, "Asymmetric numeral systems", 2013;
// the interleaving is that of F. Giesen, "Interleaved entropy coders", 2014). Compiled once per instruction
// set.
#if defined(NETSENSE_KERNELS_RANS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NETSENSE_KERNELS_RANS_INL_H
#undef NETSENSE_KERNELS_RANS_INL_H
#else
#define NETSENSE_KERNELS_RANS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "kernels/cpu/bytes.h"
#include "kernels/cpu/frequencies.h"
#include "kernels/cpu/shuffles.h"
#include "kernels/cpu/work.h"

HWY_BEFORE_NAMESPACE();
namespace netsense::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr unsigned kWordBits = 16;

// One symbol into one state. A word goes out when the state would grow beyond 32 bits.
HWY_INLINE void put_symbol(const RansSymbol& symbol, uint32_t& state, uint16_t*& word) {
  // Whether it would is as good as random: arithmetic, not a branch.
  const uint32_t full = state >> (32 - kRansBits) >= symbol.frequency ? 1 : 0;
  word[-1] = static_cast<uint16_t>(state);
  word -= full;
  const uint32_t x = state >> (full * kWordBits);
  const auto quotient = static_cast<uint32_t>(static_cast<unsigned __int128>(x) * symbol.reciprocal >> 64);
  state = x + symbol.bias + quotient * symbol.complement;
}

// Writes what comes after the float header; returns the bytes. The encoder runs backwards, from the last
// symbol to the first, so that the decoder runs forwards.
HWY_INLINE size_t encode_rans(const Counts& counts, size_t n, Work& work, uint8_t* out) {
  const Frequencies frequencies = normalise(counts, n);
  make_rans_symbols(frequencies, work.rans);
  uint8_t* at = out + write_frequencies(frequencies, out);

  uint16_t* const words_end = work.words + kMaxSubBlockElements + 1;
  uint16_t* word = words_end;
  uint32_t states[kRansLanes];
  std::fill_n(states, kRansLanes, kRansLow);
  const uint8_t* row = work.symbols + n / kRansLanes * kRansLanes;
  for (size_t lane = n % kRansLanes; lane-- > 0;) put_symbol(work.rans[row[lane]], states[lane], word);
  while (row != work.symbols) {
    row -= kRansLanes;
    for (size_t lane = kRansLanes; lane-- > 0;) put_symbol(work.rans[row[lane]], states[lane], word);
  }

  std::memcpy(at, states, sizeof states);
  at += sizeof states;
  const size_t word_bytes = static_cast<size_t>(words_end - word) * sizeof(uint16_t);
  std::memcpy(at, word, word_bytes);
  return static_cast<size_t>(at - out) + word_bytes;
}

HWY_INLINE uint8_t take_symbol(const uint32_t* slots, uint32_t& state, const uint8_t*& words) {
  const uint32_t slot = slots[state & (kRansTotal - 1)];
  state = (slot >> kSlotFrequencyShift & 0xfff) * (state >> kRansBits) + (slot >> kSlotPlaceShift);
  if (state < kRansLow) {
    state = state << kWordBits | load_le<uint16_t>(words);
    words += sizeof(uint16_t);
  }
  return static_cast<uint8_t>(slot);
}

// The states of up to 8 lanes: more would need a larger table of shuffles.
using StateTag = hn::CappedTag<uint32_t, 8>;

// Eight loads: the instructions for it are slower on many CPUs, some of them since their security fixes.
template <class V>
HWY_INLINE hn::Vec<StateTag> look_up(const uint32_t* slots, V index) {
  const StateTag d;
  HWY_ALIGN uint32_t lanes[hn::MaxLanes(d)];
  hn::Store(index, d, lanes);
  for (uint32_t& lane : lanes) lane = slots[lane];
  return hn::Load(d, lanes);
}

// One row of symbols, 32 of them. Reads up to 64 bytes, and 16 more, of words.
HWY_INLINE const uint8_t* take_row(const uint32_t* slots, uint32_t* states, const uint8_t* words,
                                   uint8_t* symbols) {
  const StateTag d;
  const hn::Rebind<uint16_t, StateTag> word_tag;
  const hn::Rebind<uint8_t, StateTag> symbol_tag;
  const hn::Repartition<uint8_t, decltype(word_tag)> byte_tag;
  const auto low_byte = hn::Set(d, 0xff);
  for (size_t lane = 0; lane < kRansLanes; lane += hn::Lanes(d)) {
    auto x = hn::Load(d, states + lane);
    const auto index = hn::And(x, hn::Set(d, kRansTotal - 1));
    const auto slot = look_up(slots, index);
    const auto frequency = hn::And(hn::ShiftRight<kSlotFrequencyShift>(slot), hn::Set(d, 0xfff));
    x = hn::Add(hn::Mul(frequency, hn::ShiftRight<kRansBits>(x)), hn::ShiftRight<kSlotPlaceShift>(slot));
    hn::StoreU(hn::U8FromU32(hn::And(slot, low_byte)), symbol_tag, symbols + lane);

    const auto hungry = hn::Eq(hn::ShiftRight<kWordBits>(x), hn::Zero(d));
    uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hungry, bits);
    const auto shuffle = hn::LoadU(byte_tag, kExpandWords[bits[0]].data());
    const auto taken = hn::TableLookupBytesOr0(hn::LoadU(byte_tag, words), shuffle);
    const auto fed = hn::Or(hn::ShiftLeft<kWordBits>(x), hn::PromoteTo(d, hn::BitCast(word_tag, taken)));
    hn::Store(hn::IfThenElse(hungry, fed, x), d, states + lane);
    words += sizeof(uint16_t) * hwy::PopCount(uint64_t{bits[0]});
  }
  return words;
}

// Reads what encode_rans wrote, `bytes` of it and of nothing else, into work.symbols. False when it is not
// that.
HWY_INLINE bool decode_rans(const uint8_t* in, size_t bytes, size_t n, Work& work) {
  Frequencies frequencies;
  const size_t table_bytes = read_frequencies(in, bytes, &frequencies);
  if (table_bytes == 0 || bytes - table_bytes < kRansStateBytes) return false;
  make_slots(frequencies, work.slots);
  HWY_ALIGN uint32_t states[kRansLanes];
  std::memcpy(states, in + table_bytes, sizeof states);
  const uint8_t* words = in + table_bytes + kRansStateBytes;
  const uint8_t* const end = in + bytes;

  uint8_t* symbols = work.symbols;
  for (size_t row = 0; row < n / kRansLanes; ++row, symbols += kRansLanes) {
    words = take_row(work.slots, states, words, symbols);
    if (words > end) return false;
  }
  for (size_t lane = 0; lane < n % kRansLanes; ++lane) {
    symbols[lane] = take_symbol(work.slots, states[lane], words);
  }
  // Every lane ends where the encoder began.
  return words == end && std::all_of(states, states + kRansLanes, [](uint32_t x) { return x == kRansLow; });
}

}  // namespace netsense::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
