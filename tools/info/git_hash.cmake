# Writes ${OUTPUT}, a header with the commit the tree stands at. Run at every build: a commit does not touch any file
# that CMake watches. The header changes only when the commit does, so nothing is rebuilt for nothing.
cmake_minimum_required(VERSION 3.25)
set(hash "unknown")
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(
    COMMAND ${GIT_EXECUTABLE} -C ${SOURCE_DIR} describe --always --dirty --exclude=* --abbrev=12
    OUTPUT_VARIABLE found RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(hash ${found})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\n#define NETSENSE_GIT_HASH \"@hash@\"\n" @ONLY)
