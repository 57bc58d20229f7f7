// What the comms know, as the trace has it.
#pragma once

#include "plugin/core/frame.h"
#include "plugin/telemetry/trace_format.h"
#include "plugin/transport/tcp/send_coding.h"

namespace netsense::tcp {

// What was decided for a block, how long that and the encoding took, and what goes on the wire behind the
// frame's header.
telemetry::TraceBlock trace_of(const Block& block, const SendCoding::Decision& decision, probe::Duration took,
                               size_t payload_bytes);
telemetry::TracePath trace_of(const SendCoding::StreamLook& look, bool congested);
telemetry::TraceReceived trace_of(const core::FrameHeader& frame, probe::Duration decoding);

}  // namespace netsense::tcp
