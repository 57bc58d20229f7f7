// Framed blocks that the kernel takes in pieces of any size.
#include "plugin/transport/tcp/send_batch.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace netsense::tcp {
namespace {

core::FrameBytes header_of(char letter) {
  core::FrameBytes header;
  header.fill(static_cast<std::byte>(letter));
  return header;
}

std::string text(const core::FrameBytes& header) {
  return {reinterpret_cast<const char*>(header.data()), header.size()};
}

// "Writes" the batch with at most `piece` bytes a call; returns what came out.
std::string write_all(SendBatch* batch, size_t piece) {
  std::string out;
  for (;;) {
    SendBatch::Parts parts;
    const size_t count = batch->parts(&parts);
    size_t left = piece;
    for (size_t i = 0; i < count && left > 0; ++i) {
      const size_t taken = std::min(left, parts[i].iov_len);
      out.append(static_cast<const char*>(parts[i].iov_base), taken);
      left -= taken;
    }
    if (batch->wrote(piece - left)) return out;
  }
}

}  // namespace

TEST_CASE("a batch comes out in order and is done block by block, whatever the kernel takes at a time") {
  const std::string data = "the first message, cut into two blocks";
  for (size_t piece = 1; piece < 300; ++piece) {
    SendQueue queue;
    SendRequest* first = queue.post(nullptr, data.data(), data.size(), 0);
    SendRequest* empty = queue.post(nullptr, nullptr, 0, 0);
    const Block front{first, 0, 20};
    const Block rest{first, 20, data.size() - 20};
    SendBatch batch;
    CHECK(batch.empty());
    batch.add(front, header_of('1'), front.raw());
    batch.add(rest, header_of('2'), rest.raw());
    batch.add({empty, 0, 0}, header_of('3'), {});
    CHECK(batch.bytes() == data.size());
    CHECK(write_all(&batch, piece) == text(header_of('1')) + data.substr(0, 20) + text(header_of('2')) +
                                          data.substr(20) + text(header_of('3')));
    CHECK(batch.empty());
    CHECK(batch.bytes() == 0);
    CHECK(first->done());
    CHECK(empty->done());
  }
}

TEST_CASE("a request is not done before its last byte is written") {
  const std::string data = "0123456789";
  SendQueue queue;
  SendRequest* request = queue.post(nullptr, data.data(), data.size(), 0);
  SendBatch batch;
  const Block block{request, 0, data.size()};
  batch.add(block, header_of('h'), block.raw());
  CHECK(!batch.wrote(core::FrameBytes().size() + data.size() - 1));
  CHECK(!request->done());
  CHECK(batch.wrote(1));
  CHECK(request->done());
}

}  // namespace netsense::tcp
