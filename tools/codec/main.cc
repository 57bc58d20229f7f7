// netsense-codec: the codecs of netsense on files.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "tools/codec/container.h"
#include "tools/codec/error.h"
#include "tools/codec/files.h"
#include "tools/codec/measure.h"
#include "tools/codec/report.h"

namespace {

using namespace netsense;
using namespace netsense::codec;

constexpr int kWrongUsage = 2;
constexpr std::string_view kSuffix = ".nsc";

struct Options {
  std::string file;
  std::string output;
  std::vector<std::string> files;
  std::string type = "bytes";
  std::string tier = "tight";
  bool force = false;
  bool json = false;
  unsigned milliseconds = 200;

  // Its name was checked when the command line was read.
  [[nodiscard]] DType fallback() const { return type_of_name(type).value_or(DType::kBytes); }
};

// Runs work and puts the file's name before what it complains about.
template <typename Work>
auto naming(const std::string& file, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error("{}: {}", file, error.what());
  }
}

void compress_file(const Options& options) {
  const std::vector<uint8_t> raw = read_file(options.file);
  const std::vector<uint8_t> coded = naming(options.file, [&] {
    return compress(raw, pieces_of(format_of(options.file, raw), raw), options.fallback(),
                    options.tier == "fast" ? kernels::Tier::kFast : kernels::Tier::kTight);
  });
  const std::string output = options.output.empty() ? options.file + std::string(kSuffix) : options.output;
  write_file(output, coded, options.force);
  fmt::print(
      "{}: {} bytes to {} ({:.1f} %)\n", output, raw.size(), coded.size(),
      raw.empty() ? 100.0 : 100.0 * static_cast<double>(coded.size()) / static_cast<double>(raw.size()));
}

void decompress_file(const Options& options) {
  std::string output = options.output;
  if (output.empty()) {
    if (!options.file.ends_with(kSuffix) || options.file.size() == kSuffix.size()) {
      throw Error("{}: does not end in {}; name the file to write with -o", options.file, kSuffix);
    }
    output = options.file.substr(0, options.file.size() - kSuffix.size());
  }
  const std::vector<uint8_t> coded = read_file(options.file);
  const std::vector<uint8_t> raw = naming(options.file, [&] { return decompress(coded); });
  write_file(output, raw, options.force);
  fmt::print("{}: {} bytes\n", output, raw.size());
}

void bench_files(const Options& options) {
  std::vector<Figures> all;
  for (const std::string& name : options.files) {
    const std::vector<uint8_t> file = read_file(name);
    naming(name, [&] {
      const std::vector<Piece> pieces = pieces_of(format_of(name, file), file);
      const std::vector<TypedData> found = by_type(file, pieces, options.fallback());
      if (found.empty()) throw Error("there is nothing in it to measure");
      for (const TypedData& data : found) {
        all.push_back(measure(name, data, std::chrono::milliseconds(options.milliseconds)));
      }
    });
  }
  fmt::print("{}", options.json ? json_report(all) : text_report(all));
}

void add_type(CLI::App& command, Options& options) {
  const auto is_type = [](const std::string& name) {
    return type_of_name(name) ? std::string() : "types are f32, f16, bf16, f64, f8_e4m3, f8_e5m2 and bytes";
  };
  command
      .add_option("--type", options.type,
                  "type of data whose type the file does not say (raw files, bf16 in .npy): f32, f16, bf16, "
                  "f64, f8_e4m3, f8_e5m2 or bytes (default)")
      ->check(is_type);
}

void add_file(CLI::App& command, Options& options, const char* output) {
  command.add_option("FILE", options.file)->required();
  command.add_option("-o,--output", options.output, output);
  command.add_flag("-f,--force", options.force, "replace the output if it exists");
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app{
      "Compresses files of floating-point numbers (raw, .npy, .safetensors) without loss, with the codecs of "
      "netsense, and compares these with zstd and lz4."};
  app.footer("Exit status: 0; 1 when something failed; 2 for wrong usage.");
  app.require_subcommand(1);
  CLI::App* const compress_command = app.add_subcommand("compress", "compress a file");
  add_file(*compress_command, options, "what to write (default: FILE.nsc)");
  add_type(*compress_command, options);
  compress_command->add_option("--tier", options.tier, "tight (default) or fast")
      ->check(CLI::IsMember({"tight", "fast"}));
  CLI::App* const decompress_command = app.add_subcommand("decompress", "bring back what compress took");
  add_file(*decompress_command, options, "what to write (default: FILE without .nsc)");
  CLI::App* const bench_command = app.add_subcommand(
      "bench", "ratio and speed on one core of both tiers, zstd -1 and lz4, in blocks of 128 KiB");
  bench_command->add_option("FILE", options.files)->required();
  add_type(*bench_command, options);
  bench_command
      ->add_option("--milliseconds", options.milliseconds, "time to measure each type of each file (200)")
      ->check(CLI::Range(0U, 600'000U));
  bench_command->add_flag("--json", options.json, "print JSON");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  }
  if (*compress_command) compress_file(options);
  if (*decompress_command) decompress_file(options);
  if (*bench_command) bench_files(options);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "netsense-codec: {}\n", error.what());
    return 1;
  }
}
