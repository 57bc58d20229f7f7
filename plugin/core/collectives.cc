#include "plugin/core/collectives.h"

#include "plugin/core/bytes.h"
#include "plugin/core/checksum.h"

namespace netsense::core {
namespace {

// Bytes of an element by ncclDataType_t; 0 for a type that is not known.
size_t bytes_of(int data_type) {
  static constexpr std::array<uint8_t, 12> kBytes{1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return data_type >= 0 && data_type < static_cast<int>(kBytes.size())
             ? kBytes[static_cast<size_t>(data_type)]
             : 0;
}

uint64_t identity_of(const Collective& collective) {
  std::array<std::byte, 32> bytes{};
  store_le<uint64_t>(&bytes[0], collective.comm_id);
  store_le<uint64_t>(&bytes[8], collective.count);
  store_le<uint64_t>(&bytes[16], reinterpret_cast<uint64_t>(collective.send));
  store_le<uint32_t>(&bytes[24], static_cast<uint32_t>(collective.function));
  store_le<uint32_t>(&bytes[28], static_cast<uint32_t>(collective.data_type));
  return block_checksum(bytes.data(), bytes.size());
}

}  // namespace

uint32_t Collectives::add(const Collective& collective) {
  const uint64_t identity = identity_of(collective);
  const std::lock_guard lock(mutex_);
  if (const auto known = numbers_.find(identity); known != numbers_.end()) return known->second;
  if (storage_ == nullptr) {
    storage_ = std::make_unique<Slot[]>(kSlots);
    slots_.store(storage_.get(), std::memory_order_release);
  }
  if (used_ + 1 == kSlots) {
    numbers_.clear();
    used_ = 0;
  }
  const uint32_t number = ++used_;
  numbers_.emplace(identity, number);
  Slot& slot = storage_[number];
  slot.identity.store(identity, std::memory_order_relaxed);
  slot.comm_id.store(collective.comm_id, std::memory_order_relaxed);
  slot.data_type.store(collective.data_type, std::memory_order_relaxed);
  slot.total_bytes.store(collective.count * bytes_of(collective.data_type), std::memory_order_relaxed);
  return number;
}

Collectives::Entry Collectives::at(uint32_t number) const {
  const Slot* slots = slots_.load(std::memory_order_acquire);
  if (slots == nullptr || number == kNone || number >= kSlots) return {};
  const Slot& slot = slots[number];
  return {.identity = slot.identity.load(std::memory_order_relaxed),
          .comm_id = slot.comm_id.load(std::memory_order_relaxed),
          .data_type = slot.data_type.load(std::memory_order_relaxed),
          .total_bytes = slot.total_bytes.load(std::memory_order_relaxed)};
}

}  // namespace netsense::core
