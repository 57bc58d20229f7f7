#include "tools/info/self_test.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <thread>

#include "plugin/abi/net_v12.h"
#include "tools/info/log_lines.h"

namespace netsense::info {
namespace {

using Clock = std::chrono::steady_clock;
using Net = abi::NetV12;
using std::chrono::milliseconds;

// Nothing, less than a header, more than one frame by one byte, several frames.
constexpr std::array<size_t, 4> kSizes{0, 1, (size_t{64} << 10) + 1, size_t{4} << 20};

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

void check(Status status, const char* call) {
  if (status != Status::kOk) fail(fmt::format("{} returned error {}", call, static_cast<int>(status)));
}

// Calls `step` until it returns true.
void poll_until(const std::function<bool()>& step, milliseconds limit, const char* what) {
  const auto deadline = Clock::now() + limit;
  while (!step()) {
    if (Clock::now() >= deadline) fail(fmt::format("{} did not finish within {} ms", what, limit.count()));
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

// Anything the plugin handed out, given back by the function that NCCL would use.
class Owned {
 public:
  explicit Owned(abi::NetClose close) : close_(close) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (object != nullptr) (void)close_(object);
  }
  void* object = nullptr;

 private:
  abi::NetClose close_;
};

// The two ends of one connection.
struct Connection {
  explicit Connection(const Net& net) : listener(net.close_listen), sender(net.close_send), receiver(net.close_recv) {}
  Owned listener;
  Owned sender;
  Owned receiver;
};

void connect(const Net& net, void* context, int device, milliseconds limit, Connection* connection) {
  std::array<std::byte, abi::kNetHandleBytes> handle{};
  check(net.listen(context, device, handle.data(), &connection->listener.object), "listen");
  poll_until(
      [&] {
        abi::NetDeviceHandle* unused = nullptr;
        if (connection->sender.object == nullptr) {
          check(net.connect(context, device, handle.data(), &connection->sender.object, &unused), "connect");
        }
        if (connection->receiver.object == nullptr) {
          check(net.accept(connection->listener.object, &connection->receiver.object, &unused), "accept");
        }
        return connection->sender.object != nullptr && connection->receiver.object != nullptr;
      },
      limit, "connecting");
}

// A buffer that is registered on a comm while it lives.
class Buffer {
 public:
  Buffer(const Net& net, void* comm, size_t bytes) : net_(net), comm_(comm), bytes_(bytes) {
    check(net.reg_mr(comm, bytes_.data(), bytes_.size(), abi::kPtrHost, &region_), "regMr");
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { (void)net_.dereg_mr(comm_, region_); }

  std::vector<std::byte>& bytes() { return bytes_; }
  void* region() { return region_; }

 private:
  const Net& net_;
  void* comm_;
  std::vector<std::byte> bytes_;
  void* region_ = nullptr;
};

std::byte pattern(size_t position, size_t size) { return static_cast<std::byte>((position * 131 + size * 7) >> 3); }

void transfer(const Net& net, const Connection& connection, size_t size, milliseconds limit) {
  // Registering nothing is no case of NCCL's, so the buffers have room for at least one byte.
  Buffer from(net, connection.sender.object, size + 1);
  Buffer into(net, connection.receiver.object, size + 1);
  for (size_t i = 0; i < size; ++i) from.bytes()[i] = pattern(i, size);
  void* data = into.bytes().data();
  size_t room = size;
  int tag = 0;
  void* region = into.region();
  void* no_parent = nullptr;
  void* receiving = nullptr;
  void* sending = nullptr;
  std::optional<int> sent;
  std::optional<int> received;
  const auto ask = [&](void* request, std::optional<int>* bytes) {
    if (request == nullptr || bytes->has_value()) return;
    int done = 0;
    int count = 0;
    check(net.test(request, &done, &count), "test");
    if (done != 0) *bytes = count;
  };
  poll_until(
      [&] {
        if (receiving == nullptr) {
          check(net.irecv(connection.receiver.object, 1, &data, &room, &tag, &region, &no_parent, &receiving), "irecv");
        }
        if (sending == nullptr) {
          check(net.isend(connection.sender.object, from.bytes().data(), size, tag, from.region(), nullptr, &sending),
                "isend");
        }
        ask(receiving, &received);
        ask(sending, &sent);
        return sent.has_value() && received.has_value();
      },
      limit, "a message");
  if (static_cast<size_t>(*received) != size) fail(fmt::format("{} of {} bytes arrived", *received, size));
  for (size_t i = 0; i < size; ++i) {
    if (into.bytes()[i] != pattern(i, size)) fail(fmt::format("byte {} of {} arrived changed", i, size));
  }
}

std::string name_of(const Net& net, int device) {
  abi::NetPropertiesV12 properties{};
  check(net.get_properties(device, &properties), "getProperties");
  return properties.name;
}

DeviceTest test_device(const Net& net, void* context, int device, milliseconds limit) {
  DeviceTest result{fmt::format("device {}", device), false, ""};
  try {
    result.device = name_of(net, device);
    Connection connection(net);
    connect(net, context, device, limit, &connection);
    for (const size_t size : kSizes) {
      transfer(net, connection, size, limit);
      result.detail += fmt::format("{}{}", result.detail.empty() ? "messages of " : ", ", size);
    }
    result.detail += " bytes arrived unchanged";
    result.passed = true;
  } catch (const std::exception& error) {
    result.detail = error.what();
  }
  return result;
}

void test_all(Net& net, milliseconds limit, SelfTest* test) {
  void* context = nullptr;
  abi::NetConfigV12 config{abi::kUndefined};
  check(net.init(&context, 0, &config, line_collector(), nullptr), "init");
  int count = 0;
  check(net.devices(&count), "devices");
  if (count <= 0) fail("the plugin offers no device");
  test->passed = true;
  for (int device = 0; device < count; ++device) {
    test->devices.push_back(test_device(net, context, device, limit));
    test->passed = test->passed && test->devices.back().passed;
  }
  check(net.finalize(context), "finalize");
}

}  // namespace

SelfTest run_self_test(const Loaded& plugin, milliseconds limit) {
  SelfTest test;
  auto* net = static_cast<Net*>(plugin.symbol("ncclNetPlugin_v12"));
  if (net == nullptr) {
    test.error = "the library exports no ncclNetPlugin_v12";
    return test;
  }
  try {
    test_all(*net, limit, &test);
  } catch (const std::exception& error) {
    test.passed = false;
    test.error = error.what();
  }
  test.log = collected_lines();
  return test;
}

}  // namespace netsense::info
