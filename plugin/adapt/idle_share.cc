#include "plugin/adapt/idle_share.h"

#include <algorithm>

namespace netsense::adapt {

void IdleShare::add(const Burst& burst) {
  open_raw_ += burst.raw_bytes;
  ++open_parts_;
  if (!burst.over) return;
  entries_[next_] = {open_raw_, burst.idle_seconds};
  next_ = (next_ + 1) % entries_.size();
  count_ = std::min(count_ + 1, entries_.size());
  open_raw_ = 0;
  open_parts_ = 0;
}

double IdleShare::seconds_per_byte() const {
  double raw = 0;
  double idle = 0;
  double longest = 0;
  double second = 0;
  for (size_t i = 0; i < count_; ++i) {
    raw += entries_[i].raw_bytes;
    idle += entries_[i].idle_seconds;
    second = std::max(second, std::min(longest, entries_[i].idle_seconds));
    longest = std::max(longest, entries_[i].idle_seconds);
  }
  // A burst under way counts by what it has more than others had: its pause is yet to come.
  const double usual = count_ == 0 ? 0 : raw / static_cast<double>(count_);
  raw += std::max(0.0, open_raw_ - usual);
  return raw <= 0 ? 0 : (idle - longest + second) / raw;
}

}  // namespace netsense::adapt
