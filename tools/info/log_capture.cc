#include "tools/info/log_capture.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdlib>
#include <fstream>

namespace netsense::info {
namespace {

std::string path_of(const core::Fd& file) {
  return fmt::format("/proc/self/fd/{}", file.get());
}

}  // namespace

LogCapture::LogCapture() : file_(memfd_create("netsense-info log", MFD_CLOEXEC)) {
  setenv("NCCL_DEBUG", "WARN", 0);
  if (file_.valid()) setenv("NCCL_DEBUG_FILE", path_of(file_).c_str(), 0);
}

std::vector<std::string> LogCapture::lines() const {
  std::vector<std::string> lines;
  if (!file_.valid()) return lines;
  std::ifstream text(path_of(file_));
  for (std::string line; std::getline(text, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

}  // namespace netsense::info
