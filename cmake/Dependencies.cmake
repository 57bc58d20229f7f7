# Every third-party library the project uses, found once. `tools/setup` installs them.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "GCC 12 or newer is needed, and ${CMAKE_CXX_COMPILER} is ${CMAKE_CXX_COMPILER_VERSION}. "
    "Run tools/setup, then configure with CC=gcc-12 CXX=g++-12.")
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
add_library(netsense_xxhash INTERFACE)
target_include_directories(netsense_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})

# The plugin is loaded into programs that may carry another libsodium, so it links the static one.
find_path(SODIUM_INCLUDE_DIR sodium.h REQUIRED)
find_library(SODIUM_LIBRARY NAMES libsodium.a sodium REQUIRED)
add_library(netsense_sodium INTERFACE)
target_include_directories(netsense_sodium SYSTEM INTERFACE ${SODIUM_INCLUDE_DIR})
target_link_libraries(netsense_sodium INTERFACE ${SODIUM_LIBRARY})

# Headers only; see kernels/cpu/CMakeLists.txt.
find_path(HIGHWAY_INCLUDE_DIR hwy/highway.h REQUIRED)

# What netsense-codec compares our codecs with; nothing else links to them.
find_path(ZSTD_INCLUDE_DIR zstd.h REQUIRED)
find_library(ZSTD_LIBRARY zstd REQUIRED)
find_path(LZ4_INCLUDE_DIR lz4.h REQUIRED)
find_library(LZ4_LIBRARY lz4 REQUIRED)
add_library(netsense_rival_codecs INTERFACE)
target_include_directories(netsense_rival_codecs SYSTEM INTERFACE ${ZSTD_INCLUDE_DIR} ${LZ4_INCLUDE_DIR})
target_link_libraries(netsense_rival_codecs INTERFACE ${ZSTD_LIBRARY} ${LZ4_LIBRARY})

# netsense-top and netsense-exporter.
set(CURSES_NEED_NCURSES TRUE)
find_package(Curses REQUIRED)
find_package(prometheus-cpp REQUIRED)

if(NETSENSE_TESTS)
  find_package(Catch2 REQUIRED)
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
endif()

# The headers of NCCL and CUDA, for the tests that hold our own declarations against them. Nothing links to CUDA.
# netsense_nccl_headers exists where they do.
if(NOT NETSENSE_CUDA STREQUAL "OFF")
  find_path(NETSENSE_CUDA_INCLUDE_DIR cuda_runtime_api.h
    HINTS $ENV{CUDA_HOME}/include $ENV{CUDA_PATH}/include /usr/local/cuda/include
      ${PROJECT_SOURCE_DIR}/.deps/cuda/include)
  find_path(NETSENSE_NCCL_INCLUDE_DIR nccl.h
    HINTS $ENV{NCCL_HOME}/include ${NETSENSE_CUDA_INCLUDE_DIR} ${PROJECT_SOURCE_DIR}/.deps/nccl/include)
  if(NETSENSE_CUDA_INCLUDE_DIR AND NETSENSE_NCCL_INCLUDE_DIR)
    add_library(netsense_nccl_headers INTERFACE)
    target_include_directories(netsense_nccl_headers SYSTEM INTERFACE
      ${NETSENSE_NCCL_INCLUDE_DIR} ${NETSENSE_CUDA_INCLUDE_DIR})
  elseif(NETSENSE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "NETSENSE_CUDA=ON, but nccl.h or cuda_runtime_api.h was not found. Run tools/setup.")
  endif()
endif()
