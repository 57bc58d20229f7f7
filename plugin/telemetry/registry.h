// Gives the connections of this process their counters.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugin/telemetry/counters.h"
#include "plugin/telemetry/peer.h"
#include "plugin/telemetry/segment.h"

namespace netsense::telemetry {

// The settings.
struct Options {
  bool on = false;
  std::string directory;
};

// For any thread; not for the data path.
class Registry {
 public:
  // The file is made with the first connection of the process, in the directory that it names. Without one
  // (not wanted, or not possible, which is said once) everything is counted in private memory. The file stays
  // until the process ends, so that what closed connections have carried stays known.
  static Registry& of_process();

  Registry() = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;
  ~Registry() = default;

  std::unique_ptr<Counters> open(const Options& options, const Identity& identity);
  // Empty: there is none.
  [[nodiscard]] std::string path();

 private:
  // What this process knows of a slot, whatever others may have done to the memory.
  struct Use {
    std::string key;
    bool open = false;
  };

  void make_segment(const Options& options);
  // kOwnSlots: all are taken.
  size_t choose(const std::string& key);
  void close(size_t index, unsigned forks);
  void after_fork();

  std::mutex mutex_;
  std::unique_ptr<Segment> segment_;
  std::vector<Use> uses_;
  unsigned forks_ = 0;  // between this process and the first
};

}  // namespace netsense::telemetry
