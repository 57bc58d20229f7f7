#include "plugin/telemetry/segment.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <random>

#include "plugin/core/fd.h"
#include "plugin/telemetry/file_limit.h"
#include "plugin/telemetry/owner.h"
#include "plugin/telemetry/words.h"

namespace netsense::telemetry {
namespace {

void fill(Header* header) {
  const auto put = [](Word* word, uint64_t value) { word->store(value, std::memory_order_relaxed); };
  const auto pid = static_cast<uint64_t>(::getpid());
  put(&header->layout_version, kLayoutVersion);
  put(&header->header_bytes, sizeof(Header));
  put(&header->slot_bytes, sizeof(Slot));
  put(&header->slots, kSlots);
  put(&header->pid, pid);
  put(&header->pid_namespace, own_pid_namespace());
  put(&header->process_start_ticks, process_start_ticks(pid));
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  put(&header->process_start_unix_ns, static_cast<uint64_t>(std::chrono::nanoseconds(now).count()));
  store_text(&header->plugin_version, NETSENSE_VERSION);
  std::array<char, sizeof(Header::host_name)> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0) store_text(&header->host_name, host.data());
  header->magic.store(kMagic, std::memory_order_release);
}

std::string explain(const char* what, const std::string& path, int error) {
  return fmt::format("{} {}: {}", what, path, std::strerror(error));
}

}  // namespace

Segment::Segment(void* memory, std::string path)
    : memory_(memory),
      slots_(reinterpret_cast<Slot*>(static_cast<std::byte*>(memory) + sizeof(Header))),
      path_(std::move(path)),
      owner_(::getpid()) {
  fill(static_cast<Header*>(memory));
}

Segment::~Segment() {
  remove_file();
  ::munmap(memory_, kFileBytes);
}

std::unique_ptr<Segment> Segment::in_file(const std::string& directory, std::string* why) {
  std::random_device random;
  const std::string path =
      fmt::format("{}/{}{}.{:08x}", directory, kFilePrefix, ::getpid(), static_cast<uint32_t>(random()));
  const core::Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) {
    *why = explain("cannot make", path, errno);
    return nullptr;
  }
  // Taken now: a file system that is full later would end the process at its first write there.
  const int error = file_may_have(kFileBytes) ? ::posix_fallocate(fd.get(), 0, kFileBytes) : EFBIG;
  void* memory =
      error != 0 ? MAP_FAILED : ::mmap(nullptr, kFileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) {
    *why = explain(error != 0 ? "no room for" : "cannot map", path, error != 0 ? error : errno);
    ::unlink(path.c_str());
    return nullptr;
  }
  return std::unique_ptr<Segment>(new Segment(memory, path));
}

std::unique_ptr<Segment> Segment::in_private_memory() {
  void* memory = ::mmap(nullptr, kFileBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return std::unique_ptr<Segment>(new Segment(memory, ""));
}

void Segment::remove_file() {
  if (!path_.empty() && owner_ == ::getpid()) ::unlink(path_.c_str());
  path_.clear();
}

void Segment::leave_to_parent() {
  path_.clear();
  // Takes the place of the mapping, so it needs nothing that could be missing.
  (void)::mmap(memory_, kFileBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

}  // namespace netsense::telemetry
