#include "plugin/transport/tcp/tcp_transport.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "plugin/config/auto_values.h"
#include "plugin/core/log.h"
#include "plugin/transport/netif.h"
#include "plugin/transport/tcp/connector.h"
#include "plugin/transport/tcp/handle.h"
#include "plugin/transport/tcp/listener.h"
#include "plugin/transport/tcp/random.h"
#include "plugin/transport/tcp/runtime.h"

namespace netsense::tcp {
namespace {

using transport::DeviceInfo;
using transport::Handle;

Address address_of(const transport::Interface& interface) {
  Address address;
  address.storage = interface.address;
  address.length = interface.address_length;
  address.set_port(0);
  return address;
}

DeviceInfo info_of(const transport::Interface& interface, int port) {
  DeviceInfo info;
  info.name = interface.name;
  info.pci_path = interface.pci_path;
  info.guid = static_cast<uint64_t>(interface.index);
  info.speed_mbps = interface.speed_mbps;
  info.port = port;
  return info;
}

class TcpTransport : public transport::Transport {
 public:
  explicit TcpTransport(const config::Settings& settings)
      : tuning_(resolve(settings, config::usable_cores())) {
    if (sodium_init() < 0) throw std::runtime_error("libsodium cannot be initialised");
    check_congestion();
    interfaces_ = transport::find_interfaces(settings).chosen;
    for (const auto& interface : interfaces_) devices_.push_back(info_of(interface, 0));
  }

  [[nodiscard]] const char* name() const override { return "TCP"; }

  [[nodiscard]] std::string description() const override {
    const auto count = [](int n, const char* what) {
      return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
    };
    const size_t kib = tuning_.block_bytes >> 10;
    const std::string local = tuning_.local_streams == tuning_.streams
                                  ? ""
                                  : fmt::format(" ({} within a host)", tuning_.local_streams);
    return fmt::format("{} per connection{}, {}, blocks of {}, checksums {}",
                       count(tuning_.streams, "stream"), local,
                       tuning_.threads == 0 ? "no helper threads" : count(tuning_.threads, "helper thread"),
                       kib % 1024 == 0 ? fmt::format("{} MiB", kib >> 10) : fmt::format("{} KiB", kib),
                       tuning_.checksum ? "on" : "off");
  }

  [[nodiscard]] std::span<const DeviceInfo> devices() const override { return devices_; }

  Status listen(int device, Handle handle, std::unique_ptr<transport::Listener>* listener) override {
    const Address address = address_of(interfaces_[static_cast<size_t>(device)]);
    HandleContents contents;
    core::Fd socket = open_listener(address, &contents.address);
    if (!socket.valid()) {
      NETSENSE_WARN("cannot listen on {} ({}): {}", interfaces_[static_cast<size_t>(device)].name,
                    to_string(address), std::strerror(errno));
      return Status::kSystemError;
    }
    contents.secret = random_bytes<kSecretBytes>();
    contents.protocol_version = kProtocolVersion;
    write_handle(contents, handle);
    *listener = std::make_unique<TcpListener>(runtime(), std::move(socket), contents.address, contents.secret,
                                              interfaces_[static_cast<size_t>(device)].name);
    return Status::kOk;
  }

  void drop_unfinished() override {
    const std::scoped_lock lock(mutex_);
    connecting_.clear();
  }

  Status connect(int device, Handle handle, std::unique_ptr<transport::SendComm>* comm) override {
    const std::scoped_lock lock(mutex_);
    uint64_t token = connect_token(handle);
    auto found = connecting_.find(token);
    if (found == connecting_.end()) {
      HandleContents target;
      const Status status = read_target(device, handle, &target);
      if (status != Status::kOk) return status;
      forget_abandoned();
      const auto random = random_bytes<sizeof token>();
      std::memcpy(&token, random.data(), sizeof token);
      set_connect_token(handle, token);
      found =
          connecting_
              .try_emplace(token, std::make_unique<Connector>(runtime_locked(), target,
                                                              interfaces_[static_cast<size_t>(device)].name))
              .first;
    }
    const Status status = found->second->poll(comm);
    if (status != Status::kOk || *comm != nullptr) {
      connecting_.erase(found);
      set_connect_token(handle, 0);
    }
    return status;
  }

 private:
  // Said once here; on each connection it would be an error without a name.
  void check_congestion() {
    std::string& name = tuning_.socket.congestion;
    if (name.empty() || congestion_available(name)) return;
    NETSENSE_WARN(
        "NETSENSE_TCP_CONGESTION={} is ignored: this kernel does not offer it to this user (see "
        "net.ipv4.tcp_available_congestion_control); the system's is used",
        name);
    name.clear();
  }

  Status read_target(int device, Handle handle, HandleContents* target) const {
    switch (read_handle(handle, target)) {
      case HandleError::kNone:
        break;
      case HandleError::kForeign:
        NETSENSE_WARN(
            "a peer{} does not run netsense: its connection handle is another network plugin's. Set "
            "NCCL_NET_PLUGIN=netsense on every node and check that the library is found there",
            foreign_peer(handle));
        return Status::kRemoteError;
      case HandleError::kAddress:
        NETSENSE_WARN("a peer's connection handle holds no IPv4 or IPv6 address");
        return Status::kRemoteError;
    }
    if (target->protocol_version != kProtocolVersion) {
      NETSENSE_WARN("cannot connect to peer {}: {}", to_string(target->address),
                    describe(HandshakeError::kVersion, target->protocol_version));
      return Status::kRemoteError;
    }
    // A link-local address means something only together with the interface it is reached through.
    if (target->address.is_link_local()) {
      target->address.set_scope(static_cast<unsigned>(interfaces_[static_cast<size_t>(device)].index));
    }
    return Status::kOk;
  }

  // NCCL's own socket transport keeps the peer's address at the front of its handle, as netsense does.
  static std::string foreign_peer(Handle handle) {
    Address address;
    std::memcpy(&address.storage, handle.data(), sizeof(sockaddr_in6));
    const bool known = address.family() == AF_INET || address.family() == AF_INET6;
    return known ? fmt::format(" ({}, perhaps)", to_string(address)) : "";
  }

  // NCCL does not say so when it stops polling a connection that has not been made.
  void forget_abandoned() {
    std::erase_if(connecting_, [](const auto& entry) { return entry.second->abandoned(); });
  }

  std::shared_ptr<Runtime> runtime() {
    const std::scoped_lock lock(mutex_);
    return runtime_locked();
  }

  std::shared_ptr<Runtime> runtime_locked() {
    std::shared_ptr<Runtime> runtime = runtime_.lock();
    // What a forked child inherits has neither its threads nor its descriptors any more.
    if (runtime == nullptr || runtime_process_ != ::getpid()) {
      runtime = std::make_shared<Runtime>(tuning_);
      runtime_ = runtime;
      runtime_process_ = ::getpid();
    }
    return runtime;
  }

  Tuning tuning_;
  std::vector<transport::Interface> interfaces_;
  std::vector<DeviceInfo> devices_;
  std::mutex mutex_;  // guards what follows
  std::weak_ptr<Runtime> runtime_;
  pid_t runtime_process_ = 0;  // that made it
  std::map<uint64_t, std::unique_ptr<Connector>> connecting_;
};

}  // namespace

std::unique_ptr<transport::Transport> make_transport(const config::Settings& settings) {
  return std::make_unique<TcpTransport>(settings);
}

}  // namespace netsense::tcp
