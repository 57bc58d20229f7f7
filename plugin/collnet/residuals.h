// What rounding has left over, for the next time (error feedback): the residual of one encoding is added to
// the values before the next encoding of the same elements, so that nothing is lost for good.
// Seide et al., "1-bit stochastic gradient descent", Interspeech 2014; Karimireddy et al., "Error feedback
// fixes SignSGD", ICML 2019.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "plugin/config/settings.h"

namespace netsense::collnet {

// Of which elements: the same in every repetition of a collective.
struct ResidualKey {
  uint64_t identity = 0;  // of the collective
  uint32_t call = 0;      // within it
  uint8_t phase = 0;      // which of the two encodings
  bool operator==(const ResidualKey&) const = default;
};

// Memory for residuals that all comms of the process share.
class ResidualBudget {
 public:
  explicit ResidualBudget(size_t bytes) : left_(bytes) {}
  bool take(size_t bytes);
  void give_back(size_t bytes);

 private:
  std::mutex mutex_;
  size_t left_;
};

// One call's residual: f32 or bf16 values, all 0 at first.
class Residual {
 public:
  Residual(size_t elements, config::ResidualType type);
  [[nodiscard]] size_t elements() const { return elements_; }
  // What is left over of the elements from begin on, where it is kept as f32; null where it is not.
  [[nodiscard]] float* f32(size_t begin) const {
    return type_ == config::ResidualType::kF32
               ? reinterpret_cast<float*>(bytes_.get() + bytes_of(begin, type_))
               : nullptr;
  }
  // values[i] += what is left over of element begin + i
  void add_to(size_t begin, size_t count, float* values) const;
  // That is left over now.
  void store(size_t begin, size_t count, const float* values);
  // Whether there may be anything but 0 in it.
  [[nodiscard]] bool pending() const { return pending_; }
  void set_pending(bool pending) { pending_ = pending; }
  static size_t bytes_of(size_t elements, config::ResidualType type);

 private:
  size_t elements_;
  config::ResidualType type_;
  bool pending_ = false;
  // The system hands such memory out cleared, when it is touched.
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::byte[], Free> bytes_;
};

// The residuals of one comm. For its own thread.
class Residuals {
 public:
  Residuals(ResidualBudget& budget, config::ResidualType type) : budget_(budget), type_(type) {}
  Residuals(const Residuals&) = delete;
  Residuals& operator=(const Residuals&) = delete;
  ~Residuals();

  // Null where memory is short: then nothing may be left out. Where the count has changed the old values mean
  // nothing, and it begins anew. now: number of the call that asks. Valid until the next find().
  Residual* find(const ResidualKey& key, size_t elements, uint64_t now);
  // Null where there is none yet.
  Residual* existing(const ResidualKey& key, size_t elements);

 private:
  struct KeyHash {
    size_t operator()(const ResidualKey& key) const {
      return key.identity ^ (uint64_t{key.call} * 0x9e3779b97f4a7c15U) ^ key.phase;
    }
  };
  struct Entry {
    ResidualKey key;
    Residual residual;
    uint64_t used = 0;  // call that used it last
  };

  void drop(std::list<Entry>::iterator entry);
  // Drops what has not been used for so long that its collective is over, least recent first.
  bool make_room(size_t bytes, uint64_t now);

  ResidualBudget& budget_;
  config::ResidualType type_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<ResidualKey, std::list<Entry>::iterator, KeyHash> by_key_;
};

}  // namespace netsense::collnet
