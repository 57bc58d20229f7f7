#include "tools/codec/files.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tools/codec/error.h"

namespace netsense::codec {
namespace {

constexpr size_t kReadBytes = 1 << 20;

}  // namespace

std::vector<uint8_t> read_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw Error("{}: is a folder", path);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("{}: cannot be opened", path);
  std::vector<uint8_t> bytes;
  // Piece by piece, since pipes do not tell their size.
  while (file) {
    const size_t at = bytes.size();
    bytes.resize(at + kReadBytes);
    file.read(reinterpret_cast<char*>(&bytes[at]), kReadBytes);
    bytes.resize(at + static_cast<size_t>(file.gcount()));
  }
  if (file.bad()) throw Error("{}: cannot be read", path);
  return bytes;
}

void write_file(const std::string& path, std::span<const uint8_t> bytes, bool may_replace) {
  if (!may_replace && std::filesystem::exists(path)) {
    throw Error("{}: exists already; --force replaces it", path);
  }
  const std::string fresh = fmt::format("{}.{}.new", path, ::getpid());
  std::ofstream file(fresh, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(fresh, path, error);
  if (!file || error) {
    std::filesystem::remove(fresh, error);
    throw Error("{}: cannot be written", path);
  }
}

}  // namespace netsense::codec
