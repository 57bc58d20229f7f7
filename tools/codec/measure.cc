#include "tools/codec/measure.h"

#include <time.h>

#include <algorithm>
#include <memory>

#include "tools/codec/bound.h"
#include "tools/codec/coders.h"
#include "tools/codec/container.h"
#include "tools/codec/error.h"

namespace netsense::codec {
namespace {

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// One coder's buffers and times.
class Trial {
 public:
  Trial(std::unique_ptr<Coder> coder, std::span<const uint8_t> raw)
      : coder_(std::move(coder)), raw_(raw), back_(raw.size()) {
    for (size_t at = 0; at < raw.size(); at += kBlockBytes) {
      const size_t bytes = std::min(kBlockBytes, raw.size() - at);
      blocks_.push_back({raw.subspan(at, bytes), std::span(back_).subspan(at, bytes),
                         std::vector<uint8_t>(coder_->most(bytes)), 0});
    }
  }

  void round() {
    const double begin = processor_seconds();
    for (Block& block : blocks_) block.coded_bytes = coder_->encode(block.raw, block.coded);
    const double middle = processor_seconds();
    for (Block& block : blocks_) coder_->decode(std::span(block.coded).first(block.coded_bytes), block.back);
    decode_seconds_.push_back(processor_seconds() - middle);
    encode_seconds_.push_back(middle - begin);
  }

  [[nodiscard]] CoderFigures figures() const {
    if (!std::equal(raw_.begin(), raw_.end(), back_.begin())) {
      throw Error("{} did not give back what it was given", coder_->name());
    }
    CoderFigures result{std::string(coder_->name()), 0, speed(encode_seconds_), speed(decode_seconds_)};
    for (const Block& block : blocks_) result.coded_bytes += block.coded_bytes;
    return result;
  }

 private:
  struct Block {
    std::span<const uint8_t> raw;
    std::span<uint8_t> back;
    std::vector<uint8_t> coded;
    size_t coded_bytes;
  };

  [[nodiscard]] double speed(std::vector<double> seconds) const {
    const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
    std::nth_element(seconds.begin(), middle, seconds.end());
    return static_cast<double>(raw_.size()) / 1e9 / std::max(*middle, 1e-9);
  }

  std::unique_ptr<Coder> coder_;
  std::span<const uint8_t> raw_;
  std::vector<uint8_t> back_;
  std::vector<Block> blocks_;
  std::vector<double> encode_seconds_;
  std::vector<double> decode_seconds_;
};

}  // namespace

std::vector<TypedData> by_type(std::span<const uint8_t> file, std::span<const Piece> pieces, DType fallback) {
  std::vector<TypedData> result;
  for (const Piece& piece : pieces) {
    if (!piece.is_data || piece.bytes == 0) continue;
    const DType type = piece.type.value_or(fallback);
    auto found =
        std::find_if(result.begin(), result.end(), [&](const TypedData& data) { return data.type == type; });
    if (found == result.end()) found = result.insert(result.end(), {type, {}});
    const std::span<const uint8_t> bytes = file.subspan(piece.offset, piece.bytes);
    found->bytes.insert(found->bytes.end(), bytes.begin(), bytes.end());
  }
  return result;
}

Figures measure(std::string file, const TypedData& data, std::chrono::milliseconds time) {
  Figures result{std::move(file), data.type, data.bytes.size(), std::nullopt, {}};
  if (data.type != DType::kBytes) result.bound_bits = bound_bits(data.type, data.bytes);
  std::vector<std::unique_ptr<Trial>> trials;
  for (std::unique_ptr<Coder>& coder : make_coders(data.type)) {
    trials.push_back(std::make_unique<Trial>(std::move(coder), data.bytes));
  }
  const auto end = std::chrono::steady_clock::now() + time;
  do {
    for (const auto& trial : trials) trial->round();
  } while (std::chrono::steady_clock::now() < end);
  for (const auto& trial : trials) result.coders.push_back(trial->figures());
  return result;
}

}  // namespace netsense::codec
