#include "plugin/transport/tcp/remote_error.h"

#include <algorithm>
#include <cstring>

namespace netsense::tcp {

std::vector<std::byte> make_error(Status status, std::string_view text, uint32_t frame_number) {
  text = text.substr(0, core::kMaxErrorText);
  core::FrameHeader header;
  header.type = core::FrameType::kError;
  header.tag = static_cast<uint32_t>(status);
  header.raw_bytes = static_cast<uint32_t>(text.size());
  header.coded_bytes = header.raw_bytes;
  header.frame_number = frame_number;
  const core::FrameBytes bytes = core::encode_frame(header);
  std::vector<std::byte> out(bytes.size() + text.size());
  std::memcpy(out.data(), bytes.data(), bytes.size());
  std::memcpy(out.data() + bytes.size(), text.data(), text.size());
  return out;
}

RemoteError read_error(const core::FrameHeader& header, const std::byte* payload) {
  RemoteError error;
  const bool known = header.tag > static_cast<uint32_t>(Status::kOk) &&
                     header.tag <= static_cast<uint32_t>(Status::kRemoteError);
  if (known) error.status = static_cast<Status>(header.tag);
  error.text.assign(reinterpret_cast<const char*>(payload), header.coded_bytes);
  std::replace_if(
      error.text.begin(), error.text.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return error;
}

}  // namespace netsense::tcp
