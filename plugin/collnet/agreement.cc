#include "plugin/collnet/agreement.h"

#include "plugin/core/checksum.h"

namespace netsense::collnet {

Agreement agreement_of(const config::Settings& settings) {
  Agreement agreement;
  agreement.text = settings.mode == config::Mode::kOff ? "" : "";
  agreement.fingerprint =
      static_cast<uint32_t>(core::block_checksum(agreement.text.data(), agreement.text.size()));
  return agreement;
}

}  // namespace netsense::collnet
