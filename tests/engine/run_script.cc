// Runs one rank of a conformance script: engine-run-script --ranks N --rank R --id-file FILE SCRIPT
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "tests/engine/script/session.h"

namespace netsense::engine_test {
namespace {

int run(int argc, char** argv) {
  Place place;
  std::string script;
  CLI::App app("Runs one rank of a conformance script on the host engine.");
  app.add_option("--ranks", place.ranks)->required();
  app.add_option("--rank", place.rank)->required();
  app.add_option("--id-file", place.id_file, "where rank 0 leaves the unique ids")->required();
  app.add_option("script", script)->required();
  CLI11_PARSE(app, argc, argv);

  const std::vector<Step> steps = parse_script(script);
  Session session(place, largest_step(steps));
  session.run(steps);
  std::printf("rank %d: PASSED\n", place.rank);
  std::fflush(stdout);
  // As a program that ends in the middle: no destructor may wait for the engine's threads.
  if (session.left_early()) std::_Exit(0);
  return 0;
}

}  // namespace
}  // namespace netsense::engine_test

int main(int argc, char** argv) {
  try {
    return netsense::engine_test::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
