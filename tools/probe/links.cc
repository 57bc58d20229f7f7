#include "tools/probe/links.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <random>

#include "tools/perf/error.h"
#include "tools/probe/wire.h"

namespace netsense::mesh {
namespace {

using perf::Deadline;
using perf::Error;
using perf::Socket;

// A connection that does not say hello by then is a stranger's.
constexpr std::chrono::seconds kHelloLimit{2};

uint64_t random_token() {
  std::random_device source;
  return (static_cast<uint64_t>(source()) << 32) | source();
}

std::string remote_name(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  char host[NI_MAXHOST] = "?";
  if (getpeername(socket.fd(), reinterpret_cast<sockaddr*>(&address), &length) == 0)
    getnameinfo(reinterpret_cast<const sockaddr*>(&address), length, host, sizeof host, nullptr, 0,
                NI_NUMERICHOST);
  return host;
}

// None when what comes is no greeting of this run.
std::optional<Hello> receive_hello(const Socket& socket, uint64_t token, Deadline deadline) {
  std::vector<std::byte> bytes(kFrameBytes);
  socket.receive_all(bytes, deadline);
  const std::optional<Message> message = parse_message(bytes);
  if (!message) return std::nullopt;
  const Hello* hello = std::get_if<Hello>(&*message);
  if (hello == nullptr || hello->token != token) return std::nullopt;
  return *hello;
}

}  // namespace

Links::Links(Host host, perf::Rendezvous& rendezvous, std::chrono::seconds timeout)
    : rank_(rendezvous.rank()), timeout_(timeout), listener_(perf::listen_on({host.address, 0})) {
  token_ = rendezvous.all_gather_value(random_token())[0];
  const auto mine = encode(Announcement{std::move(host), perf::local_port(listener_)});
  for (const perf::Bytes& bytes : rendezvous.all_gather(mine)) {
    const std::optional<Message> message = parse_message(bytes);
    const auto* announcement = message ? std::get_if<Announcement>(&*message) : nullptr;
    if (announcement == nullptr) {
      throw Error("rank {} says nothing sensible about its address: do all ranks run the same version?",
                  hosts_.size());
    }
    hosts_.push_back(announcement->host);
    ports_.push_back(announcement->port);
  }
  std::vector<int> higher;
  std::vector<int> lower;
  for (int rank = 0; rank < rendezvous.ranks(); ++rank) {
    if (rank != rank_) (rank > rank_ ? higher : lower).push_back(rank);
  }
  LoadConnections found = connect(higher, lower, false);
  for (SocketOfRank* sockets : {&found.to, &found.from}) {
    for (auto& [rank, socket] : *sockets) peers_[rank].messages = std::move(socket);
  }
}

Links::LoadConnections Links::connect_load(const std::vector<int>& targets, const std::vector<int>& sources) {
  return connect(targets, sources, true);
}

// Connecting and greeting needs nothing from the other side but its listener, so that two that connect with
// each other do not wait for each other.
Links::LoadConnections Links::connect(const std::vector<int>& targets, const std::vector<int>& sources,
                                      bool bulk) {
  const Deadline deadline = std::chrono::steady_clock::now() + timeout_;
  LoadConnections found;
  for (const int rank : targets) {
    try {
      Socket socket = perf::connect_to(address_of(rank), deadline);
      greet(socket, bulk, deadline);
      found.to.emplace(rank, std::move(socket));
    } catch (const Error& error) {
      throw Error("{}: {}", name(rank), error.what());
    }
  }
  for (const int rank : sources) found.from[rank];
  const auto missing = [](const auto& entry) { return !entry.second.is_open(); };
  while (std::any_of(found.from.begin(), found.from.end(), missing)) accept_one(found.from, bulk, deadline);
  for (const auto& [rank, socket] : found.to) check_greeting(rank, socket, bulk, deadline);
  return found;
}

void Links::accept_one(SocketOfRank& expected, bool bulk, Deadline deadline) {
  Socket socket = perf::accept_from(listener_, deadline);
  if (!socket.is_open()) {
    std::string missing;
    for (const auto& [rank, known] : expected) {
      if (!known.is_open()) missing += (missing.empty() ? "" : ", ") + name(rank);
    }
    throw Error("{} did not connect to {} within {} s: does a firewall stand between?", missing,
                perf::format_address(address_of(rank_)), timeout_.count());
  }
  std::string reason = "it is not a rank of this run";
  try {
    const auto limit = std::min(deadline, std::chrono::steady_clock::now() + kHelloLimit);
    const std::optional<Hello> hello = receive_hello(socket, token_, limit);
    const auto place =
        hello && hello->bulk == bulk ? expected.find(static_cast<int>(hello->rank)) : expected.end();
    if (place != expected.end() && !place->second.is_open()) {
      greet(socket, bulk, deadline);
      place->second = std::move(socket);
      return;
    }
  } catch (const Error& error) {
    reason = error.what();
  }
  fmt::print(stderr, "netsense-probe: dropped a connection from {}: {}\n", remote_name(socket), reason);
}

void Links::greet(const Socket& socket, bool bulk, Deadline deadline) const {
  socket.send_all(encode(Hello{.token = token_, .rank = static_cast<uint32_t>(rank_), .bulk = bulk}),
                  deadline);
}

void Links::check_greeting(int rank, const Socket& socket, bool bulk, Deadline deadline) const {
  std::optional<Hello> hello;
  try {
    hello = receive_hello(socket, token_, deadline);
  } catch (const Error& error) {
    throw Error("{} at {}: {}", name(rank), perf::format_address(address_of(rank)), error.what());
  }
  if (!hello || static_cast<int>(hello->rank) != rank || hello->bulk != bulk) {
    throw Error("{}: what answers at {} is not this rank: do two hosts share an address?", name(rank),
                perf::format_address(address_of(rank)));
  }
}

// A link-local address is valid together with an interface, and here that is one of this host.
perf::Address Links::address_of(int rank) const {
  const Host& host = hosts_[static_cast<size_t>(rank)];
  std::string address = host.address;
  const size_t scope = address.find('%');
  if (scope != std::string::npos)
    address = address.substr(0, scope + 1) + hosts_[static_cast<size_t>(rank_)].interface;
  return {address, ports_[static_cast<size_t>(rank)]};
}

}  // namespace netsense::mesh
