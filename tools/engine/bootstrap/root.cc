#include "tools/engine/bootstrap/root.h"

#include <poll.h>

#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "tools/engine/base/env.h"
#include "tools/engine/base/error.h"
#include "tools/engine/base/logger.h"

namespace netsense::engine {
namespace {

constexpr uint64_t kMagic = 0x3130444953534eULL;  // "NSSID01"

// Fits an ns_unique_id, which has no room for a whole sockaddr_storage.
struct PackedId {
  uint64_t magic;
  uint64_t secret;
  uint32_t length;
  std::array<std::byte, 64> address;
};
static_assert(sizeof(PackedId) <= NS_UNIQUE_ID_BYTES);

struct Member {
  core::Fd fd;
  SocketAddress address;
};

class Root {
 public:
  Root(core::Fd listener, uint64_t secret) : listener_(std::move(listener)), secret_(secret) {}

  void run() {
    try {
      collect();
      hand_out();
    } catch (const EngineError& error) {
      refuse(error.what());
    }
  }

 private:
  void collect() {
    while (expected_ == 0 || members_.size() < static_cast<size_t>(expected_)) {
      std::vector<pollfd> entries{{listener_.get(), POLLIN, 0}};
      std::vector<int> ranks;
      for (const auto& [rank, member] : members_) {
        entries.push_back({member.fd.get(), POLLIN, 0});
        ranks.push_back(rank);
      }
      if (::poll(entries.data(), entries.size(), poll_interval(limits_)) <= 0) continue;
      for (size_t i = 0; i < ranks.size(); ++i) {
        if (entries[i + 1].revents != 0) fail(ns_remote_error, "rank {} went away while joining", ranks[i]);
      }
      if (entries[0].revents != 0) welcome(accept_from(listener_.get()));
    }
  }

  // A stranger, or one that says nothing, is dropped.
  void welcome(core::Fd fd) {
    if (!fd.valid()) return;
    RootHello hello;
    const WaitLimits soon{std::min(limits_.deadline, Clock::now() + std::chrono::seconds(5)), nullptr};
    try {
      if (!receive_all(fd.get(), writable_bytes_of(hello), soon)) return;
    } catch (const EngineError&) {
      return;
    }
    if (hello.secret != secret_) return;
    if (expected_ == 0) expected_ = hello.ranks;
    if (hello.ranks != expected_ || hello.rank < 0 || hello.rank >= expected_ ||
        members_.contains(hello.rank)) {
      const std::string text = fmt::format("rank {} of {} does not fit a communicator of {} ranks",
                                           hello.rank, hello.ranks, expected_);
      members_.try_emplace(-1, Member{std::move(fd), {}});
      fail(ns_invalid_usage, "{}", text);
    }
    members_[hello.rank] = Member{std::move(fd), hello.address};
  }

  void hand_out() {
    std::vector<SocketAddress> table;
    for (const auto& [rank, member] : members_) table.push_back(member.address);
    for (const auto& [rank, member] : members_) {
      send_all(member.fd.get(), bytes_of(RootReply{}), limits_);
      send_all(member.fd.get(), std::as_bytes(std::span(table)), limits_);
    }
  }

  void refuse(const std::string& reason) {
    const RootReply reply{static_cast<uint32_t>(reason.size())};
    const WaitLimits soon{Clock::now() + std::chrono::seconds(1), nullptr};
    for (const auto& [rank, member] : members_) {
      try {
        send_all(member.fd.get(), bytes_of(reply), soon);
        send_all(member.fd.get(), std::as_bytes(std::span(reason)), soon);
      } catch (const EngineError&) {
        log_info(kLogBootstrap, "Bootstrap : could not tell rank {} about: {}", rank, reason);
      }
    }
  }

  core::Fd listener_;
  uint64_t secret_;
  int expected_ = 0;
  std::map<int, Member> members_;
  WaitLimits limits_{Clock::now() + setup_timeout(), nullptr};
};

uint64_t random_number() {
  std::random_device device;
  return (static_cast<uint64_t>(device()) << 32) | device();
}

}  // namespace

ns_unique_id pack_unique_id(const UniqueId& id) {
  PackedId packed{id.magic, id.secret, id.address.length, {}};
  std::memcpy(packed.address.data(), &id.address.storage, id.address.length);
  ns_unique_id out{};
  std::memcpy(out.bytes, &packed, sizeof packed);
  return out;
}

UniqueId unpack_unique_id(const ns_unique_id& id) {
  PackedId packed;
  std::memcpy(&packed, id.bytes, sizeof packed);
  if (packed.magic != kMagic || packed.length > packed.address.size()) {
    fail(ns_invalid_argument, "this is not an id from ns_get_unique_id");
  }
  UniqueId out{packed.magic, packed.secret, {}};
  out.address.length = packed.length;
  std::memcpy(&out.address.storage, packed.address.data(), packed.length);
  return out;
}

UniqueId start_root(const std::string& address) {
  core::Fd listener = listen_at(address.empty() ? choose_address() : resolve_address(address));
  UniqueId id{kMagic, random_number(), local_address(listener.get())};
  log_info(kLogBootstrap, "Bootstrap : root at {}", id.address.text());
  auto root = std::make_shared<Root>(std::move(listener), id.secret);
  std::thread([root] { root->run(); }).detach();
  return id;
}

std::chrono::seconds setup_timeout() {
  return std::chrono::seconds(env_int("NS_ENGINE_TIMEOUT", 300));
}

}  // namespace netsense::engine
