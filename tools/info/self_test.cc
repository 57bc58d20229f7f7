#include "tools/info/self_test.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "tools/engine/loader/library.h"
#include "tools/engine/loader/net_adapter.h"

namespace netsense::info {
namespace {

using engine::Net;

// On one machine a step takes milliseconds, so this means a hang.
constexpr std::chrono::seconds kHang{30};
constexpr std::byte kUntouched{0xee};

const std::vector<size_t>& message_sizes() {
  static const std::vector<size_t> sizes{0, 1, 8, 4096, 65537, (size_t{1} << 20) + 1, size_t{8} << 20};
  return sizes;
}

void check(ns_result result, const char* call) {
  if (result != ns_success)
    throw std::runtime_error(fmt::format("{} returns {}", call, static_cast<int>(result)));
}

void wait_for(const char* what, const std::function<bool()>& done) {
  const auto limit = std::chrono::steady_clock::now() + kHang;
  while (!done()) {
    if (std::chrono::steady_clock::now() > limit) {
      throw std::runtime_error(fmt::format("{} does not end within {} s", what, kHang.count()));
    }
    std::this_thread::yield();
  }
}

// Something of the plugin's that is given back at the end, also after an error.
class Held {
 public:
  explicit Held(std::function<ns_result(void*)> release) : release_(std::move(release)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (pointer_ != nullptr) static_cast<void>(release_(pointer_));
  }
  [[nodiscard]] void* get() const { return pointer_; }
  [[nodiscard]] void** out() { return &pointer_; }
  void release(const char* call) {
    void* pointer = std::exchange(pointer_, nullptr);
    if (pointer != nullptr) check(release_(pointer), call);
  }

 private:
  std::function<ns_result(void*)> release_;
  void* pointer_ = nullptr;
};

// A connection of the process with itself, in one direction.
class Connection {
 public:
  Connection(Net& net, void* context, int device)
      : net_(net),
        send_([&net](void* comm) { return net.close_send(comm); }),
        recv_([&net](void* comm) { return net.close_recv(comm); }) {
    engine::Handle handle{};
    Held listener([&net](void* open) { return net.close_listen(open); });
    check(net.listen(context, device, &handle, listener.out()), "listen");
    wait_for("connecting", [&] {
      if (send_.get() == nullptr) check(net.connect(context, device, &handle, send_.out()), "connect");
      if (recv_.get() == nullptr) check(net.accept(listener.get(), recv_.out()), "accept");
      return send_.get() != nullptr && recv_.get() != nullptr;
    });
    listener.release("closeListen");
  }

  // The message goes into a buffer that is longer by a little, whose rest must stay as it was.
  std::vector<std::byte> carry(const std::vector<std::byte>& message) {
    std::vector<std::byte> source = message;
    source.reserve(1);  // an address, also for no bytes
    std::vector<std::byte> target(message.size() + 64, kUntouched);
    Held from([this](void* memory) { return net_.deregister_memory(send_.get(), memory); });
    Held into([this](void* memory) { return net_.deregister_memory(recv_.get(), memory); });
    check(net_.register_memory(send_.get(), source.data(), source.size(), engine::MemoryKind::kHost,
                               from.out()),
          "regMr");
    check(net_.register_memory(recv_.get(), target.data(), target.size(), engine::MemoryKind::kHost,
                               into.out()),
          "regMr");
    const size_t received = transfer(source, from.get(), target, into.get());
    from.release("deregMr");
    into.release("deregMr");
    if (received != message.size()) {
      throw std::runtime_error(fmt::format("{} bytes were sent and {} received", message.size(), received));
    }
    const auto rest = target.begin() + static_cast<std::ptrdiff_t>(received);
    if (std::any_of(rest, target.end(), [](std::byte byte) { return byte != kUntouched; })) {
      throw std::runtime_error(fmt::format("bytes behind a message of {} were written to", received));
    }
    target.resize(received);
    return target;
  }

  void close() {
    send_.release("closeSend");
    recv_.release("closeRecv");
  }

 private:
  size_t transfer(std::vector<std::byte>& source, void* from, std::vector<std::byte>& target, void* into) {
    void* receive = nullptr;
    void* data = target.data();
    size_t room = target.size();
    int tag = 0;
    void* phandle = nullptr;
    wait_for("irecv", [&] {
      check(net_.irecv(recv_.get(), {1, &data, &room, &tag, &into, &phandle}, &receive), "irecv");
      return receive != nullptr;
    });
    void* send = nullptr;
    wait_for("isend", [&] {
      check(net_.isend(send_.get(), source.data(), source.size(), tag, from, nullptr, &send), "isend");
      return send != nullptr;
    });
    int received = -1;
    wait_for("a message", [&] {
      test(&send, nullptr);
      test(&receive, &received);
      return send == nullptr && receive == nullptr;
    });
    return static_cast<size_t>(received);
  }

  void test(void** request, int* size) {
    if (*request == nullptr) return;
    int done = 0;
    check(net_.test(*request, &done, size), "test");
    if (done != 0) *request = nullptr;
  }

  Net& net_;
  Held send_;
  Held recv_;
};

// Bytes that repeat only after 2^32, so that a piece in the wrong place is noticed.
std::vector<std::byte> make_message(size_t bytes) {
  std::vector<std::byte> message(bytes);
  uint32_t state = 1;
  for (std::byte& byte : message) {
    state = state * 1664525 + 1013904223;  // Numerical Recipes, 2nd edition, section 7.1
    byte = static_cast<std::byte>(state >> 24);
  }
  return message;
}

void test_device(Net& net, void* context, int device) {
  Connection there(net, context, device);
  Connection back(net, context, device);
  for (const size_t bytes : message_sizes()) {
    const std::vector<std::byte> message = make_message(bytes);
    if (back.carry(there.carry(message)) != message) {
      throw std::runtime_error(fmt::format("a message of {} bytes came back different", bytes));
    }
  }
  there.close();
  back.close();
}

void test_net(Net& net, SelfTest* result) {
  void* context = nullptr;
  check(net.init({.comm_id = 1}, &context), "init");
  int count = 0;
  check(net.devices(&count), "devices");
  if (count <= 0) throw std::runtime_error("the plugin offers no device");
  for (int device = 0; device < count; ++device) {
    engine::DeviceProperties properties;
    check(net.properties(device, &properties), "getProperties");
    result->devices.push_back(properties.name);
    test_device(net, context, device);
  }
  check(net.finalize(context), "finalize");
}

}  // namespace

SelfTest run_self_test(const std::string& library_path) {
  SelfTest result;
  result.run = true;
  result.sizes = message_sizes();
  try {
    std::string problems;
    const engine::Library library = engine::Library::open(engine::PluginKind::kNet, library_path, &problems);
    if (!library.valid()) throw std::runtime_error(problems);
    std::string tried;
    const auto net = engine::find_net(library.handle(), 0, &tried);
    if (net == nullptr) throw std::runtime_error(fmt::format("the library has none of {}", tried));
    result.net_version = net->version();
    test_net(*net, &result);
    result.passed = true;
    result.detail = fmt::format("{} sizes from 0 to {} bytes went there and back on {} through ncclNet v{}",
                                result.sizes.size(), result.sizes.back(), fmt::join(result.devices, ", "),
                                result.net_version);
  } catch (const std::exception& error) {
    result.detail =
        result.devices.empty() ? error.what() : fmt::format("{}: {}", result.devices.back(), error.what());
  }
  return result;
}

}  // namespace netsense::info
