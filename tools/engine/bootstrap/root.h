// Where the ranks of a new communicator meet: the unique id names a listening socket; a thread behind it
// collects the address of every rank and gives the whole table to each.
#pragma once

#include <cstdint>
#include <string>

#include "tools/engine/bootstrap/socket.h"
#include "tools/engine/ns_engine.h"

namespace netsense::engine {

// What an ns_unique_id holds.
struct UniqueId {
  uint64_t magic = 0;
  uint64_t secret = 0;  // tells the connections of this communicator from others; also NCCL's commHash
  SocketAddress address;
};
static_assert(sizeof(SocketAddress) <= 136);

ns_unique_id pack_unique_id(const UniqueId& id);
UniqueId unpack_unique_id(const ns_unique_id& id);  // throws ns_invalid_argument

struct RootHello {
  uint64_t secret = 0;
  int32_t rank = 0;
  int32_t ranks = 0;
  SocketAddress address;  // where this rank listens for the others
};

// In front of the table of addresses; not 0: how long a text with the reason follows instead.
struct RootReply {
  uint32_t error_bytes = 0;
};

// Starts the meeting place at `address` ("host:port", empty: choose) in a thread of its own, which ends when
// the table was handed out or at the time limit.
UniqueId start_root(const std::string& address);

// NS_ENGINE_TIMEOUT in seconds: how long ranks wait for each other while joining and setting up.
std::chrono::seconds setup_timeout();

}  // namespace netsense::engine
