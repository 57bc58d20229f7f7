// The parsers of .npy and .safetensors: what they understand, and that nonsense is an error that says so.
#include "tests/catch.h"
#include "tests/unit/codec/made.h"
#include "tools/codec/error.h"
#include "tools/codec/pieces.h"

namespace netsense::codec {
namespace {

using testing::Bytes;
using testing::npy;
using testing::safetensors;

std::string complaint(FileFormat format, const Bytes& file) {
  try {
    (void)pieces_of(format, file);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

std::optional<DType> npy_type(const std::string& descr, size_t bytes) {
  return npy_pieces(npy("{'descr': '" + descr + "', 'fortran_order': True, 'shape': (2, 3)}", 6 * bytes))
      .at(1)
      .type;
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the format is known by first bytes, by name, or is raw") {
  const Bytes array = npy("{}", 0);
  CHECK(format_of("a.bin", array) == FileFormat::kNpy);
  CHECK(format_of("a.safetensors", safetensors("{}", 0)) == FileFormat::kSafetensors);
  CHECK(format_of("a.bin", safetensors("{}", 0)) == FileFormat::kRaw);
  CHECK(format_of("a.npy", {}) == FileFormat::kRaw);
}

TEST_CASE(".npy: little-endian floats have a type, void may be any, the rest are bytes") {
  CHECK(npy_type("<f4", 4) == DType::kF32);
  CHECK(npy_type("<f2", 2) == DType::kF16);
  CHECK(npy_type("<f8", 8) == DType::kF64);
  CHECK(npy_type("|V2", 2) == std::nullopt);
  CHECK(npy_type(">f4", 4) == DType::kBytes);
  CHECK(npy_type("<i8", 8) == DType::kBytes);
  CHECK(npy_type("<U5", 20) == DType::kBytes);
}

TEST_CASE(".npy: pieces are the header and the data; a scalar has one element") {
  const std::string header = "{'shape': (), 'descr': '<f8', 'fortran_order': False, }  \n";
  const std::vector<Piece> pieces = npy_pieces(npy(header, 8));
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].bytes == 10 + header.size());
  CHECK_FALSE(pieces[0].is_data);
  CHECK(pieces[1].offset == pieces[0].bytes);
  CHECK(pieces[1].bytes == 8);
}

TEST_CASE(".npy: what is wrong is said") {
  const auto said = [](const std::string& header, size_t bytes = 0) {
    return complaint(FileFormat::kNpy, npy(header, bytes));
  };
  CHECK(has(said("{}"), "no descr"));
  CHECK(has(said("{'descr': 4}"), "descr that is no text"));
  CHECK(has(said("{'descr': '<f4'}"), "no shape"));
  CHECK(has(said("{'descr': '<f4', 'shape': 3}"), "no tuple"));
  CHECK(has(said("{'descr': '<f4', 'shape': (-3,)}"), "numbers"));
  CHECK(has(said("{'descr': '<f4', 'shape': (1 2)}"), "numbers"));
  CHECK(has(said("{'descr': '<f4', 'shape': (3,)}", 11), "than the 11 there are"));
  CHECK(has(said("{'descr': '<f4', 'shape': (4611686018427387904,4)}", 0), "another number of bytes"));
  Bytes file = npy("{'descr': '<f4', 'shape': (0,)}", 0);
  CHECK(complaint(FileFormat::kNpy, file) == "none");
  file.pop_back();
  CHECK(has(complaint(FileFormat::kNpy, file), "cut off"));
  file[6] = 4;
  CHECK(has(complaint(FileFormat::kNpy, file), "version 4"));
}

TEST_CASE(".safetensors: tensors in the order of the file") {
  const Bytes file = safetensors(
      R"({"b":{"dtype":"BF16","shape":[2,2],"data_offsets":[4,12]},"__metadata__":{"a":"b"},)"
      R"("e":{"dtype":"F32","shape":[0],"data_offsets":[4,4]},)"
      R"("a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"c":{"dtype":"NEW","shape":[1],"data_offsets":[12,13]}})",
      13);
  const std::vector<Piece> pieces = safetensors_pieces(file);
  REQUIRE(pieces.size() == 5);
  CHECK(pieces[0].bytes == file.size() - 13);
  CHECK(pieces[1].type == DType::kF32);
  CHECK(pieces[2].bytes == 0);
  CHECK(pieces[3].type == DType::kBf16);
  CHECK(pieces[3].offset == pieces[0].bytes + 4);
  CHECK(pieces[4].type == std::nullopt);
}

TEST_CASE(".safetensors: what is wrong is said") {
  const auto said = [](const std::string& header, size_t bytes) {
    return complaint(FileFormat::kSafetensors, safetensors(header, bytes));
  };
  CHECK(said("{}", 0) == "none");
  CHECK(has(said("{}", 3), "goes on for 3 bytes"));
  CHECK(has(said("[]", 0), "no JSON object"));
  CHECK(has(said("{", 0), "no JSON object"));
  CHECK(has(said(R"({"a":1})", 0), "no object"));
  CHECK(has(said(R"({"a":{"dtype":"F32","shape":[1]}})", 4), "no data_offsets"));
  CHECK(has(said(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[-1,3]}})", 4), "no number"));
  CHECK(has(said(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})", 4), "outside the file"));
  CHECK(has(said(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4), "outside the file"));
  CHECK(has(said(R"({"a":{"dtype":1,"shape":[1],"data_offsets":[0,4]}})", 4), "no dtype"));
  CHECK(has(said(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4), "does not fit"));
  CHECK(has(said(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                 R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
                 3),
            "overlap or leave gaps"));
  Bytes file = safetensors("{}", 0);
  file.pop_back();
  CHECK(has(complaint(FileFormat::kSafetensors, file), "cut off"));
  CHECK(has(complaint(FileFormat::kSafetensors, Bytes(8, 0xff)), "no .safetensors file"));
}

}  // namespace netsense::codec
