#include <nlohmann/json.hpp>

#include "tools/probe/report.h"

namespace netsense::mesh {

std::string json_report(const Mesh& mesh, const std::vector<std::string>& findings) {
  nlohmann::ordered_json out;
  out["program"] = "netsense-probe";
  out["version"] = NETSENSE_VERSION;
  out["hosts"] = nlohmann::ordered_json::array();
  for (const Host& host : mesh.hosts)
    out["hosts"].push_back({{"name", host.name}, {"interface", host.interface}, {"address", host.address}});
  out["pairs"] = nlohmann::ordered_json::array();
  for (size_t from = 0; from < mesh.hosts.size(); ++from) {
    for (size_t to = 0; to < mesh.hosts.size(); ++to) {
      if (from == to) continue;
      nlohmann::ordered_json pair{{"from", from}, {"to", to}};
      for (const Quantity& quantity : all_quantities())
        pair[quantity.key] = mesh.at(from, to).*quantity.value;
      out["pairs"].push_back(std::move(pair));
    }
  }
  out["findings"] = findings;
  return out.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace netsense::mesh
