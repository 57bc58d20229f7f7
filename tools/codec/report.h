// Figures for people and for programs.
#pragma once

#include <span>
#include <string>

#include "tools/codec/measure.h"

namespace netsense::codec {

// Coded bits over the bound's; 0 where there is no bound, or it is 0 (all elements alike).
double over_bound(const Figures& figures, const CoderFigures& coder);

std::string text_report(std::span<const Figures> all);

// {"block_bytes": ..., "instruction_set": ..., "results": [...]}; the names of its members are stable.
std::string json_report(std::span<const Figures> all);

}  // namespace netsense::codec
