// A first-in first-out queue of at most kCapacity pointers, without allocation.
#pragma once

#include <array>
#include <cstddef>

namespace netsense::reference {

template <typename T, size_t kCapacity>
class Fifo {
 public:
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* at(size_t index) const { return items_[(first_ + index) % kCapacity]; }
  void push(T* item) { items_[(first_ + size_++) % kCapacity] = item; }
  void pop() {
    first_ = (first_ + 1) % kCapacity;
    --size_;
  }
  void remove(const T* item) {
    for (size_t i = 0, kept = 0; i < size_; ++i) {
      if (at(i) != item) items_[(first_ + kept++) % kCapacity] = at(i);
    }
    --size_;
  }

 private:
  std::array<T*, kCapacity> items_{};
  size_t first_ = 0;
  size_t size_ = 0;
};

}  // namespace netsense::reference
