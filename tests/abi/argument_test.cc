// What NCCL never does but a broken host, a fuzzer or another version may: each gets an error code, not a
// crash. The exported tables are called directly here, without the host engine's adapters.
#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <type_traits>

#include "plugin/abi/net_v12.h"
#include "plugin/abi/net_v6.h"
#include "plugin/abi/net_v8.h"
#include "tests/abi/environment.h"
#include "tests/abi/net_api.h"
#include "tests/catch.h"

namespace netsense::testing {
namespace {

using abi::Result;

template <int kNumber, typename TableType, typename PropertiesType>
struct Version {
  static constexpr int kVersion = kNumber;
  using Table = TableType;
  using Properties = PropertiesType;
};
using V6 = Version<6, abi::NetV6, abi::NetPropertiesV6>;
using V7 = Version<7, abi::NetV7, abi::NetPropertiesV7>;
using V8 = Version<8, abi::NetV8, abi::NetPropertiesV8>;
using V9 = Version<9, abi::NetV9, abi::NetPropertiesV9>;
using V10 = Version<10, abi::NetV10, abi::NetPropertiesV10>;
using V11 = Version<11, abi::NetV11, abi::NetPropertiesV11>;
using V12 = Version<12, abi::NetV12, abi::NetPropertiesV12>;

// The raw calls whose form depends on the version.
template <typename V>
class RawNet {
 public:
  RawNet() : library_(open_library(library_path())) {
    const std::string symbol = "ncclNetPlugin_v" + std::to_string(V::kVersion);
    table_ = static_cast<const typename V::Table*>(dlsym(library_.get(), symbol.c_str()));
    if (table_ == nullptr) throw std::runtime_error("no symbol " + symbol);
  }
  [[nodiscard]] const typename V::Table& table() const { return *table_; }

  Result init(void** context) const {
    if constexpr (V::kVersion >= 11) {
      abi::NetConfigV11 config{abi::kUndefined};
      return table_->init(context, 1, &config, nullptr, nullptr);
    } else if constexpr (V::kVersion == 10) {
      return table_->init(nullptr, nullptr);
    } else {
      return table_->init(nullptr);
    }
  }
  Result finalize(void* context) const {
    if constexpr (V::kVersion >= 11) return table_->finalize(context);
    return Result::kOk;
  }
  Result listen(void* context, int device, void* handle, void** listener) const {
    if constexpr (V::kVersion >= 11)
      return table_->listen(context, device, handle, listener);
    else
      return table_->listen(device, handle, listener);
  }
  Result connect(void* context, int device, void* handle, void** comm) const {
    abi::NetDeviceHandle* offload = nullptr;
    if constexpr (V::kVersion >= 11)
      return table_->connect(context, device, handle, comm, &offload);
    else if constexpr (V::kVersion == 10)
      return table_->connect(device, nullptr, handle, comm, &offload);
    else if constexpr (V::kVersion >= 7)
      return table_->connect(device, handle, comm, &offload);
    else
      return table_->connect(device, handle, comm);
  }
  Result accept(void* listener, void** comm) const {
    if constexpr (V::kVersion >= 7)
      return table_->accept(listener, comm, nullptr);
    else
      return table_->accept(listener, comm);
  }
  using Size = std::conditional_t<(V::kVersion >= 9), size_t, int>;
  Result isend(void* comm, void* data, Size bytes, void** request) const {
    if constexpr (V::kVersion >= 10)
      return table_->isend(comm, data, bytes, 0, nullptr, nullptr, request);
    else
      return table_->isend(comm, data, bytes, 0, nullptr, request);
  }
  Result irecv(void* comm, int count, void** data, Size* bytes, void** request) const {
    if constexpr (V::kVersion >= 10) {
      return table_->irecv(comm, count, data, bytes, nullptr, nullptr, nullptr, request);
    } else {
      return table_->irecv(comm, count, data, bytes, nullptr, nullptr, request);
    }
  }

 private:
  Library library_;
  const typename V::Table* table_ = nullptr;
};

// A comm to give bad arguments to.
template <typename V>
class RawReceiver {
 public:
  explicit RawReceiver(const RawNet<V>& net) : net_(net) {
    engine::Handle handle{};
    require(net.init(&context_), "init");
    require(net.listen(context_, 0, handle.data(), &listener_), "listen");
    poll_until("connect and accept", [&] {
      if (send_comm_ == nullptr) require(net.connect(context_, 0, handle.data(), &send_comm_), "connect");
      if (recv_comm_ == nullptr) require(net.accept(listener_, &recv_comm_), "accept");
      return send_comm_ != nullptr && recv_comm_ != nullptr;
    });
  }
  RawReceiver(const RawReceiver&) = delete;
  RawReceiver& operator=(const RawReceiver&) = delete;
  ~RawReceiver() {
    static_cast<void>(net_.table().close_send(send_comm_));
    static_cast<void>(net_.table().close_recv(recv_comm_));
    static_cast<void>(net_.table().close_listen(listener_));
    static_cast<void>(net_.finalize(context_));
  }
  [[nodiscard]] void* send_comm() const { return send_comm_; }
  [[nodiscard]] void* recv_comm() const { return recv_comm_; }

 private:
  static void require(Result result, const char* what) { check(static_cast<ns_result>(result), what); }
  const RawNet<V>& net_;
  void* context_ = nullptr;
  void* listener_ = nullptr;
  void* send_comm_ = nullptr;
  void* recv_comm_ = nullptr;
};

}  // namespace

TEMPLATE_TEST_CASE("init works without a logger, and more than once", "", V6, V7, V8, V9, V10, V11, V12) {
  const RawNet<TestType> net;
  void* first = nullptr;
  void* second = nullptr;
  REQUIRE(net.init(&first) == Result::kOk);
  REQUIRE(net.init(&second) == Result::kOk);
  int before = 0;
  CHECK(net.table().devices(&before) == Result::kOk);
  CHECK(before >= 1);
  CHECK(net.finalize(first) == Result::kOk);
  int after = 0;
  CHECK(net.table().devices(&after) == Result::kOk);
  CHECK(after == before);
  CHECK(net.finalize(second) == Result::kOk);
}

TEMPLATE_TEST_CASE("an unknown device is an error", "", V6, V7, V8, V9, V10, V11, V12) {
  const RawNet<TestType> net;
  void* context = nullptr;
  REQUIRE(net.init(&context) == Result::kOk);
  int devices = 0;
  REQUIRE(net.table().devices(&devices) == Result::kOk);
  for (const int device : {-1, devices, 1 << 30}) {
    CAPTURE(device);
    typename TestType::Properties properties{};
    engine::Handle handle{};
    void* made = nullptr;
    CHECK(net.table().get_properties(device, &properties) != Result::kOk);
    CHECK(net.listen(context, device, handle.data(), &made) != Result::kOk);
    CHECK(net.connect(context, device, handle.data(), &made) != Result::kOk);
    CHECK(made == nullptr);
  }
  CHECK(net.finalize(context) == Result::kOk);
}

TEMPLATE_TEST_CASE("null arguments are errors", "", V6, V7, V8, V9, V10, V11, V12) {
  const RawNet<TestType> net;
  const RawReceiver<TestType> receiver(net);
  engine::Handle handle{};
  void* made = nullptr;
  void* data = &made;
  typename RawNet<TestType>::Size bytes = sizeof made;
  int done = 0;

  if constexpr (TestType::kVersion >= 11) CHECK(net.init(nullptr) != Result::kOk);
  CHECK(net.table().devices(nullptr) != Result::kOk);
  CHECK(net.table().get_properties(0, nullptr) != Result::kOk);
  CHECK(net.listen(nullptr, 0, nullptr, &made) != Result::kOk);
  CHECK(net.listen(nullptr, 0, handle.data(), nullptr) != Result::kOk);
  CHECK(net.connect(nullptr, 0, nullptr, &made) != Result::kOk);
  CHECK(net.connect(nullptr, 0, handle.data(), nullptr) != Result::kOk);
  CHECK(net.accept(nullptr, &made) != Result::kOk);
  CHECK(net.table().reg_mr(nullptr, data, bytes, abi::kPtrHost, &made) != Result::kOk);
  CHECK(net.table().reg_mr(receiver.recv_comm(), data, bytes, abi::kPtrHost, nullptr) != Result::kOk);
  CHECK(net.table().dereg_mr(nullptr, nullptr) != Result::kOk);
  CHECK(net.isend(nullptr, data, bytes, &made) != Result::kOk);
  CHECK(net.isend(receiver.send_comm(), data, bytes, nullptr) != Result::kOk);
  CHECK(net.irecv(nullptr, 1, &data, &bytes, &made) != Result::kOk);
  CHECK(net.irecv(receiver.recv_comm(), 1, nullptr, &bytes, &made) != Result::kOk);
  CHECK(net.irecv(receiver.recv_comm(), 1, &data, nullptr, &made) != Result::kOk);
  CHECK(net.irecv(receiver.recv_comm(), 1, &data, &bytes, nullptr) != Result::kOk);
  CHECK(net.table().iflush(nullptr, 1, &data, nullptr, nullptr, &made) != Result::kOk);
  CHECK(net.table().iflush(receiver.recv_comm(), 1, &data, nullptr, nullptr, nullptr) != Result::kOk);
  CHECK(net.table().test(nullptr, &done, nullptr) != Result::kOk);
  CHECK(made == nullptr);
  // Nothing to close is nothing to complain about.
  CHECK(net.table().close_send(nullptr) == Result::kOk);
  CHECK(net.table().close_recv(nullptr) == Result::kOk);
  CHECK(net.table().close_listen(nullptr) == Result::kOk);
}

TEMPLATE_TEST_CASE("bad numbers of buffers and bad sizes are errors", "", V6, V7, V8, V9, V10, V11, V12) {
  const RawNet<TestType> net;
  const RawReceiver<TestType> receiver(net);
  void* made = nullptr;
  void* data[64];
  std::fill(std::begin(data), std::end(data), &made);
  typename RawNet<TestType>::Size bytes[64] = {};
  for (const int count : {-1, 0, 64}) {
    CAPTURE(count);
    CHECK(net.irecv(receiver.recv_comm(), count, data, bytes, &made) != Result::kOk);
  }
  // Negative for v6 to v8, more than 1 GiB for the others.
  bytes[0] = static_cast<typename RawNet<TestType>::Size>(-1);
  CHECK(net.isend(receiver.send_comm(), &made, bytes[0], &made) != Result::kOk);
  CHECK(net.irecv(receiver.recv_comm(), 1, data, bytes, &made) != Result::kOk);
  CHECK(made == nullptr);
}

TEMPLATE_TEST_CASE("leftovers in *request mean nothing", "", V6, V7, V8, V9, V10, V11, V12) {
  const RawNet<TestType> net;
  const RawReceiver<TestType> receiver(net);
  char from = 'x';
  char to = 0;
  void* data = &to;
  typename RawNet<TestType>::Size bytes = 1;
  // The hint itself, NCCL's next flag, and the address of something long gone.
  for (const uintptr_t leftover : {uintptr_t{0x1}, uintptr_t{0x2}, uintptr_t{0xdead0000}}) {
    CAPTURE(leftover);
    auto* receive = reinterpret_cast<void*>(leftover);
    auto* send = reinterpret_cast<void*>(leftover);
    to = 0;
    REQUIRE(net.irecv(receiver.recv_comm(), 1, &data, &bytes, &receive) == Result::kOk);
    REQUIRE(receive != nullptr);
    REQUIRE(net.isend(receiver.send_comm(), &from, 1, &send) == Result::kOk);
    REQUIRE(send != nullptr);
    int sent = 0;
    int received = 0;
    poll_until("transfer", [&] {
      if (sent == 0) CHECK(net.table().test(send, &sent, nullptr) == Result::kOk);
      if (received == 0) CHECK(net.table().test(receive, &received, nullptr) == Result::kOk);
      return sent != 0 && received != 0;
    });
    CHECK(to == 'x');
  }
}

TEMPLATE_TEST_CASE("DMA-BUF is neither offered nor taken", "", V6, V7, V8, V9, V10, V11, V12) {
  const RawNet<TestType> net;
  const RawReceiver<TestType> receiver(net);
  typename TestType::Properties properties{};
  REQUIRE(net.table().get_properties(0, &properties) == Result::kOk);
  CHECK((properties.ptr_support & abi::kPtrDmaBuf) == 0);
  char data = 0;
  void* region = &data;
  CHECK(net.table().reg_mr_dma_buf(receiver.recv_comm(), &data, 1, abi::kPtrDmaBuf, 0, -1, &region) !=
        Result::kOk);
  CHECK(region == nullptr);
}

}  // namespace netsense::testing
