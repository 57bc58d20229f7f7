// netsense-info: what this machine, this environment and this library give a job that uses netsense.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "netsense_version.h"
#include "tools/info/print.h"
#include "tools/info/report.h"

namespace {

constexpr int kWrongUsage = 2;

int run(int argc, char** argv) {
  const netsense::info::Version version{NETSENSE_VERSION, NETSENSE_GIT_REVISION, NETSENSE_BUILD_TYPE};
  CLI::App app{
      "Shows what netsense finds on this machine: the library, what NCCL would load, settings, interfaces, "
      "verbs and CUDA; and tests the library by sending messages to itself."};
  app.footer("Exit status: 0; 1 when the self test failed; 2 for wrong usage.");
  netsense::info::Request request{version, "", true};
  bool as_json = false;
  bool no_self_test = false;
  bool settings_markdown = false;
  app.set_version_flag(
      "--version", fmt::format("netsense {} (git {}, {})", version.number, version.git, version.build_type));
  app.add_option("--plugin", request.library,
                 "the library to look at (default: ../lib beside this program, else the loader's path)");
  app.add_flag("--json", as_json, "print JSON");
  app.add_flag("--no-self-test", no_self_test, "leave the self test out");
  app.add_flag("--settings-markdown", settings_markdown,
               "print the reference of the settings, docs/settings.md");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  }
  if (settings_markdown) {
    fmt::print("{}", netsense::info::settings_markdown());
    return 0;
  }
  request.self_test = !no_self_test;
  const netsense::info::Report report = netsense::info::make_report(request);
  fmt::print("{}", as_json ? netsense::info::json_report(report) : netsense::info::text_report(report));
  return netsense::info::exit_code(report);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "netsense-info: {}\n", error.what());
    return 1;
  }
}
