#include "tests/unit/telemetry/stats_scene.h"

#include <stdlib.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "plugin/telemetry/segment.h"

namespace netsense::testing {

namespace fs = std::filesystem;

StatsDirectory::StatsDirectory() {
  std::string name = (fs::temp_directory_path() / "netsense-stats-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = name;
}

StatsDirectory::~StatsDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<std::string> StatsDirectory::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_)) names.push_back(entry.path().filename().string());
  return names;
}

void StatsDirectory::write(const std::string& name, const std::vector<std::byte>& bytes) const {
  std::ofstream file(path_ / name, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("write");
}

std::vector<std::byte> read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::vector<std::byte> empty_file() {
  const StatsDirectory directory;
  std::string why;
  const auto segment = telemetry::Segment::in_file(directory.path().string(), &why);
  if (segment == nullptr) throw std::runtime_error(why);
  return read_bytes(segment->path());
}

void set_header(std::vector<std::byte>* file, size_t offset, uint64_t value) {
  std::memcpy(file->data() + offset, &value, sizeof value);
}

void set_slot(std::vector<std::byte>* file, size_t slot, size_t offset, uint64_t value) {
  set_header(file, sizeof(telemetry::Header) + slot * sizeof(telemetry::Slot) + offset, value);
}

}  // namespace netsense::testing
