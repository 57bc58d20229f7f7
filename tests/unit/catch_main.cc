// The main function of the unit tests with Catch2 version 2, compiled once.
#define CATCH_CONFIG_MAIN
#include "tests/catch.h"
