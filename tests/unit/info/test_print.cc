// Both forms of a report made up for the test, and the reference of the settings.
#include <nlohmann/json.hpp>

#include "plugin/config/settings_table.h"
#include "tests/catch.h"
#include "tests/unit/config/environment.h"
#include "tests/unit/config/system_view.h"
#include "tools/info/print.h"

namespace netsense::info {
namespace {

using config::contains;

Report example() {
  Report report;
  report.version = {"1.2.3", "abcdef", "Release"};
  report.library = {"/lib/libnccl-net-netsense.so",
                    "",
                    "netsense",
                    {{"net", "ncclNetPlugin_v", {11, 12}}, {"tuner", "ncclTunerPlugin_v", {}}}};
  report.nccl.variable = "netsense";
  report.nccl.default_library = {"libnccl-net.so", "could not find libnccl-net.so", "", {}};
  report.nccl.verdict = "the verdict";
  report.cores = 8;
  report.settings = config::load({"NETSENSE_TCP_STREMS=4", "NETSENSE_CHECKSUM=off"});
  const auto system = transport::SystemBuilder().add("lo", "127.0.0.1/8").add("eth0", "fe80::1/64");
  report.interfaces = transport::find_interfaces({}, system.view());
  report.verbs = {true, {"mlx5_0"}, "mlx5_0"};
  report.cuda = {false, {}, "why not"};
  report.memlock = 65536;
  report.self_test = {true, false, "the reason", 12, {"eth0"}, {0, 1}, {"a line of the log"}};
  return report;
}

}  // namespace

TEST_CASE("the text has every finding") {
  const std::string text = text_report(example());
  for (const char* part :
       {"netsense 1.2.3 (git abcdef, Release)", "versions 11 12", "ncclTunerPlugin_v*     none",
        "NCCL_NET_PLUGIN is \"netsense\"", "could not find libnccl-net.so", "=> the verdict",
        "did you mean NETSENSE_TCP_STREAMS?", "fe80::1%eth0", "used     eth0", "left out lo", "found: mlx5_0",
        "CUDA driver not found: why not", "64 KiB", "Mbit/s (assumed)", "auto (2)", "FAILED: the reason",
        "log: a line of the log"}) {
    INFO(part << " in\n" << text);
    CHECK(contains(text, part));
  }
}

TEST_CASE("of a passed self test the log has only warnings that are not said elsewhere") {
  Report report = example();
  report.self_test.passed = true;
  report.self_test.log = {"host NCCL INFO something", "host NCCL WARN news",
                          "host NCCL WARN " + report.settings.problems.front().message};
  const std::string text = text_report(report);
  CHECK(contains(text, "log: host NCCL WARN news"));
  CHECK_FALSE(contains(text, "log: host NCCL INFO"));
  CHECK_FALSE(contains(text, "log: host NCCL WARN NETSENSE_TCP_STREMS"));
}

TEST_CASE("what cannot be used is called a problem") {
  Report report = example();
  report.library.problem = "no such file";
  report.interfaces = {};
  report.memlock.reset();
  report.self_test = {};
  report.nccl.variable.reset();
  const std::string text = text_report(report);
  CHECK(contains(text, "problem: no such file"));
  CHECK(contains(text, "problem: none can be used"));
  CHECK(contains(text, "NCCL_NET_PLUGIN is not set"));
  CHECK(contains(text, "unlimited"));
  CHECK(contains(text, "not run"));
}

TEST_CASE("the JSON says the same") {
  const auto json = nlohmann::json::parse(json_report(example()));
  CHECK(json["version"] == "1.2.3");
  CHECK(json["library"]["exports"]["net"] == nlohmann::json({11, 12}));
  CHECK(json["nccl"]["nccl_net_plugin"] == "netsense");
  CHECK(json["problems"][0]["variable"] == "NETSENSE_TCP_STREMS");
  CHECK(json["settings"].size() == config::settings_table().size());
  CHECK(json["interfaces"][0]["name"] == "eth0");
  CHECK(json["interfaces"][0]["used"] == true);
  CHECK(json["interfaces"][1]["used"] == false);
  CHECK(json["verbs"]["devices"][0] == "mlx5_0");
  CHECK(json["memlock_bytes"] == 65536);
  CHECK(json["self_test"]["passed"] == false);
}

TEST_CASE("JSON stays valid whatever bytes a value has") {
  Report report = example();
  report.nccl.variable = "\xff\"\n";
  CHECK(nlohmann::json::accept(json_report(report)));
}

TEST_CASE("only a failed self test makes the exit status 1") {
  Report report = example();
  CHECK(exit_code(report) == 1);
  report.self_test.passed = true;
  CHECK(exit_code(report) == 0);
  report.self_test = {};
  CHECK(exit_code(report) == 0);
}

TEST_CASE("the reference has each setting once in the table and once as a section") {
  const std::string text = settings_markdown();
  for (const config::Setting& setting : config::settings_table()) {
    INFO(setting.name);
    CHECK(contains(text, "| [`" + std::string(setting.name) + "`]"));
    CHECK(contains(text, "\n## " + std::string(setting.name) + "\n"));
    CHECK(contains(text, setting.help));
  }
}

}  // namespace netsense::info
