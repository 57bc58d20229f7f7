// Rounds the floats of a comm's calls as far as the network asks for it and the user allows it, and remembers
// what was lost. For the comm's own thread.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "kernels/cpu/lossy.h"
#include "plugin/collnet/call.h"
#include "plugin/collnet/link.h"
#include "plugin/collnet/residuals.h"

namespace netsense::collnet {

class LossyCoder {
 public:
  // now: the clock. link: null: nothing is ever rounded.
  LossyCoder(
      const config::Settings& settings, Link* link, ResidualBudget& budget, int rank, int ranks,
      std::function<probe::Time()> now = [] { return probe::Clock::now(); });

  // The most bytes of a part's body.
  static size_t room(const Call& call, size_t elements) {
    return elements * std::max(call.element_size(), sizeof(float)) + kernels::kBlockHeaderBytes;
  }

  void begin(const Call& call);
  void end(const Call& call);
  // The comm is over: the link, which outlives it, must not wait for the ends of its calls.
  void give_up();
  // So many bytes of a part go to another rank.
  void sent(const Call& call, size_t bytes);

  // Whether the call's inputs, or its sums, are rounded: the same answer for all pieces.
  bool codes_inputs(const Call& call) { return codes(call, Step::kInputs); }
  bool codes_sums(const Call& call) { return codes(call, Step::kSums); }
  // Code elements of the call's input, or sum[] of these elements. Give the bytes.
  size_t code_input(const Call& call, const Range& elements, std::byte* to);
  size_t code_sum(const Call& call, const Range& elements, const float* sum, std::byte* to);

  // The reverse: first ? sum[i] = decoded : sum[i] += decoded. False when the bytes are malformed.
  bool add(std::span<const std::byte> coded, size_t elements, bool first, float* sum);
  bool decode(Type type, std::span<const std::byte> coded, size_t elements, std::byte* to);

 private:
  enum class Step : uint8_t { kInputs = 0, kSums = 1 };
  // Of a call under way.
  struct State {
    bool open = false;  // the link has been told of its begin and not of its end
    bool allowed = false;
    probe::Time begun;
    double raw_bytes = 0;
    double wire_bytes = 0;
    struct Coding {
      adapt::LossyLevel level;
      bool feedback = false;  // there is a residual to add, and to put what is lost into
      [[nodiscard]] bool codes() const { return !level.lossless || feedback; }
    };
    std::array<std::optional<Coding>, 2> coding;  // by Step, once it is decided
  };

  State& state_of(const Call& call) { return states_[call.number % CallRing::kSize]; }
  void end(State& state);
  [[nodiscard]] bool allowed(const Call& call) const;
  [[nodiscard]] double bytes_to_send(const Call& call) const;
  bool codes(const Call& call, Step step);
  static ResidualKey key_of(const Call& call, Step step);
  // The elements that this rank encodes in a step: all inputs, or the sums that it owns.
  [[nodiscard]] Range encoded_in(const Call& call, Step step) const;
  Residual* residual_of(const Call& call, Step step);
  State::Coding choose(const Call& call, Step step);
  // Codes the elements, which stand at `from`, and puts what is lost into the residual, if there is one.
  size_t code(const Call& call, Step step, const Range& elements, kernels::DType type, const std::byte* from,
              std::byte* to);
  // These code values[0, count) and leave there what was lost.
  size_t code_values(const State::Coding& coding, uint64_t seed, float* values, size_t count, std::byte* to);
  kernels::LossyResult encode(const adapt::LossyLevel& level, bool feedback, uint64_t seed, float* values,
                              size_t count, std::byte* to);

  const config::Settings& settings_;
  Link* link_;
  Residuals residuals_;
  const int rank_;
  const int ranks_;
  std::function<probe::Time()> now_;
  uint64_t collectives_ = 0;  // that might have been rounded
  std::array<State, CallRing::kSize> states_;
  alignas(64) std::array<float, kPieceElements> values_;
  std::array<float, kPieceElements> kept_;  // a copy of them, where coding may have to be done again
  kernels::LossyScratch scratch_;
  kernels::Scratch lossless_scratch_;
};

}  // namespace netsense::collnet
