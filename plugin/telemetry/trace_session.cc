#include "plugin/telemetry/trace_session.h"

#include <pthread.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "plugin/core/block_signals.h"
#include "plugin/core/log.h"
#include "plugin/telemetry/counters.h"
#include "plugin/telemetry/trace_path.h"

namespace netsense::telemetry {
namespace {

// Records wait in memory so long at most; a killed process loses as much.
constexpr std::chrono::milliseconds kEvery{50};
// For the writer to come to its end once the last connection is closed.
constexpr std::chrono::seconds kPatience{5};
// 2 MiB: more than what 50 ms bring at 50 GB/s in blocks of the usual size.
constexpr size_t kCells = size_t{1} << 15;

std::string host_name() {
  std::array<char, sizeof(TraceHeader::host_name)> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// As launchers set it: torchrun, Open MPI, other MPIs, Slurm.
int32_t rank() {
  for (const char* variable : {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    const char* text = std::getenv(variable);
    if (text == nullptr) continue;
    int32_t value = -1;
    const char* const end = text + std::strlen(text);
    const auto [rest, error] = std::from_chars(text, end, value);
    if (error == std::errc() && rest == end && value >= 0) return value;
  }
  return -1;
}

TraceHeader make_header(const TraceOptions& options, pid_t pid, std::string_view host) {
  TraceHeader header;
  header.header_bytes = sizeof header;
  header.pid = static_cast<uint64_t>(pid);
  header.unix_ns = unix_ns();
  header.steady_ns = steady_ns();
  header.rank = rank();
  header.mode = options.mode;
  header.codec = options.codec;
  constexpr std::string_view kVersion = NETSENSE_VERSION;
  kVersion.copy(header.plugin_version.data(), header.plugin_version.size());
  host.copy(header.host_name.data(), header.host_name.size());
  return header;
}

}  // namespace

uint64_t steady_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
}

TraceSession::TraceSession(const TraceOptions& options) : options_(options), pid_(::getpid()) {}

TraceSession::~TraceSession() = default;

uint32_t TraceSession::open(TraceOpened opened) {
  const std::scoped_lock life(life_);
  if (!std::exchange(begun_, true)) begin();
  if (!on()) return 0;
  opened.record.connection = ++last_;
  opened.record.steady_ns = steady_ns();
  {
    const std::scoped_lock lock(mutex_);
    opened_.push_back(opened);
  }
  if (open_ == 0) start_writer();
  ++open_;
  return last_;
}

void TraceSession::close(uint32_t connection) {
  // A comm that a forked child has inherited: no thread writes there, and the locks may be anybody's.
  if (::getpid() != pid_) return;
  const std::scoped_lock life(life_);
  const bool last = --open_ == 0;
  {
    const std::scoped_lock lock(mutex_);
    TraceClosed closed;
    closed.record.connection = connection;
    closed.record.steady_ns = steady_ns();
    closed_.push_back(closed);
    stopping_ = last;
  }
  if (!last) return;
  wake_.notify_one();
  std::unique_lock lock(mutex_);
  const bool ended = over_.wait_for(lock, kPatience, [this] { return ended_; });
  lock.unlock();
  if (ended) return writer_.join();
  on_.store(false, std::memory_order_relaxed);
  stuck_ = true;
  writer_.detach();
  NETSENSE_WARN(
      "the trace in {} is given up: its file system has not taken it for {} s. Everything else works",
      file_->path(), std::chrono::seconds(kPatience).count());
}

void TraceSession::begin() {
  const std::string host = host_name();
  const std::string path = trace_path(options_.path, host, static_cast<uint64_t>(pid_));
  std::string why;
  file_ = TraceFile::make(path, make_header(options_, pid_, host), options_.limit_bytes, &why);
  if (file_ == nullptr) {
    NETSENSE_WARN("there is no trace in {} (NETSENSE_TRACE): {}. Everything else works", path, why);
    return;
  }
  ring_ = std::make_unique<TraceRing>(kCells);
  on_.store(true, std::memory_order_relaxed);
  NETSENSE_INFO_INIT("decisions are traced in {}, at most {} MiB", path, options_.limit_bytes >> 20);
}

void TraceSession::start_writer() {
  stopping_ = ended_ = false;
  const core::BlockSignals blocked;
  writer_ = std::thread([this] { run(); });
  pthread_setname_np(writer_.native_handle(), "netsense-trace");
}

void TraceSession::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait_for(lock, kEvery, [this] { return stopping_; });
    const bool last = stopping_;
    // A connection is closed after its last record and opened before its first: who is closed is asked before
    // the records are taken, and who is open afterwards.
    const std::vector<TraceClosed> closed = std::exchange(closed_, {});
    lock.unlock();
    take_records();
    lock.lock();
    const std::vector<TraceOpened> opened = std::exchange(opened_, {});
    lock.unlock();
    if (on()) write(opened, closed);
    lock.lock();
    if (!last) continue;
    ended_ = true;
    over_.notify_one();
    return;
  }
}

void TraceSession::take_records() {
  records_.clear();
  std::array<std::byte, TraceRing::kLargest> bytes;
  // Not for ever, should they come faster than they are taken.
  for (size_t i = 0; i < ring_->cells() && ring_->take(bytes.data()); ++i) {
    TraceRecord record;
    std::memcpy(&record, bytes.data(), sizeof record);
    records_.insert(records_.end(), bytes.begin(), bytes.begin() + record.bytes);
  }
}

void TraceSession::write(const std::vector<TraceOpened>& opened, const std::vector<TraceClosed>& closed) {
  for (const TraceOpened& record : opened) file_->append(as_bytes(record));
  for (std::span<const std::byte> rest(records_); !rest.empty();) {
    TraceRecord record;
    std::memcpy(&record, rest.data(), sizeof record);
    file_->append(rest.first(record.bytes));
    rest = rest.subspan(record.bytes);
  }
  for (const TraceClosed& record : closed) file_->append(as_bytes(record));
  const uint64_t lost = ring_->lost();
  if (lost != lost_told_) {
    TraceLost record;
    record.record.steady_ns = steady_ns();
    record.records = lost - std::exchange(lost_told_, lost);
    file_->append(as_bytes(record));
  }
  file_->flush();
  if (file_->state() == TraceFile::State::kOpen) return;
  on_.store(false, std::memory_order_relaxed);
  if (file_->state() == TraceFile::State::kFailed) {
    NETSENSE_WARN("the trace in {} ends here: {}. Everything else works", file_->path(),
                  std::strerror(file_->error()));
  } else {
    NETSENSE_INFO_INIT("the trace in {} ends here: it has reached NETSENSE_TRACE_LIMIT", file_->path());
  }
}

}  // namespace netsense::telemetry
