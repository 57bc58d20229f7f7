// Catch2, whichever version the system has: 3 (Ubuntu 24.04) or 2 (Debian 12).
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
