# Compiler settings that hold for every target of the project.
add_compile_options(-Wall -Wextra -Werror)

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

if(NETSENSE_SANITIZE)
  add_compile_options(-fsanitize=${NETSENSE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${NETSENSE_SANITIZE})
endif()
if(NETSENSE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
