#include "plugin/collnet/residuals.h"

#include <algorithm>
#include <array>
#include <new>

#include "kernels/cpu/convert.h"
#include "plugin/collnet/call.h"

namespace netsense::collnet {
namespace {

kernels::DType codec_type(config::ResidualType type) {
  return type == config::ResidualType::kBf16 ? kernels::DType::kBf16 : kernels::DType::kF32;
}

// A collective that is called again comes back after at most as many others as there are residuals; one that
// has stayed away for several such rounds is over.
constexpr uint64_t kRounds = 4;

}  // namespace

bool ResidualBudget::take(size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > left_) return false;
  left_ -= bytes;
  return true;
}

void ResidualBudget::give_back(size_t bytes) {
  const std::lock_guard lock(mutex_);
  left_ += bytes;
}

size_t Residual::bytes_of(size_t elements, config::ResidualType type) {
  return elements * (type == config::ResidualType::kBf16 ? 2 : 4);
}

Residual::Residual(size_t elements, config::ResidualType type)
    : elements_(elements),
      type_(type),
      bytes_(static_cast<std::byte*>(std::calloc(std::max<size_t>(bytes_of(elements, type), 1), 1))) {
  if (bytes_ == nullptr) throw std::bad_alloc();
}

void Residual::add_to(size_t begin, size_t count, float* values) const {
  kernels::add_f32(codec_type(type_), bytes_.get() + bytes_of(begin, type_), count, values);
}

void Residual::store(size_t begin, size_t count, const float* values) {
  kernels::from_f32(codec_type(type_), values, count, bytes_.get() + bytes_of(begin, type_));
}

Residuals::~Residuals() {
  while (!entries_.empty()) drop(entries_.begin());
}

void Residuals::drop(std::list<Entry>::iterator entry) {
  budget_.give_back(Residual::bytes_of(entry->residual.elements(), type_));
  by_key_.erase(entry->key);
  entries_.erase(entry);
}

bool Residuals::make_room(size_t bytes, uint64_t now) {
  while (!budget_.take(bytes)) {
    // Not one that a call under way uses: sums may ask for an earlier call than inputs did before.
    const uint64_t away = std::max(kRounds * entries_.size(), CallRing::kSize);
    if (entries_.empty() || now <= entries_.back().used + away) return false;
    drop(std::prev(entries_.end()));
  }
  return true;
}

Residual* Residuals::existing(const ResidualKey& key, size_t elements) {
  const auto known = by_key_.find(key);
  if (known == by_key_.end() || known->second->residual.elements() != elements) return nullptr;
  return &known->second->residual;
}

Residual* Residuals::find(const ResidualKey& key, size_t elements, uint64_t now) {
  if (const auto known = by_key_.find(key); known != by_key_.end()) {
    const auto entry = known->second;
    if (entry->residual.elements() == elements) {
      entry->used = now;
      entries_.splice(entries_.begin(), entries_, entry);
      return &entry->residual;
    }
    drop(entry);
  }
  const size_t bytes = Residual::bytes_of(elements, type_);
  if (!make_room(bytes, now)) return nullptr;
  try {
    entries_.push_front({key, Residual(elements, type_), now});
    by_key_.emplace(key, entries_.begin());
  } catch (const std::bad_alloc&) {
    if (!entries_.empty() && entries_.front().key == key) entries_.pop_front();
    budget_.give_back(bytes);
    return nullptr;
  }
  return &entries_.front().residual;
}

}  // namespace netsense::collnet
