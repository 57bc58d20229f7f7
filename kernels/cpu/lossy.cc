#include "kernels/cpu/lossy.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/cpu/backend.h"
#include "kernels/cpu/block_header.h"
#include "kernels/cpu/bytes.h"
#include "kernels/cpu/lossy_index.h"
#include "kernels/cpu/lossy_work.h"

namespace netsense::kernels {
namespace {

static_assert(max_lossy_bytes(1000) == max_coded_bytes(1000 * sizeof(float)));

LossyWork& work_of(LossyScratch& scratch) {
  return *reinterpret_cast<LossyWork*>(scratch.bytes.data());
}

// Of any alignment.
float load_value(const float* values, size_t i) {
  float value;
  std::memcpy(&value, reinterpret_cast<const uint8_t*>(values) + i * sizeof value, sizeof value);
  return value;
}
void store_value(float* values, size_t i, float value) {
  std::memcpy(reinterpret_cast<uint8_t*>(values) + i * sizeof value, &value, sizeof value);
}

bool is_choice(const LossyChoice& choice) {
  return choice.bits >= kMinLossyBits && choice.bits <= kMaxLossyBits;
}

Header header_of(BlockKind kind, unsigned bits, size_t elements) {
  return {kind, DType::kF32, static_cast<uint8_t>(bits), static_cast<uint32_t>(elements * sizeof(float))};
}

size_t write_dense(const Backend& backend, const LossyChoice& choice, float* values, size_t n, uint8_t* dst) {
  const size_t head = write_header(header_of(BlockKind::kQuantised, choice.bits, n), dst);
  backend.lossy->quantise(choice.bits, choice.rounding, choice.seed, values, n, dst + head);
  return head + quantised_bytes(n, choice.bits);
}

// 0, and values as they were, where it takes `limit` bytes or more.
size_t write_sparse(const Backend& backend, const LossyChoice& choice, float* values, size_t n, size_t limit,
                    uint8_t* dst, LossyWork& work) {
  const size_t kept = select_kept(backend, choice, values, n, work);
  if (kept == 0) return write_header(header_of(BlockKind::kZero, 0, n), dst);
  const IndexForm form = choose_form(backend, n, kept, work);
  const size_t head = kBlockHeaderBytes + kSparseHeaderBytes;
  const size_t bytes = head + form.bytes + quantised_bytes(kept, choice.bits);
  if (bytes >= limit) return 0;
  uint8_t* const header = dst + write_header(header_of(BlockKind::kSparse, choice.bits, n), dst);
  store_le(header, static_cast<uint32_t>(kept));
  header[4] = static_cast<uint8_t>(form.width);
  write_positions(backend, form, n, kept, work, dst + head);
  for (size_t i = 0; i < kept; ++i) work.values[i] = load_value(values, work.positions[i]);
  backend.lossy->quantise(choice.bits, choice.rounding, choice.seed, work.values, kept,
                          dst + head + form.bytes);
  for (size_t i = 0; i < kept; ++i) store_value(values, work.positions[i], work.values[i]);
  return bytes;
}

// 0 where the block is to be a lossless one.
size_t write_lossy(const Backend& backend, const LossyChoice& choice, float* values, size_t n,
                   uint32_t largest, uint8_t* dst, LossyWork& work) {
  if (largest > uint32_t{kMaxScale} << 16) return 0;
  if (largest == 0) return write_header(header_of(BlockKind::kZero, 0, n), dst);
  const size_t dense = kBlockHeaderBytes + quantised_bytes(n, choice.bits);
  const size_t raw = max_lossy_bytes(n);
  if (choice.threshold > 0 || choice.keep < n) {
    const size_t sparse = write_sparse(backend, choice, values, n, std::min(dense, raw), dst, work);
    if (sparse != 0) return sparse;
  }
  return dense < raw ? write_dense(backend, choice, values, n, dst) : 0;
}

DecodeStatus read_dense(const Backend& backend, unsigned bits, const uint8_t* in, size_t bytes, size_t n,
                        float* dst, bool add) {
  const size_t expected = quantised_bytes(n, bits);
  if (bytes < expected) return DecodeStatus::kTruncated;
  if (bytes > expected) return DecodeStatus::kCorrupt;
  return backend.lossy->dequantise(bits, in, n, dst, add) ? DecodeStatus::kOk : DecodeStatus::kCorrupt;
}

DecodeStatus read_sparse(const Backend& backend, unsigned bits, const uint8_t* in, size_t bytes, size_t n,
                         float* dst, bool add, LossyWork& work) {
  if (bytes < kSparseHeaderBytes) return DecodeStatus::kTruncated;
  const size_t kept = load_le<uint32_t>(in);
  const unsigned width = in[4];
  if (kept == 0 || kept > n || width > kMaxGapWidth) return DecodeStatus::kCorrupt;
  in += kSparseHeaderBytes;
  bytes -= kSparseHeaderBytes;
  const size_t index = read_positions(backend, width, n, kept, in, bytes, work);
  if (index == 0) return DecodeStatus::kCorrupt;
  const DecodeStatus status =
      read_dense(backend, bits, in + index, bytes - index, kept, work.values, /*add=*/false);
  if (status != DecodeStatus::kOk) return status;
  if (!add) std::memset(static_cast<void*>(dst), 0, n * sizeof(float));
  for (size_t i = 0; i < kept; ++i) {
    const size_t at = work.positions[i];
    const float value = work.values[i];
    store_value(dst, at, add ? load_value(dst, at) + value : value);
  }
  return DecodeStatus::kOk;
}

DecodeStatus read_lossless(const Backend& backend, const uint8_t* in, size_t bytes, float* dst, size_t n,
                           bool add, LossyWork& work) {
  float* const to = add ? work.values : dst;
  const DecodeStatus status = decode(backend, in, bytes, to, n * sizeof(float), work.lossless);
  if (add && status == DecodeStatus::kOk) {
    const auto* from = reinterpret_cast<const uint8_t*>(work.values);
    backend.lossy->widen(DType::kF32, from, n, dst, /*add=*/true);
  }
  return status;
}

DecodeStatus read_block(const Backend& backend, const void* src, size_t bytes, float* dst, size_t n, bool add,
                        LossyScratch& scratch) {
  if (bytes < kBlockHeaderBytes) return DecodeStatus::kTruncated;
  const auto* in = static_cast<const uint8_t*>(src);
  Header header;
  if (!read_header(in, &header) || header.type != DType::kF32) return DecodeStatus::kBadHeader;
  if (n > kMaxLossyElements || header.raw_bytes != n * sizeof(float)) return DecodeStatus::kSizeMismatch;
  LossyWork& work = work_of(scratch);
  if (header.kind != BlockKind::kQuantised && header.kind != BlockKind::kSparse) {
    return read_lossless(backend, in, bytes, dst, n, add, work);
  }
  const unsigned bits = header.parameter;
  if (bits < kMinLossyBits || bits > kMaxLossyBits) return DecodeStatus::kBadHeader;
  in += kBlockHeaderBytes;
  bytes -= kBlockHeaderBytes;
  return header.kind == BlockKind::kQuantised ? read_dense(backend, bits, in, bytes, n, dst, add)
                                              : read_sparse(backend, bits, in, bytes, n, dst, add, work);
}

}  // namespace

LossyResult encode_lossy(const Backend& backend, const LossyChoice& choice, float* values, size_t elements,
                         void* dst, size_t capacity, LossyScratch& scratch) {
  if (elements > kMaxLossyElements || capacity < max_lossy_bytes(elements) || !is_choice(choice)) return {};
  auto* const to = static_cast<uint8_t*>(dst);
  LossyWork& work = work_of(scratch);
  const Survey before = backend.lossy->survey(values, elements);
  const size_t coded = write_lossy(backend, choice, values, elements, before.largest, to, work);
  if (coded != 0) return {coded, before.energy, backend.lossy->survey(values, elements).energy};
  const size_t raw_bytes = elements * sizeof(float);
  const size_t bytes =
      encode(backend, Tier::kFast, DType::kF32, values, raw_bytes, dst, capacity, work.lossless);
  if (raw_bytes != 0) std::memset(static_cast<void*>(values), 0, raw_bytes);
  return {bytes, before.energy, 0};
}

LossyResult encode_lossy(const LossyChoice& choice, float* values, size_t elements, void* dst,
                         size_t capacity, LossyScratch& scratch) {
  return encode_lossy(*backends().front(), choice, values, elements, dst, capacity, scratch);
}

DecodeStatus decode_lossy(const Backend& backend, const void* src, size_t bytes, float* dst, size_t elements,
                          LossyScratch& scratch) {
  return read_block(backend, src, bytes, dst, elements, /*add=*/false, scratch);
}
DecodeStatus decode_lossy(const void* src, size_t bytes, float* dst, size_t elements, LossyScratch& scratch) {
  return decode_lossy(*backends().front(), src, bytes, dst, elements, scratch);
}

DecodeStatus add_lossy(const Backend& backend, const void* src, size_t bytes, float* sum, size_t elements,
                       LossyScratch& scratch) {
  return read_block(backend, src, bytes, sum, elements, /*add=*/true, scratch);
}
DecodeStatus add_lossy(const void* src, size_t bytes, float* sum, size_t elements, LossyScratch& scratch) {
  return add_lossy(*backends().front(), src, bytes, sum, elements, scratch);
}

}  // namespace netsense::kernels
