// Which instruction sets there is code for, and which of them this CPU has. Highway's own library would tell,
// too.
#include <hwy/highway.h>

#include <array>
#include <iterator>

#include "kernels/cpu/backend.h"

namespace netsense::kernels {

// What sub_block.cc makes once per target. Declared for all; only those in HWY_TARGETS are used.
#if HWY_ARCH_X86
namespace N_AVX3_DL {
extern const Backend kBackend;
}
namespace N_AVX3 {
extern const Backend kBackend;
}
namespace N_AVX2 {
extern const Backend kBackend;
}
namespace N_SSE4 {
extern const Backend kBackend;
}
#endif
namespace HWY_NAMESPACE {
extern const Backend kBackend;
}

namespace {

// What the compiler was allowed to use for a target (HWY_TARGET_STR in Highway's set_macros-inl.h), as far as
// it differs from CPU to CPU.
bool cpu_has(int64_t target) {
#if HWY_ARCH_X86
  const bool sse4 =
      __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
  const bool avx2 = sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
  const bool avx3 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512bw");
  switch (target) {
    case HWY_SSE4:
      return sse4;
    case HWY_AVX2:
      return avx2;
    case HWY_AVX3:
      return avx3;
    case HWY_AVX3_DL:
      return avx3 && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
             __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("avx512vpopcntdq") &&
             __builtin_cpu_supports("vpclmulqdq");
    default:
      break;
  }
#endif
  return target == HWY_STATIC_TARGET;
}

struct Candidate {
  int64_t target;
  const Backend* backend;
};
constexpr Candidate kCandidates[] = {
#if HWY_TARGETS & HWY_AVX3_DL
    {HWY_AVX3_DL, &N_AVX3_DL::kBackend},
#endif
#if HWY_TARGETS & HWY_AVX3
    {HWY_AVX3, &N_AVX3::kBackend},
#endif
#if HWY_TARGETS & HWY_AVX2
    {HWY_AVX2, &N_AVX2::kBackend},
#endif
#if HWY_TARGETS & HWY_SSE4
    {HWY_SSE4, &N_SSE4::kBackend},
#endif
    {HWY_STATIC_TARGET, &HWY_NAMESPACE::kBackend},
};

struct Usable {
  std::array<const Backend*, std::size(kCandidates)> list{};
  size_t count = 0;

  Usable() {
    for (const Candidate& candidate : kCandidates) {
      if (cpu_has(candidate.target)) list[count++] = candidate.backend;
    }
  }
};

}  // namespace

std::span<const Backend* const> backends() {
  static const Usable usable;
  return std::span(usable.list).first(usable.count);
}

const char* backend_name(const Backend& backend) {
  return backend.name;
}

}  // namespace netsense::kernels
