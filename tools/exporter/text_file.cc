#include "tools/exporter/text_file.h"

#include <fmt/format.h>
#include <prometheus/text_serializer.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace netsense::exporter {

std::string to_text(const std::vector<prometheus::MetricFamily>& metrics) {
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, metrics);
  return text.str();
}

void replace_file(const std::filesystem::path& path, const std::string& text) {
  // In the same directory, or it could not be renamed; and not *.prom, which node_exporter would read.
  const std::filesystem::path fresh = path.string() + fmt::format(".{}.new", ::getpid());
  std::ofstream file(fresh, std::ios::binary);
  file << text;
  file.close();
  std::error_code error;
  if (!file) {
    const std::string why = std::strerror(errno);
    std::filesystem::remove(fresh, error);
    throw std::runtime_error(fmt::format("cannot write {}: {}", fresh.string(), why));
  }
  std::filesystem::rename(fresh, path, error);
  if (!error) return;
  const std::string why = error.message();
  std::filesystem::remove(fresh, error);
  throw std::runtime_error(fmt::format("cannot replace {}: {}", path.string(), why));
}

}  // namespace netsense::exporter
