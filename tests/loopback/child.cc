// A rank of its own, for what is decided once per process. Says what it did on its exit status; the plugin's
// log goes to stderr.
//
//   loopback_child comm-error     meets an error of a comm; 0 when it got to the end all the same
//   loopback_child send HANDLE    sends some messages to the listener of a handle, given in hexadecimal
//   loopback_child unprivileged   moves messages without a capability and without memory that may be locked
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "plugin/core/log_level.h"
#include "tests/loopback/traffic.h"

namespace netsense::testing {
namespace {

void print(int level, unsigned long /*flags*/, const char* /*file*/, int /*line*/, const char* format, ...) {
  if (level != static_cast<int>(LogLevel::kWarn)) return;
  va_list arguments;
  va_start(arguments, format);
  (void)std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  (void)std::fputc('\n', stderr);
}

// A receive too small for its message: an error of the comm.
bool meet_comm_error() {
  const Library12 net(print);
  std::vector<uint8_t> small(10);
  const auto data = pattern(100, 1);
  const Ends ends(net);
  void* received = net.post_recv(ends.recv, &small);
  (void)net.post_send(ends.send, data);
  return net.wait(received) == Result::kInvalidUsage;
}

void drop_privileges() {
  const rlimit none{0, 0};
  if (::setrlimit(RLIMIT_MEMLOCK, &none) != 0) throw std::runtime_error("setrlimit");
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> empty{};
  if (::syscall(SYS_capset, &header, empty.data()) != 0) throw std::runtime_error("capset");
  // The proof that it took: this is what a plugin that pins memory would meet. Not mlock(), which the
  // sanitizers make succeed without doing anything.
  std::array<char, 4096> page;
  if (::syscall(SYS_mlock, page.data(), page.size()) == 0)
    throw std::runtime_error("memory can still be locked");
}

bool transfer_unprivileged() {
  drop_privileges();
  const Library12 net(print);
  for (const size_t bytes : {size_t{8}, size_t{100000}, size_t{4} << 20}) {
    Traffic traffic(net, bytes);
    traffic.run_until_delivered(3);
    if (traffic.delivered() != 3 || traffic.wrong() != 0) return false;
  }
  // NCCL registers whatever it sends and receives.
  std::vector<uint8_t> buffer(size_t{4} << 20);
  const Ends ends(net);
  void* region = nullptr;
  return net->reg_mr(ends.recv, buffer.data(), buffer.size(), abi::kPtrHost, &region) == Result::kOk &&
         net->dereg_mr(ends.recv, region) == Result::kOk;
}

bool send_to(const std::string& text) {
  constexpr size_t kBytes = size_t{3} << 20;
  HandleBytes handle{};
  if (text.size() != 2 * handle.size()) return false;
  for (size_t i = 0; i < handle.size(); ++i) {
    handle[i] = static_cast<std::byte>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
  }
  const Library12 net(print);
  void* comm = nullptr;
  if (net.connect(&handle, &comm) != Result::kOk) return false;
  std::vector<uint8_t> data(kBytes);
  void* region = net.register_memory(comm, data);
  for (uint32_t i = 0; i < 3; ++i) {
    std::ranges::copy(floats(kBytes, i), data.begin());
    if (net.wait(net.post_send(comm, data, region)) != Result::kOk) return false;
  }
  return net->close_send(comm) == Result::kOk;
}

}  // namespace
}  // namespace netsense::testing

int main(int count, char** arguments) {
  using namespace netsense::testing;
  const std::string_view task = count >= 2 ? arguments[1] : "";
  try {
    if (task == "comm-error") return meet_comm_error() ? 0 : 1;
    if (task == "send" && count == 3) return send_to(arguments[2]) ? 0 : 1;
    if (task == "unprivileged") return transfer_unprivileged() ? 0 : 1;
    std::fprintf(stderr, "usage: %s comm-error|send HANDLE|unprivileged\n", arguments[0]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return 2;
}
