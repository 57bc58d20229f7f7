#include "plugin/collnet/agreement.h"

#include <fmt/format.h>

#include <utility>

#include "plugin/core/checksum.h"

namespace netsense::collnet {

Agreement agreement_of(const config::Settings& settings) {
  Agreement agreement;
  agreement.text = "no lossy collectives (NETSENSE_MODE)";
  if (settings.mode == config::Mode::kAdaptive) {
    std::string operations;
    for (const auto& [op, name] : {std::pair{config::LossyOp::kAllReduce, "all_reduce"},
                                   std::pair{config::LossyOp::kReduceScatter, "reduce_scatter"}}) {
      if ((settings.lossy_ops & static_cast<uint8_t>(op)) == 0) continue;
      operations += fmt::format("{}{}", operations.empty() ? "" : ",", name);
    }
    agreement.text = fmt::format("NETSENSE_MODE=adaptive, NETSENSE_LOSSY_OPS={}, NETSENSE_LOSSY_MIN_SIZE={}",
                                 operations, settings.lossy_min_bytes);
  }
  agreement.fingerprint =
      static_cast<uint32_t>(core::block_checksum(agreement.text.data(), agreement.text.size()));
  return agreement;
}

}  // namespace netsense::collnet
