// Compressed files: everything comes back, and no damage goes unnoticed.
#include "tests/catch.h"
#include "tests/unit/codec/made.h"
#include "tools/codec/container.h"
#include "tools/codec/error.h"

namespace netsense::codec {
namespace {

using testing::Bytes;

Bytes pack(const Bytes& file, FileFormat format, DType fallback = DType::kBytes) {
  return compress(file, pieces_of(format, file), fallback, kernels::Tier::kTight);
}

std::optional<Bytes> unpack(const Bytes& packed) {
  try {
    return decompress(packed);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("files come back as they were, whatever their size") {
  for (const size_t elements : {0U, 1U, 1000U, 32768U, 100001U}) {
    Bytes file = testing::floats(elements);
    file.push_back(9);  // fills no element
    for (const kernels::Tier tier : {kernels::Tier::kFast, kernels::Tier::kTight}) {
      CHECK(decompress(compress(file, pieces_of(FileFormat::kRaw, file), DType::kF32, tier)) == file);
    }
  }
  CHECK(decompress(pack({}, FileFormat::kRaw)).empty());
}

TEST_CASE("the type makes the difference") {
  const Bytes file = testing::floats(65536);
  CHECK(pack(file, FileFormat::kRaw, DType::kBytes).size() > file.size());
  CHECK(pack(file, FileFormat::kRaw, DType::kF32).size() < file.size() * 90 / 100);
}

TEST_CASE("a .npy says its type itself") {
  Bytes file = testing::npy("{'descr': '<f4', 'fortran_order': False, 'shape': (65536,), }\n", 0);
  const Bytes data = testing::floats(65536);
  file.insert(file.end(), data.begin(), data.end());
  const Bytes packed = pack(file, FileFormat::kNpy);
  CHECK(packed.size() < file.size() * 90 / 100);
  CHECK(decompress(packed) == file);
}

TEST_CASE("no byte can change unnoticed") {
  const Bytes file = testing::floats(300);
  const Bytes packed = pack(file, FileFormat::kRaw, DType::kF32);
  for (size_t at = 0; at < packed.size(); ++at) {
    Bytes damaged = packed;
    damaged[at] ^= 0x41;
    INFO("byte " << at);
    // Bits that pad a field to whole bytes mean nothing, so the file may also come back.
    const std::optional<Bytes> back = unpack(damaged);
    CHECK((!back || *back == file));
  }
}

TEST_CASE("a cut or prolonged file is an error") {
  const Bytes packed = pack(testing::floats(300), FileFormat::kRaw, DType::kF32);
  for (size_t size = 0; size < packed.size(); ++size) {
    INFO(size << " bytes");
    CHECK_THROWS_AS(decompress(std::span(packed).first(size)), Error);
  }
  Bytes longer = packed;
  longer.push_back(0);
  CHECK_THROWS_AS(decompress(longer), Error);
}

TEST_CASE("a header that promises everything takes no memory") {
  Bytes packed = pack(testing::floats(300), FileFormat::kRaw, DType::kF32);
  for (size_t at = 8; at < 16; ++at) packed[at] = 0xff;
  CHECK_THROWS_WITH(decompress(packed), Catch::Matchers::Contains("cut off after 1200 of"));
}

}  // namespace netsense::codec
