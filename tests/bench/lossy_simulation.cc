// Prints how the controllers of lossy collectives behave on simulated links, as CSV: one line per collective.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "plugin/config/lossy_values.h"
#include "tests/unit/adapt/link_simulation.h"

namespace netsense::bench {
namespace {

void print(const adapt::simulation::Scenario& scenario, const config::Settings& settings) {
  const auto controller = adapt::make_lossy_controller(settings);
  size_t number = 0;
  for (const adapt::simulation::Outcome& outcome : adapt::simulation::run(scenario, *controller)) {
    fmt::print("{},{},{},{:.4f},{:.4f},{:.6f},{:.0f}\n", scenario.name,
               config::print_controller(settings.lossy_controller), number++, outcome.begin, outcome.seconds,
               outcome.wire_ratio, outcome.fair_rate);
  }
}

int run(int argc, char** argv) {
  CLI::App app("Simulates the controllers of lossy collectives; prints one line of CSV per collective.");
  std::string only;
  app.add_option("--scenario", only, "only this one");
  std::vector<config::ControllerChoice> choices = {
      {}, {.rule = config::LossyRule::kNetSenseMl}, {.rule = config::LossyRule::kFixed}};
  CLI11_PARSE(app, argc, argv);
  fmt::print("scenario,controller,collective,begin_seconds,seconds,wire_ratio,bytes_per_second\n");
  for (const auto& scenario : adapt::simulation::all_scenarios()) {
    if (!only.empty() && scenario.name != only) continue;
    for (const config::ControllerChoice& choice : choices) {
      config::Settings settings;
      settings.lossy_controller = choice;
      print(scenario, settings);
    }
  }
  return 0;
}

}  // namespace
}  // namespace netsense::bench

int main(int argc, char** argv) {
  try {
    return netsense::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "netsense_lossy_simulation: {}\n", error.what());
    return 1;
  }
}
