// netsense-exporter: this host's connections as Prometheus metrics, over HTTP or in a file.
#include <fmt/format.h>
#include <prometheus/exposer.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <thread>

#include "tools/exporter/metrics.h"
#include "tools/exporter/options.h"
#include "tools/exporter/text_file.h"

namespace netsense::exporter {
namespace {

void write_files(const Options& options, const Collector& collector) {
  for (;;) {
    replace_file(options.text_file, to_text(collector.Collect()));
    if (options.once) return;
    std::this_thread::sleep_for(options.interval);
  }
}

void serve(const Options& options, const std::shared_ptr<Collector>& collector) {
  // Blocked before the server's threads are made, so that they do not take the signals.
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGINT);
  sigaddset(&ending, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  prometheus::Exposer exposer(options.listen);
  exposer.RegisterCollectable(collector);
  for (const int port : exposer.GetListeningPorts()) {
    fmt::print("serving /metrics on port {} ({})\n", port, options.listen);
  }
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ending, &signal);
}

int run(const Options& options) {
  const auto collector = std::make_shared<Collector>(options.directory);
  if (options.text_file.empty()) {
    serve(options, collector);
  } else {
    write_files(options, *collector);
  }
  return 0;
}

}  // namespace
}  // namespace netsense::exporter

int main(int argc, char** argv) {
  try {
    int status = 0;
    const auto options = netsense::exporter::parse_options(argc, argv, &status);
    return options ? netsense::exporter::run(*options) : status;
  } catch (const std::exception& error) {
    fmt::print(stderr, "netsense-exporter: {}\n", error.what());
    return 1;
  }
}
