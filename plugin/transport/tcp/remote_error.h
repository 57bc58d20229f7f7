// Error frames: how one side tells the other why a comm is dead.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/core/frame.h"
#include "plugin/core/status.h"

namespace netsense::tcp {

struct RemoteError {
  Status status = Status::kRemoteError;
  std::string text;  // printable
};

// A whole error frame: header and text, which is cut to core::kMaxErrorText bytes.
std::vector<std::byte> make_error(Status status, std::string_view text, uint32_t frame_number);

// payload: header.coded_bytes bytes. Anything unprintable from the peer is shown as '?'.
RemoteError read_error(const core::FrameHeader& header, const std::byte* payload);

}  // namespace netsense::tcp
