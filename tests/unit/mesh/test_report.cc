#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/unit/mesh/even_mesh.h"
#include "tools/probe/report.h"

using namespace netsense::mesh;
using Catch::Contains;

namespace {

size_t count(const std::string& text, const std::string& what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("the JSON has every pair with every quantity") {
  Mesh mesh = even_mesh(3);
  mesh.cells[2][1].bandwidth = 42;
  const auto json = nlohmann::json::parse(json_report(mesh, {"a finding"}));
  CHECK(json["hosts"].size() == 3);
  REQUIRE(json["pairs"].size() == 6);
  for (const auto& pair : json["pairs"]) {
    for (const Quantity& quantity : all_quantities()) CHECK(pair.contains(quantity.key));
    if (pair["from"] == 2 && pair["to"] == 1) CHECK(pair["bandwidth"] == 42);
  }
  CHECK(json["findings"] == nlohmann::json{"a finding"});
}

TEST_CASE("the table shows up and down of each pair") {
  Mesh mesh = even_mesh(2);
  mesh.cells[0][1].bandwidth = 1e6;
  mesh.cells[1][0].bandwidth = 2e6;
  const std::string text = text_report(mesh, {});
  CHECK_THAT(text, Contains("    8.0 Mbit/s   16.0 Mbit/s"));
  CHECK_THAT(text, Contains("   16.0 Mbit/s    8.0 Mbit/s"));
  CHECK_THAT(text, Contains("Nothing stands out"));
}

TEST_CASE("the page has one heat map per quantity, one tile per pair, and needs nothing from elsewhere") {
  const std::string html = html_report(even_mesh(3), {"one"});
  CHECK(count(html, "<svg") == all_quantities().size());
  CHECK(count(html, "<rect") == 6 * all_quantities().size());
  for (const char* outside : {"http", "src=", "href=", "url(", "@import"}) CHECK(count(html, outside) == 0);
}

TEST_CASE("a tenth of the rate is red, equal rates are all green") {
  Mesh mesh = even_mesh(3);
  CHECK(count(html_report(mesh, {}), "hsl(0,") == 0);
  mesh.cells[0][1].bandwidth /= 10;
  CHECK(count(html_report(mesh, {}), "hsl(0,") == 1);
}

TEST_CASE("names cannot break out of the page") {
  Mesh mesh = even_mesh(2);
  mesh.hosts[0].name = "<script>\"&'";
  const std::string html = html_report(mesh, {"<b>"});
  CHECK(count(html, "<script") == 0);
  CHECK(count(html, "<b>") == 0);
  CHECK_THAT(html, Contains("&lt;script&gt;&quot;&amp;&#39;"));
}
