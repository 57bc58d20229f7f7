// The measurement as people and programs read it.
#pragma once

#include <string>
#include <vector>

#include "tools/probe/cell.h"

namespace netsense::mesh {

// One line per ordered pair, then what stands out.
[[nodiscard]] std::string text_report(const Mesh& mesh, const std::vector<std::string>& findings);

// docs/probe.md says what is in it.
[[nodiscard]] std::string json_report(const Mesh& mesh, const std::vector<std::string>& findings);

// A page without anything from elsewhere, with a heat map per quantity.
[[nodiscard]] std::string html_report(const Mesh& mesh, const std::vector<std::string>& findings);

}  // namespace netsense::mesh
