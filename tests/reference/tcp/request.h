// One isend, irecv or iflush, and the fixed set of them that a connection has.
#pragma once

#include <array>
#include <cstddef>

namespace netsense::reference {

class Connection;

inline constexpr int kMaxRequests = 32;        // NCCL_NET_MAX_REQUESTS
inline constexpr int kMaxGroupedReceives = 8;  // NCCL_NET_IB_MAX_RECVS, the most NCCL groups

// One buffer of a request. Sends and plain receives have one, grouped receives several.
struct Part {
  std::byte* data = nullptr;
  size_t room = 0;   // bytes to send, or the most that may arrive
  size_t bytes = 0;  // bytes of the message, once known
  int tag = 0;
  bool taken = false;              // a message is arriving, or has arrived, for this part
  void* profiler_event = nullptr;  // open event of the profiler, if any
};

struct Request {
  Connection* connection = nullptr;
  std::array<Part, kMaxGroupedReceives> parts;
  int part_count = 0;
  int parts_left = 0;  // 0: done
  bool in_use = false;
};

// Requests in the order they were posted.
class RequestRing {
 public:
  // Null when all are in use.
  Request* take(Connection* connection, int part_count);
  static void give_back(Request* request) { request->in_use = false; }

 private:
  std::array<Request, kMaxRequests> requests_;
  size_t next_ = 0;
};

}  // namespace netsense::reference
