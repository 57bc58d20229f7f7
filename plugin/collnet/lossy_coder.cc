#include "plugin/collnet/lossy_coder.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/cpu/convert.h"
#include "plugin/collnet/steering.h"
#include "plugin/core/bytes.h"
#include "plugin/core/checksum.h"

namespace netsense::collnet {
namespace {

// ncclFunc_t.
constexpr int kFunctionReduceScatter = 3;
constexpr int kFunctionAllReduce = 4;

// NCCL cuts a collective into calls of at least this much. Of one whose size is not known, a call of this
// size may be a part of one that is large enough: the tuner has let no smaller one come here.
constexpr size_t kPartOfLarge = size_t{64} << 10;

// Rounding is taken back step by step where it loses more than the user allows.
constexpr uint8_t kFinerBits = 2;
constexpr uint8_t kFinestBits = 8;

kernels::DType codec_type(Type type) {
  return type == Type::kF16    ? kernels::DType::kF16
         : type == Type::kBf16 ? kernels::DType::kBf16
                               : kernels::DType::kF32;
}

// Another one for every block, and the same ones when a job is run again.
uint64_t seed_of(uint64_t call, int rank, uint8_t step, size_t begin) {
  std::array<std::byte, 24> bytes{};
  core::store_le<uint64_t>(&bytes[0], call);
  core::store_le<uint64_t>(&bytes[8], begin);
  core::store_le<uint32_t>(&bytes[16], static_cast<uint32_t>(rank));
  bytes[20] = static_cast<std::byte>(step);
  return core::block_checksum(bytes.data(), bytes.size());
}

adapt::LossyLevel finer(const adapt::LossyLevel& level) {
  if (level.keep < 1 || level.prune > 0) return {.lossless = false, .bits = 4};
  if (level.bits >= kFinestBits) return {.lossless = true};
  return {.lossless = false,
          .bits = static_cast<uint8_t>(std::min(kFinestBits, uint8_t(level.bits + kFinerBits)))};
}

}  // namespace

LossyCoder::LossyCoder(const config::Settings& settings, Link* link, ResidualBudget& budget, int rank,
                       int ranks, std::function<probe::Time()> now)
    : settings_(settings),
      link_(link),
      residuals_(budget, settings.residual_type),
      rank_(rank),
      ranks_(ranks),
      now_(std::move(now)) {}

bool LossyCoder::allowed(const Call& call) const {
  const CallArgs& args = call.args;
  // A rank alone sends nothing.
  if (link_ == nullptr || ranks_ == 1 || args.kind == Kind::kAllGather || args.op != Op::kSum) return false;
  if (args.type != Type::kF32 && args.type != Type::kF16 && args.type != Type::kBf16) return false;
  const int function = args.kind == Kind::kAllReduce ? kFunctionAllReduce : kFunctionReduceScatter;
  const size_t least = std::min(settings_.lossy_min_bytes, kPartOfLarge);
  // A reduce-scatter is told by what each rank gets of it, and its size is that of all.
  const size_t parts = args.kind == Kind::kReduceScatter ? static_cast<size_t>(ranks_) : 1;
  const size_t bytes = args.identity.known     ? args.identity.total_bytes * parts
                       : call.bytes() >= least ? settings_.lossy_min_bytes
                                               : 0;
  return opted_in(settings_, function, bytes);
}

// By this rank, before any coding.
double LossyCoder::bytes_to_send(const Call& call) const {
  const auto others = static_cast<double>(ranks_ - 1);
  const auto all = static_cast<double>(call.bytes());
  const auto own = static_cast<double>(share_of(call, ranks_, rank_).size() * call.element_size());
  if (takes_one_trip(call, ranks_)) return all * others;
  const double inputs = call.args.kind == Kind::kAllGather ? 0 : all - own;
  return inputs + (gathers(call, ranks_) ? own * others : 0);
}

void LossyCoder::begin(const Call& call) {
  if (link_ == nullptr) return;
  State& state = state_of(call);
  state = {};
  state.allowed = allowed(call);
  if (state.allowed) {
    const core::CollectiveCall& identity = call.args.identity;
    const bool first = !identity.known || identity.index == 0;
    if (first) ++collectives_;
    state.allowed = collectives_ > static_cast<uint64_t>(settings_.lossy_warmup);
  }
  state.open = true;
  state.begun = now_();
  state.raw_bytes = bytes_to_send(call);
  link_->begin(state.begun, state.raw_bytes);
}

void LossyCoder::end(const Call& call) {
  if (link_ == nullptr) return;
  end(state_of(call));
}

void LossyCoder::end(State& state) {
  state.open = false;
  link_->end(state.begun, now_(), state.raw_bytes, state.wire_bytes);
}

void LossyCoder::give_up() {
  for (State& state : states_) {
    if (state.open) end(state);
  }
}

void LossyCoder::sent(const Call& call, size_t bytes) {
  state_of(call).wire_bytes += static_cast<double>(bytes);
}

ResidualKey LossyCoder::key_of(const Call& call, Step step) {
  const core::CollectiveCall& identity = call.args.identity;
  return {identity.identity, identity.index, static_cast<uint8_t>(step)};
}

Range LossyCoder::encoded_in(const Call& call, Step step) const {
  return step == Step::kInputs ? Range{0, call.args.elements} : share_of(call, ranks_, rank_);
}

Residual* LossyCoder::residual_of(const Call& call, Step step) {
  if (!call.args.identity.known) return nullptr;
  return residuals_.find(key_of(call, step), encoded_in(call, step).size(), call.number);
}

LossyCoder::State::Coding LossyCoder::choose(const Call& call, Step step) {
  adapt::LossyLevel level = link_->level(now_(), {.element_bytes = call.element_size()});
  if (level.lossless) {
    // What was left over before goes out now, exactly.
    Residual* left = call.args.identity.known
                         ? residuals_.existing(key_of(call, step), encoded_in(call, step).size())
                         : nullptr;
    const bool pending = left != nullptr && left->pending();
    // Asked for again, so that it counts as used and nobody drops it before the data is coded.
    if (pending) residual_of(call, step)->set_pending(false);
    return {level, pending};
  }
  Residual* residual = residual_of(call, step);
  if (residual == nullptr) return {adapt::without_leaving_out(level), false};
  residual->set_pending(true);
  return {level, true};
}

bool LossyCoder::codes(const Call& call, Step step) {
  State& state = state_of(call);
  if (!state.allowed) return false;
  std::optional<State::Coding>& coding = state.coding[static_cast<size_t>(step)];
  if (!coding) coding = choose(call, step);
  return coding->codes();
}

kernels::LossyResult LossyCoder::encode(const adapt::LossyLevel& level, bool feedback, uint64_t seed,
                                        float* values, size_t count, std::byte* to) {
  const size_t capacity = kernels::max_lossy_bytes(count);
  if (level.lossless) {
    const size_t bytes = kernels::encode(kernels::Tier::kFast, kernels::DType::kF32, values,
                                         count * sizeof(float), to, capacity, lossless_scratch_);
    std::fill_n(values, count, 0.0F);
    return {bytes, 0, 0};
  }
  const double keep = std::min<double>(level.keep, 1 - level.prune);
  const kernels::LossyChoice choice{
      .bits = level.bits,
      .keep = keep >= 1 ? UINT32_MAX
                        : static_cast<uint32_t>(std::max(1.0, std::round(keep * static_cast<double>(count)))),
      .threshold = 0,
      .rounding = feedback ? kernels::Rounding::kNearest : kernels::Rounding::kStochastic,
      .seed = seed};
  return kernels::encode_lossy(choice, values, count, to, capacity, scratch_);
}

size_t LossyCoder::code(const Call& call, Step step, const Range& elements, kernels::DType type,
                        const std::byte* from, std::byte* to) {
  const size_t count = elements.size();
  State& state = state_of(call);
  const State::Coding& coding = *state.coding[static_cast<size_t>(step)];
  const size_t place = elements.begin - encoded_in(call, step).begin;
  Residual* residual = coding.feedback ? residual_of(call, step) : nullptr;
  // Where the residual is f32 all is done in its place: the values come to what is left, and what the coding
  // leaves of them stays there.
  float* const in_place = residual != nullptr ? residual->f32(place) : nullptr;
  float* const values = in_place != nullptr ? in_place : values_.data();
  if (in_place != nullptr) {
    kernels::add_f32(type, from, count, values);
  } else {
    kernels::to_f32(type, from, count, values);
    if (residual != nullptr) residual->add_to(place, count, values);
  }
  const size_t bytes = code_values(
      coding, seed_of(call.number, rank_, static_cast<uint8_t>(step), elements.begin), values, count, to);
  if (residual != nullptr && in_place == nullptr) residual->store(place, count, values);
  return bytes;
}

// As far as the user lets it lose.
size_t LossyCoder::code_values(const State::Coding& coding, uint64_t seed, float* values, size_t count,
                               std::byte* to) {
  const bool limited = settings_.lossy_max_error < 1;
  if (limited) std::copy_n(values, count, kept_.begin());
  adapt::LossyLevel level = coding.level;
  kernels::LossyResult result = encode(level, coding.feedback, seed, values, count, to);
  const double allowed = settings_.lossy_max_error * settings_.lossy_max_error;
  while (limited && result.error_energy > allowed * result.energy) {
    level = finer(level);
    std::copy_n(kept_.begin(), count, values);
    result = encode(level, coding.feedback, seed, values, count, to);
  }
  return result.bytes;
}

size_t LossyCoder::code_input(const Call& call, const Range& elements, std::byte* to) {
  return code(call, Step::kInputs, elements, codec_type(call.args.type),
              call.args.send + elements.begin * call.element_size(), to);
}

size_t LossyCoder::code_sum(const Call& call, const Range& elements, const float* sum, std::byte* to) {
  return code(call, Step::kSums, elements, kernels::DType::kF32, reinterpret_cast<const std::byte*>(sum), to);
}

bool LossyCoder::add(std::span<const std::byte> coded, size_t elements, bool first, float* sum) {
  const auto status = first ? kernels::decode_lossy(coded.data(), coded.size(), sum, elements, scratch_)
                            : kernels::add_lossy(coded.data(), coded.size(), sum, elements, scratch_);
  return status == kernels::DecodeStatus::kOk;
}

bool LossyCoder::decode(Type type, std::span<const std::byte> coded, size_t elements, std::byte* to) {
  // f32 of any alignment: where the result goes they may stand at once.
  float* const values = type == Type::kF32 ? reinterpret_cast<float*>(to) : values_.data();
  if (kernels::decode_lossy(coded.data(), coded.size(), values, elements, scratch_) !=
      kernels::DecodeStatus::kOk) {
    return false;
  }
  if (type != Type::kF32) kernels::from_f32(codec_type(type), values, elements, to);
  return true;
}

}  // namespace netsense::collnet
