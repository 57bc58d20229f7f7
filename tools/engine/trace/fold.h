// Folds repeated polls and numbers the lines that remain.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/engine/ns_engine.h"

namespace netsense::engine {

enum class Poll : uint8_t {
  kNo,       // an ordinary call
  kTest,     // test() said not done
  kNothing,  // connect, accept, isend or irecv gave a null object
};

struct TraceRecord {
  uint64_t number = 0;
  std::string thread;
  std::string api;
  std::string call;
  std::string args;
  std::string out;
  ns_result result = ns_success;
  Poll poll = Poll::kNo;
  std::string request;  // kTest: the request's label
  int64_t inside = -1;  // number of the call during which this one came, -1 for none
};

class Folder {
 public:
  // Records must come in the order of their numbers; finished lines are appended to `lines`.
  void add(TraceRecord record, std::string& lines);
  // Writes what is being folded for one thread, or for all when `thread` is empty.
  void flush(const std::string& thread, std::string& lines);

 private:
  struct Entry {
    TraceRecord record;
    std::vector<std::string> requests;  // kTest; otherwise one without a name
    std::vector<uint64_t> counts;
  };
  struct Stretch {
    std::vector<Entry> polls;
    bool has_attributes = false;
    TraceRecord attributes;  // a setNetAttr that may turn out to belong to a poll
  };

  void fold(Stretch& stretch, TraceRecord record);
  void write_polls(Stretch& stretch, std::string& lines);
  void write(const TraceRecord& record, const std::string& extra, std::string& lines);

  std::map<std::string, Stretch> stretches_;
  std::map<uint64_t, uint64_t> written_as_;  // number of a call that others came inside -> line
  uint64_t next_line_ = 0;
  uint64_t next_run_ = 0;
};

}  // namespace netsense::engine
