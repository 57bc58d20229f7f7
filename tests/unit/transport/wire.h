// The other end of a comm's socket, held by a test, and frames to say there.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "plugin/core/checksum.h"
#include "plugin/core/fd.h"
#include "plugin/core/frame.h"
#include "plugin/transport/tcp/runtime.h"

namespace netsense::tcp::testing {

struct Wire {
  Wire() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
      throw std::runtime_error("socketpair");
    }
    comm = core::Fd(ends[0]);
    peer = core::Fd(ends[1]);
  }
  core::Fd comm;  // to be moved into the comm
  core::Fd peer;
};

inline std::shared_ptr<Runtime> make_runtime(int threads, size_t block_bytes) {
  Tuning tuning;
  tuning.threads = threads;
  tuning.block_bytes = block_bytes;
  tuning.connect_timeout = std::chrono::seconds(30);
  tuning.peer_timeout = std::chrono::seconds(60);
  return std::make_shared<Runtime>(tuning);
}

inline std::vector<std::byte> whole_frame(core::FrameHeader header, std::span<const std::byte> payload) {
  header.raw_bytes = header.coded_bytes = static_cast<uint32_t>(payload.size());
  if (header.type == core::FrameType::kData) {
    header.flags = core::kFlagPayloadChecksum;
    header.payload_checksum = core::block_checksum(payload.data(), payload.size());
  }
  const core::FrameBytes bytes = core::encode_frame(header);
  std::vector<std::byte> out(bytes.begin(), bytes.end());
  out.insert(out.end(), payload.begin(), payload.end());
  return out;
}

}  // namespace netsense::tcp::testing
