#include "tools/codec/coders.h"

#include <lz4.h>
#include <zstd.h>

#include "kernels/cpu/codec.h"
#include "tools/codec/error.h"

namespace netsense::codec {
namespace {

class TierCoder : public Coder {
 public:
  TierCoder(kernels::Tier tier, DType type) : tier_(tier), type_(type) {}

  [[nodiscard]] std::string_view name() const override {
    return tier_ == kernels::Tier::kFast ? "fast" : "tight";
  }
  [[nodiscard]] size_t most(size_t bytes) const override { return kernels::max_coded_bytes(bytes); }
  size_t encode(std::span<const uint8_t> raw, std::span<uint8_t> to) override {
    return kernels::encode(tier_, type_, raw.data(), raw.size(), to.data(), to.size(), *scratch_);
  }
  void decode(std::span<const uint8_t> coded, std::span<uint8_t> to) override {
    const kernels::DecodeStatus status =
        kernels::decode(coded.data(), coded.size(), to.data(), to.size(), *scratch_);
    if (status != kernels::DecodeStatus::kOk) throw Error("{}: {}", name(), kernels::describe(status));
  }

 private:
  kernels::Tier tier_;
  DType type_;
  std::unique_ptr<kernels::Scratch> scratch_ = std::make_unique<kernels::Scratch>();
};

// Keeps its working memory from block to block, which is its faster way.
class Zstd : public Coder {
 public:
  [[nodiscard]] std::string_view name() const override { return "zstd-1"; }
  [[nodiscard]] size_t most(size_t bytes) const override { return ZSTD_compressBound(bytes); }
  size_t encode(std::span<const uint8_t> raw, std::span<uint8_t> to) override {
    return checked(ZSTD_compressCCtx(encoder_.get(), to.data(), to.size(), raw.data(), raw.size(), 1));
  }
  void decode(std::span<const uint8_t> coded, std::span<uint8_t> to) override {
    checked(ZSTD_decompressDCtx(decoder_.get(), to.data(), to.size(), coded.data(), coded.size()));
  }

 private:
  static size_t checked(size_t result) {
    if (ZSTD_isError(result) != 0) throw Error("zstd: {}", ZSTD_getErrorName(result));
    return result;
  }
  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> encoder_{ZSTD_createCCtx(), ZSTD_freeCCtx};
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> decoder_{ZSTD_createDCtx(), ZSTD_freeDCtx};
};

class Lz4 : public Coder {
 public:
  [[nodiscard]] std::string_view name() const override { return "lz4"; }
  [[nodiscard]] size_t most(size_t bytes) const override {
    return static_cast<size_t>(LZ4_compressBound(static_cast<int>(bytes)));
  }
  size_t encode(std::span<const uint8_t> raw, std::span<uint8_t> to) override {
    const int coded = LZ4_compress_default(chars(raw), reinterpret_cast<char*>(to.data()),
                                           static_cast<int>(raw.size()), static_cast<int>(to.size()));
    if (coded <= 0) throw Error("lz4: cannot compress");
    return static_cast<size_t>(coded);
  }
  void decode(std::span<const uint8_t> coded, std::span<uint8_t> to) override {
    const int raw = LZ4_decompress_safe(chars(coded), reinterpret_cast<char*>(to.data()),
                                        static_cast<int>(coded.size()), static_cast<int>(to.size()));
    if (raw != static_cast<int>(to.size())) throw Error("lz4: cannot decompress");
  }

 private:
  static const char* chars(std::span<const uint8_t> bytes) {
    return reinterpret_cast<const char*>(bytes.data());
  }
};

}  // namespace

std::vector<std::unique_ptr<Coder>> make_coders(DType type) {
  std::vector<std::unique_ptr<Coder>> coders;
  coders.push_back(std::make_unique<TierCoder>(kernels::Tier::kFast, type));
  coders.push_back(std::make_unique<TierCoder>(kernels::Tier::kTight, type));
  coders.push_back(std::make_unique<Zstd>());
  coders.push_back(std::make_unique<Lz4>());
  return coders;
}

}  // namespace netsense::codec
