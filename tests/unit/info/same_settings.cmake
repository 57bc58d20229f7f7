# docs/settings.md is what the program prints.
execute_process(COMMAND ${PROGRAM} --settings-markdown OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ ${DOCUMENT} document)
if(NOT printed STREQUAL document)
  message(FATAL_ERROR "${DOCUMENT} is not up to date: run `netsense-info --settings-markdown > docs/settings.md`")
endif()
