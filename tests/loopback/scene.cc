#include "tests/loopback/scene.h"

#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <stdexcept>

#include "tests/abi/environment.h"

namespace netsense::testing {
namespace {

struct Log {
  std::mutex mutex;
  std::vector<std::string> warnings;
};

Log& the_log() {
  static Log log;
  return log;
}

}  // namespace

void remember(int level, unsigned long /*flags*/, const char* /*file*/, int /*line*/, const char* format,
              ...) {
  if (level != static_cast<int>(LogLevel::kWarn)) return;
  std::array<char, 2048> text{};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  const std::scoped_lock lock(the_log().mutex);
  the_log().warnings.emplace_back(text.data());
}

std::vector<std::string> warnings() {
  const std::scoped_lock lock(the_log().mutex);
  return the_log().warnings;
}

void clear_warnings() {
  const std::scoped_lock lock(the_log().mutex);
  the_log().warnings.clear();
}

bool warned_of(const std::string& text) {
  for (const std::string& warning : warnings()) {
    if (warning.find(text) != std::string::npos) return true;
  }
  return false;
}

Library12::Library12(abi::DebugLogger logger) : library_(open_library(library_path())) {
  table_ = static_cast<const abi::NetV12*>(dlsym(library_.get(), "ncclNetPlugin_v12"));
  if (table_ == nullptr) throw std::runtime_error("the library has no ncclNetPlugin_v12");
  abi::NetConfigV12 config{};
  if (table_->init(&context_, 1, &config, logger, nullptr) != Result::kOk) throw std::runtime_error("init");
  clear_warnings();
}

Library12::~Library12() {
  static_cast<void>(table_->finalize(context_));
}

void* Library12::listen(HandleBytes* handle) const {
  void* listener = nullptr;
  if (table_->listen(context_, 0, handle->data(), &listener) != Result::kOk)
    throw std::runtime_error("listen");
  return listener;
}

Result Library12::connect(HandleBytes* handle, void** comm) const {
  Result result = Result::kOk;
  poll_until("connect", [&] {
    result = table_->connect(context_, 0, handle->data(), comm, nullptr);
    return result != Result::kOk || *comm != nullptr;
  });
  return result;
}

Result Library12::accept(void* listener, void** comm) const {
  Result result = Result::kOk;
  poll_until("accept", [&] {
    result = table_->accept(listener, comm, nullptr);
    return result != Result::kOk || *comm != nullptr;
  });
  return result;
}

void Library12::pair(void** send_comm, void** recv_comm,
                     const std::function<void(HandleBytes*)>& reroute) const {
  HandleBytes handle{};
  void* listener = listen(&handle);
  if (reroute) reroute(&handle);
  const bool good = connect(&handle, send_comm) == Result::kOk && accept(listener, recv_comm) == Result::kOk;
  static_cast<void>(table_->close_listen(listener));
  if (!good) throw std::runtime_error("no connection");
}

void* Library12::register_memory(void* comm, const std::vector<uint8_t>& data) const {
  void* region = nullptr;
  if (table_->reg_mr(comm, const_cast<uint8_t*>(data.data()), data.size(), abi::kPtrHost, &region) !=
      Result::kOk) {
    throw std::runtime_error("regMr");
  }
  return region;
}

void* Library12::post_send(void* comm, const std::vector<uint8_t>& data, void* region) const {
  void* request = nullptr;
  if (table_->isend(comm, const_cast<uint8_t*>(data.data()), data.size(), 0, region, nullptr, &request) !=
      Result::kOk) {
    return nullptr;
  }
  return request;
}

void* Library12::post_recv(void* comm, std::vector<uint8_t>* data, bool polled) const {
  // A number in the place of a pointer, as NCCL has it.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  void* request = polled ? reinterpret_cast<void*>(abi::kOptionalRecvCompletion) : nullptr;
  void* buffer = data->data();
  size_t bytes = data->size();
  int tag = 0;
  void* region = nullptr;
  if (table_->irecv(comm, 1, &buffer, &bytes, &tag, &region, nullptr, &request) != Result::kOk)
    return nullptr;
  return request;
}

Result Library12::wait(void* request, int* bytes) const {
  Result result = Result::kOk;
  int done = 0;
  int size = 0;
  poll_until("test", [&] {
    result = table_->test(request, &done, &size);
    return result != Result::kOk || done != 0;
  });
  if (bytes != nullptr) *bytes = size;
  return result;
}

Ends::Ends(const Library12& library, const std::function<void(HandleBytes*)>& reroute) : net(library) {
  net.pair(&send, &recv, reroute);
}

Ends::~Ends() {
  static_cast<void>(net->close_send(send));
  static_cast<void>(net->close_recv(recv));
}

int call(const HandleBytes& handle) {
  sockaddr_in address{};
  std::memcpy(&address, handle.data(), sizeof address);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
  ::close(fd);
  return -1;
}

}  // namespace netsense::testing
