#include "kernels/cpu/convert.h"

#include <cstring>

#include "kernels/cpu/backend.h"

namespace netsense::kernels {
namespace {

bool has_conversion(DType type) {
  return type == DType::kF32 || type == DType::kF16 || type == DType::kBf16;
}

}  // namespace

bool to_f32(const Backend& backend, DType type, const void* src, size_t n, float* dst) {
  if (!has_conversion(type)) return false;
  if (type != DType::kF32) {
    backend.lossy->widen(type, static_cast<const uint8_t*>(src), n, dst, /*add=*/false);
  } else if (n != 0) {
    std::memcpy(dst, src, n * sizeof(float));
  }
  return true;
}

bool from_f32(const Backend& backend, DType type, const float* src, size_t n, void* dst) {
  if (!has_conversion(type)) return false;
  if (type != DType::kF32) {
    backend.lossy->narrow(type, src, n, static_cast<uint8_t*>(dst));
  } else if (n != 0) {
    std::memcpy(dst, src, n * sizeof(float));
  }
  return true;
}

bool add_f32(const Backend& backend, DType type, const void* src, size_t n, float* sum) {
  if (!has_conversion(type)) return false;
  backend.lossy->widen(type, static_cast<const uint8_t*>(src), n, sum, /*add=*/true);
  return true;
}

bool to_f32(DType type, const void* src, size_t n, float* dst) {
  return to_f32(*backends().front(), type, src, n, dst);
}
bool from_f32(DType type, const float* src, size_t n, void* dst) {
  return from_f32(*backends().front(), type, src, n, dst);
}
bool add_f32(DType type, const void* src, size_t n, float* sum) {
  return add_f32(*backends().front(), type, src, n, sum);
}

}  // namespace netsense::kernels
