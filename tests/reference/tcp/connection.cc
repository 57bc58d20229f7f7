#include "tests/reference/tcp/connection.h"

#include <algorithm>

#include "plugin/core/log.h"

namespace netsense::reference {

Status Connection::test(Request* request, bool* done) {
  *done = false;
  if (request->parts_left > 0) {
    if (status_ == Status::kOk) status_ = progress();
    if (request->parts_left > 0) return status_;
  }
  RequestRing::give_back(request);
  *done = true;
  return Status::kOk;
}

Status Connection::judge(Outcome outcome, bool* moved) {
  *moved = outcome == Outcome::kMoved;
  switch (outcome) {
    case Outcome::kMoved:
    case Outcome::kBlocked:
      return Status::kOk;
    case Outcome::kClosed:
      return on_peer_close_ == OnPeerClose::kError ? Status::kRemoteError : Status::kOk;
    case Outcome::kFailed:
      break;
  }
  NETSENSE_WARN("reference plugin: a socket call failed");
  return Status::kSystemError;
}

}  // namespace netsense::reference
