// netsense-codec on files of anything. The first byte chooses: the rest is read as .npy or .safetensors, and
// if it is one, its pieces cover it and it survives compression; or it is decompressed.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "tools/codec/container.h"
#include "tools/codec/error.h"
#include "tools/codec/pieces.h"

namespace {

using namespace netsense::codec;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_file(FileFormat format, const std::vector<uint8_t>& file, DType fallback) {
  const std::vector<Piece> pieces = pieces_of(format, file);
  size_t end = 0;
  for (const Piece& piece : pieces) {
    require(piece.offset == end && piece.bytes <= file.size() - end);
    end += piece.bytes;
  }
  require(end == file.size());
  require(decompress(compress(file, pieces, fallback, netsense::kernels::Tier::kFast)) == file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::vector<uint8_t> rest(data + 1, data + size);
  try {
    if (data[0] % 4 == 0) {
      const std::vector<uint8_t> file = decompress(rest);
      require(decompress(compress(file, pieces_of(FileFormat::kRaw, file), DType::kBytes,
                                  netsense::kernels::Tier::kTight)) == file);
    } else {
      check_file(data[0] % 4 == 1 ? FileFormat::kNpy : FileFormat::kSafetensors, rest,
                 static_cast<DType>(data[0] / 4 % netsense::kernels::kDTypes));
    }
  } catch (const Error& error) {
    require(error.what()[0] != '\0');
  }
  return 0;
}
