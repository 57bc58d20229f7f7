#include "plugin/collnet/agreement.h"

#include <fmt/format.h>

#include "plugin/core/checksum.h"

namespace netsense::collnet {

Agreement agreement_of(const config::Settings& settings) {
  Agreement agreement;
  agreement.text = "no lossy collectives (NETSENSE_MODE)";
  if (settings.mode == config::Mode::kAdaptive) {
    const auto has = [&](config::LossyOp op) { return (settings.lossy_ops & static_cast<uint8_t>(op)) != 0; };
    agreement.text =
        fmt::format("NETSENSE_MODE=adaptive, NETSENSE_LOSSY_OPS={}{}, NETSENSE_LOSSY_MIN_SIZE={}",
                    has(config::LossyOp::kAllReduce) ? "all_reduce," : "",
                    has(config::LossyOp::kReduceScatter) ? "reduce_scatter" : "", settings.lossy_min_bytes);
  }
  agreement.fingerprint =
      static_cast<uint32_t>(core::block_checksum(agreement.text.data(), agreement.text.size()));
  return agreement;
}

}  // namespace netsense::collnet
