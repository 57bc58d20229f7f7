// netsense-info: what netsense is, how it is set, what it would use here, and whether it works.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "tools/info/nccl_conf.h"
#include "tools/info/report.h"
#include "tools/info/settings_markdown.h"

namespace {

using namespace netsense;

// For a step of the self test; far above what a loopback takes on a loaded machine.
constexpr std::chrono::milliseconds kStepLimit{30000};

struct Options {
  std::string plugin;
  bool json = false;
  bool self_test = true;
  bool settings_markdown = false;
};

info::Report make_report(const Options& options) {
  info::Report report;
  report.version = info::version();
  report.conf_files = info::apply_nccl_conf(info::nccl_conf_files());
  report.settings = config::load_settings(environ);
  report.interfaces = transport::find_interfaces(report.settings.settings);
  report.search = info::search_net_plugin(std::getenv("NCCL_NET_PLUGIN"));
  report.verbs = info::find_verbs();
  report.cuda = info::find_cuda();
  report.lock_limit = info::lock_limit();
  // Last: everything before runs foreign code in forked processes, which wants a process with one thread.
  const auto plugin = info::open_plugin(options.plugin, &report.plugin);
  if (options.self_test && plugin) report.self_test = info::run_self_test(*plugin, kStepLimit);
  return report;
}

// 1 when the plugin cannot do its work here. A bad setting alone is shown, but jobs run with it.
int exit_status(const info::Report& report, const Options& options) {
  if (!report.plugin.error.empty()) return 1;
  return options.self_test && !report.self_test->passed ? 1 : 0;
}

int run(const Options& options) {
  if (options.settings_markdown) {
    std::cout << info::settings_markdown();
    return 0;
  }
  const info::Report report = make_report(options);
  if (options.json) {
    std::cout << info::to_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  } else {
    std::cout << info::to_text(report);
  }
  std::cout.flush();
  return exit_status(report, options);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("What netsense is, how it is set, what it would use here, and whether it works.");
  app.add_option("--plugin", options.plugin,
                 "The plugin's file. Default: ../lib/libnccl-net-netsense.so beside this program, else the loader's");
  app.add_flag("--json", options.json, "One JSON object instead of text");
  app.add_flag("--self-test,!--no-self-test", options.self_test,
               "Send messages through the plugin from this process to itself (default: on)");
  app.add_flag("--settings-markdown", options.settings_markdown, "Print docs/settings.md and do nothing else");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "netsense-info: %s\n", error.what());
    return 1;
  }
}
