#include "tools/codec/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kernels/cpu/codec.h"
#include "tools/codec/container.h"

namespace netsense::codec {
namespace {

double ratio(const Figures& figures, const CoderFigures& coder) {
  return static_cast<double>(figures.raw_bytes) / static_cast<double>(coder.coded_bytes);
}

std::string bound_text(const Figures& figures) {
  if (!figures.bound_bits) return "none: the type is not known";
  const double bits = 8.0 * static_cast<double>(type_bytes(figures.type));
  return fmt::format(
      "{:.3f} bits per element{}", *figures.bound_bits,
      *figures.bound_bits > 0 ? fmt::format(", ratio {:.3f}", bits / *figures.bound_bits) : "");
}

}  // namespace

double over_bound(const Figures& figures, const CoderFigures& coder) {
  if (figures.bound_bits.value_or(0) <= 0) return 0;
  const double elements =
      static_cast<double>(figures.raw_bytes) / static_cast<double>(type_bytes(figures.type));
  return 8 * static_cast<double>(coder.coded_bytes) / elements / *figures.bound_bits;
}

std::string text_report(std::span<const Figures> all) {
  std::string text;
  for (const Figures& figures : all) {
    text += fmt::format("{}{}: {}, {} bytes\n  entropy bound {}\n", text.empty() ? "" : "\n", figures.file,
                        type_name(figures.type), figures.raw_bytes, bound_text(figures));
    text += fmt::format("  {:<8}{:>8}{:>14}{:>15}{:>15}\n", "coder", "ratio", "over bound", "encode GB/s",
                        "decode GB/s");
    for (const CoderFigures& coder : figures.coders) {
      const double over = over_bound(figures, coder);
      text += fmt::format("  {:<8}{:>8.3f}{:>14}{:>15.2f}{:>15.2f}\n", coder.coder, ratio(figures, coder),
                          over > 0 ? fmt::format("{:+.1f} %", 100 * (over - 1)) : "-", coder.encode_gb_per_s,
                          coder.decode_gb_per_s);
    }
  }
  return text;
}

std::string json_report(std::span<const Figures> all) {
  nlohmann::json results = nlohmann::json::array();
  for (const Figures& figures : all) {
    nlohmann::json coders;
    for (const CoderFigures& coder : figures.coders) {
      const double over = over_bound(figures, coder);
      coders[coder.coder] = {{"coded_bytes", coder.coded_bytes},
                             {"ratio", ratio(figures, coder)},
                             {"over_bound", over > 0 ? nlohmann::json(over) : nlohmann::json()},
                             {"encode_gb_per_s", coder.encode_gb_per_s},
                             {"decode_gb_per_s", coder.decode_gb_per_s}};
    }
    results.push_back(
        {{"file", figures.file},
         {"type", type_name(figures.type)},
         {"raw_bytes", figures.raw_bytes},
         {"bound_bits", figures.bound_bits ? nlohmann::json(*figures.bound_bits) : nlohmann::json()},
         {"coders", coders}});
  }
  const nlohmann::json report{{"block_bytes", kBlockBytes},
                              {"instruction_set", kernels::backend_name(*kernels::backends().front())},
                              {"results", results}};
  // A path may hold bytes that are no UTF-8.
  return report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace netsense::codec
