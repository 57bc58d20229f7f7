#include "tests/reference/tcp/request.h"

namespace netsense::reference {

Request* RequestRing::take(Connection* connection, int part_count) {
  for (size_t tried = 0; tried < requests_.size(); ++tried) {
    Request& candidate = requests_[next_];
    next_ = (next_ + 1) % requests_.size();
    if (candidate.in_use) continue;
    candidate.connection = connection;
    candidate.part_count = part_count;
    candidate.parts_left = part_count;
    candidate.in_use = true;
    for (int i = 0; i < part_count; ++i) candidate.parts[static_cast<size_t>(i)] = Part{};
    return &candidate;
  }
  return nullptr;
}

}  // namespace netsense::reference
