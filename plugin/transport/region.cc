#include "plugin/transport/region.h"

#include <algorithm>
#include <cstdlib>

#include "plugin/core/log.h"

namespace netsense::transport {
namespace {

size_t size_from_environment(const char* name, size_t otherwise) {
  const char* text = std::getenv(name);
  if (text == nullptr) return otherwise;
  // As NCCL reads them: hexadecimal and octal too, and whatever follows the number does not count.
  char* end = nullptr;
  const long long value = std::strtoll(text, &end, 0);
  return end != text && value > 0 ? static_cast<size_t>(value) : otherwise;
}

}  // namespace

LowLatencySizes low_latency_sizes() {
  const LowLatencySizes defaults;
  return {.ll = size_from_environment("NCCL_LL_BUFFSIZE", defaults.ll),
          .ll128 = size_from_environment("NCCL_LL128_BUFFSIZE", defaults.ll128)};
}

BufferKind classify(size_t bytes, const LowLatencySizes& sizes) {
  return bytes == sizes.ll || bytes == sizes.ll128 ? BufferKind::kLowLatency : BufferKind::kSimple;
}

Status RegionTable::add(void* data, size_t bytes, MemoryType type, Region** region) {
  if (type != MemoryType::kHost) {
    NETSENSE_WARN("cannot register memory of type {}: this transport carries host memory only",
                  static_cast<int>(type));
    return Status::kInvalidArgument;
  }
  static const LowLatencySizes sizes = low_latency_sizes();
  regions_.push_back(std::make_unique<Region>(data, bytes, classify(bytes, sizes)));
  *region = regions_.back().get();
  return Status::kOk;
}

void RegionTable::settle() {
  if (settled_) return;
  settled_ = true;
  const size_t count = regions_.size();
  if (count < 2 || count > 3) return;
  Region& last = *regions_.back();
  // LL's is the smallest, whatever the settings.
  if (regions_.front()->bytes_ >= last.bytes_) return;
  for (size_t i = 0; i + 1 < count; ++i) regions_[i]->kind_ = BufferKind::kLowLatency;
  last.surely_simple_ = last.kind_ == BufferKind::kSimple;
}

Status RegionTable::remove(Region* region) {
  const auto found = std::find_if(regions_.begin(), regions_.end(),
                                  [region](const auto& entry) { return entry.get() == region; });
  if (found == regions_.end()) {
    NETSENSE_WARN("deregMr: this memory is not registered on this comm");
    return Status::kInvalidArgument;
  }
  regions_.erase(found);
  return Status::kOk;
}

}  // namespace netsense::transport
