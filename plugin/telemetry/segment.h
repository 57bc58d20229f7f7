// The memory that a process's counters lie in: a mapped file, or private memory where there is none.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "plugin/telemetry/layout.h"

namespace netsense::telemetry {

class Segment {
 public:
  // Shared with whoever opens the file. Null when it cannot be made: *why says so.
  static std::unique_ptr<Segment> in_file(const std::string& directory, std::string* why);
  // Seen by nobody else. Throws std::bad_alloc.
  static std::unique_ptr<Segment> in_private_memory();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment();

  [[nodiscard]] Slot& slot(size_t index) const { return slots_[index]; }
  // Empty: there is none.
  [[nodiscard]] const std::string& path() const { return path_; }
  // Removes the file, if this process made it; the memory stays. Safe at the process's end.
  void remove_file();
  // In a forked child: the memory becomes the child's own, with nothing in it, and the file its parent's.
  void leave_to_parent();

 private:
  Segment(void* memory, std::string path);

  void* memory_;
  Slot* slots_;
  std::string path_;
  pid_t owner_;
};

}  // namespace netsense::telemetry
