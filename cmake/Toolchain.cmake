# Compiler settings that hold for every target of the project.
add_compile_options(-Wall -Wextra -Werror)

# Paths are hashed relative to the tree, so that a second clone finds what the first one compiled.
find_program(CCACHE ccache)
if(CCACHE)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

if(NETSENSE_SANITIZE)
  add_compile_options(-fsanitize=${NETSENSE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${NETSENSE_SANITIZE})
endif()
if(NETSENSE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
