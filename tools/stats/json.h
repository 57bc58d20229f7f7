// Everything in the statistics files, for programs.
#pragma once

#include <nlohmann/json.hpp>

#include "tools/stats/rates.h"

namespace netsense::stats {

const char* to_text(telemetry::Direction direction);
const char* to_text(telemetry::State state);

// Base units: bytes, seconds. The rows are of `host`.
nlohmann::ordered_json to_json(const Host& host, const std::vector<Row>& rows);

}  // namespace netsense::stats
