// The trace of one process: its file, and the thread that fills it while there are connections.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "plugin/telemetry/trace_file.h"
#include "plugin/telemetry/trace_ring.h"

namespace netsense::telemetry {

// The settings.
struct TraceOptions {
  std::string path;  // a pattern for trace_path()
  size_t limit_bytes = 0;
  uint8_t mode = 0;   // for the header
  uint8_t codec = 0;  // for the header
};

class TraceSession {
 public:
  explicit TraceSession(const TraceOptions& options);
  TraceSession(const TraceSession&) = delete;
  TraceSession& operator=(const TraceSession&) = delete;
  // Every connection must be closed.
  ~TraceSession();

  // The connection's number; 0: there is no trace. The first makes the file; when that cannot be done, the
  // log says why, once.
  uint32_t open(TraceOpened opened);
  // What the connection has put is in the file when the last one is closed; unless the file system stalls,
  // which is waited for only so long.
  void close(uint32_t connection);

  // Whether there is any use in putting more.
  [[nodiscard]] bool on() const { return on_.load(std::memory_order_relaxed); }
  // Any thread; never waits.
  template <typename Record>
  void put(const Record& record) {
    ring_->put(record);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  // The writer has not come back from the file system: it may still use this object.
  [[nodiscard]] bool stuck() const { return stuck_; }

 private:
  void begin();
  void start_writer();
  void run();
  void take_records();
  void write(const std::vector<TraceOpened>& opened, const std::vector<TraceClosed>& closed);

  const TraceOptions options_;
  const pid_t pid_;
  std::atomic<bool> on_{false};

  std::mutex life_;  // guards this group; held while the writer starts or ends
  bool begun_ = false;
  uint32_t last_ = 0;  // number given to a connection
  size_t open_ = 0;    // connections
  std::thread writer_;
  bool stuck_ = false;

  std::mutex mutex_;  // guards this group
  std::condition_variable wake_;
  std::condition_variable over_;
  bool stopping_ = false;
  bool ended_ = false;  // the writer, but for its return
  std::vector<TraceOpened> opened_;
  std::vector<TraceClosed> closed_;

  std::unique_ptr<TraceRing> ring_;
  // Only the writer's.
  std::unique_ptr<TraceFile> file_;
  std::vector<std::byte> records_;
  uint64_t lost_told_ = 0;
};

uint64_t steady_ns();

}  // namespace netsense::telemetry
