// nccl.conf is read as NCCL reads it.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/catch.h"
#include "tests/unit/config/environment.h"
#include "tests/unit/config/system_view.h"
#include "tools/info/report.h"

namespace netsense::info {
namespace {

std::vector<ConfEntry> parse(const std::string& text) {
  std::istringstream stream(text);
  return parse_nccl_conf(stream, "file");
}

// Set for one test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

}  // namespace

TEST_CASE("lines are NAME=value, and the rest is passed over") {
  const auto entries =
      parse("# NETSENSE_FAMILY=ipv6\nNETSENSE_CHECKSUM=off\r\nno equals sign\n\nA = b=c \n #X=1");
  REQUIRE(entries.size() == 3);
  CHECK(entries[0].name == "NETSENSE_CHECKSUM");
  CHECK(entries[0].value == "off");
  CHECK(entries[0].file == "file");
  CHECK(entries[1].name == "A ");
  CHECK(entries[1].value == " b=c ");
  CHECK(entries[2].name == " #X");
}

TEST_CASE("a file fills what the environment lacks, and a setting says where it comes from") {
  const transport::TemporaryFolder folder;
  const std::string file = (folder.path() / "conf").string();
  std::ofstream(file) << "NETSENSE_TCP_STREAMS = 3\nNETSENSE_CHECKSUM=off\nNCCL_SOCKET_FAMILY=AF_INET\n";
  const Variable conf("NCCL_CONF_FILE", file);
  const Variable checksum("NETSENSE_CHECKSUM", "on");
  const std::vector<ConfEntry> set = apply_nccl_conf();
  REQUIRE(set.size() >= 2);
  const config::LoadedSettings loaded = config::load_settings(environ);
  for (const ConfEntry& entry : set) unsetenv(entry.name.c_str());
  CHECK(loaded.settings.tcp_streams == 3);
  CHECK(loaded.settings.checksum);
  const auto source = [&](const char* name) { return source_text(config::value_of(loaded, name), set); };
  CHECK(source("NETSENSE_TCP_STREAMS") == file);
  CHECK(source("NETSENSE_CHECKSUM") == "environment");
  CHECK(source("NETSENSE_FAMILY") == "NCCL_SOCKET_FAMILY (" + file + ")");
  CHECK(source("NETSENSE_PEER_TIMEOUT") == "default");
}

}  // namespace netsense::info
