// User buffers that the network may use directly (ncclCommRegister): known from the call on, registered with
// the plugin on a connection when an operation first uses them there.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tools/engine/proxy/net_setup.h"
#include "tools/engine/proxy/service.h"

namespace netsense::engine {

class Registrations {
 public:
  struct Buffer {
    std::byte* data = nullptr;
    size_t bytes = 0;
    struct OnConnection {
      Connection* connection = nullptr;
      void* memory = nullptr;
    };
    std::vector<OnConnection> uses;  // in the order of registration
  };

  Registrations(NetSetup& setup, ProxyService& service) : setup_(setup), service_(service) {}

  Buffer* add(void* data, size_t bytes);
  // Also deregisters it from all connections, the newest first. Throws ns_invalid_argument for an unknown
  // handle.
  void remove(void* handle);
  // The buffer that holds all of the range, null for none.
  [[nodiscard]] Buffer* find(const void* data, size_t bytes) const;
  // The plugin's handle of the buffer on that connection; registers it when needed. None when the plugin
  // refuses.
  std::optional<void*> on(Buffer& buffer, Connection& connection);

 private:
  NetSetup& setup_;
  ProxyService& service_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
};

}  // namespace netsense::engine
