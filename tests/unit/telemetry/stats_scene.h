// A directory of its own for statistics files, and what lies in it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "plugin/telemetry/parse.h"

namespace netsense::testing {

class StatsDirectory {
 public:
  StatsDirectory();
  StatsDirectory(const StatsDirectory&) = delete;
  StatsDirectory& operator=(const StatsDirectory&) = delete;
  ~StatsDirectory();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Names of the files there.
  [[nodiscard]] std::vector<std::string> files() const;
  void write(const std::string& name, const std::vector<std::byte>& bytes) const;

 private:
  std::filesystem::path path_;
};

std::vector<std::byte> read_bytes(const std::filesystem::path& path);

// A file as the plugin makes it, with nothing in its slots; of this process.
std::vector<std::byte> empty_file();
// Puts a word into such a file. offset: of the member, in Header or Slot.
void set_header(std::vector<std::byte>* file, size_t offset, uint64_t value);
void set_slot(std::vector<std::byte>* file, size_t slot, size_t offset, uint64_t value);

}  // namespace netsense::testing
