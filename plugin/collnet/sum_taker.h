// Takes the sums that another rank owns, or its part of an all-gather.
#pragma once

#include "plugin/collnet/group.h"

namespace netsense::collnet {

class SumTaker {
 public:
  SumTaker(Group& group, int owner) : group_(group), owner_(owner) {}
  // As far as parts are there. *moved: whether there was one.
  Status advance(bool* moved);

 private:
  Status take(Call& call, const Range& elements, const Part& part);

  Group& group_;
  int owner_;
  Cursor at_;
};

}  // namespace netsense::collnet
