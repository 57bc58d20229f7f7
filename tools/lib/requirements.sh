# Sourced by tools/setup: what the project needs from the system, and how to see whether it is there.
# shellcheck shell=bash

# One need a line: how to see that it is there, then the package (Debian's and Ubuntu's name) that brings it.
#   command NAME | header FILE[,FILE...] (any of them)
base_needs='
command ninja              ninja-build
command ccache             ccache
command python3            python3
header fmt/format.h        libfmt-dev
header xxhash.h            libxxhash-dev
header sodium.h            libsodium-dev
header CLI/CLI.hpp         libcli11-dev
header nlohmann/json.hpp   nlohmann-json3-dev
header hwy/highway.h       libhwy-dev
header zstd.h              libzstd-dev
header lz4.h               liblz4-dev
header curses.h            libncurses-dev
header prometheus/exposer.h  prometheus-cpp-dev
header catch2/catch.hpp,catch2/catch_all.hpp  catch2
command ip                 iproute2
command nft                nftables
command ethtool            ethtool
command iperf3             iperf3
'
dev_needs='
command clang++            clang
command clang-format       clang-format
command clang-tidy         clang-tidy
runtime fuzzer             libclang-rt-dev
'

oldest_cmake=3.25
cuda_release=13.0
cuda_wheels=(nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm nvidia-cuda-runtime nvidia-cuda-cccl)
nccl_wheel=nvidia-nccl-cu13

have_header() {
  local file folder
  for file in ${1//,/ }; do
    for folder in /usr/include /usr/local/include; do
      [[ -e $folder/$file ]] && return 0
    done
  done
  return 1
}

# Clang's own run-time libraries, which Debian packs apart from the compiler.
have_clang_runtime() {
  command -v clang > /dev/null && [[ -e $(clang -print-file-name="libclang_rt.$1-$(uname -m).a") ]] ||
    compgen -G "/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.$1-*.a" > /dev/null
}

# missing_packages NEEDS: prints the packages of the needs that are not met.
missing_packages() {
  local kind what package
  while read -r kind what package; do
    case $kind in
      command) command -v "$what" > /dev/null || say "$package" ;;
      header) have_header "$what" || say "$package" ;;
      runtime) have_clang_runtime "$what" || say "$package" ;;
    esac
  done <<< "$1"
}

cmake_is_new_enough() {
  local version
  version=$(cmake --version 2> /dev/null) || return 1
  version=${version#cmake version }
  version_at_least "${version%%[!0-9.]*}" "$oldest_cmake"
}

# find_cuda: prints the folder of a CUDA toolkit (with bin/nvcc), if there is one.
find_cuda() {
  local folder nvcc
  for folder in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda "$deps/cuda"; do
    if [[ -n $folder && -x $folder/bin/nvcc ]]; then
      say "$folder"
      return 0
    fi
  done
  nvcc=$(command -v nvcc) && nvcc=$(readlink -f "$nvcc") && say "${nvcc%/bin/nvcc}"
}

# find_nccl: prints the folder that holds nccl.h, if there is one.
find_nccl() {
  local folder
  for folder in "${NCCL_HOME:-}/include" /usr/include /usr/local/include "${CUDA_HOME:-/usr/local/cuda}/include" \
    "$deps/nccl/include"; do
    if [[ -e $folder/nccl.h ]]; then
      say "$folder"
      return 0
    fi
  done
  return 1
}
