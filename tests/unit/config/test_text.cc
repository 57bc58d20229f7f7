#include "plugin/config/text.h"
#include "tests/catch.h"

namespace netsense::config {

TEST_CASE("blanks are trimmed at both ends only") {
  CHECK(trim(" \t a b\r\n") == "a b");
  CHECK(trim("a") == "a");
  CHECK(trim("  ").empty());
  CHECK(trim("").empty());
}

TEST_CASE("case is ignored for ASCII letters and nothing else") {
  CHECK(equals_ignoring_case("AuTo", "auto"));
  CHECK_FALSE(equals_ignoring_case("auto", "aut"));
  CHECK_FALSE(equals_ignoring_case("@", "`"));
  CHECK(to_lower("AZ@[z") == "az@[z");
}

TEST_CASE("the distance counts insertions, deletions, replacements and swaps of neighbours") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("STREMS", "STREAMS") == 1);
  CHECK(edit_distance("STRAEMS", "STREAMS") == 1);
  CHECK(edit_distance("STREAMSS", "STREAMS") == 1);
  CHECK(edit_distance("STREBMS", "STREAMS") == 1);
  CHECK(edit_distance("streams", "STREAMS") == 0);
  // A swapped pair is not edited again: with unrestricted edits this would be 2.
  CHECK(edit_distance("CA", "ABC") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("text from outside cannot break a log line") {
  CHECK(printable("a\nb\x1b[31m\x7f") == "a?b?[31m?");
  CHECK(printable("\xc3\xa9") == "\xc3\xa9");
  const std::string cut = printable(std::string(1000, 'x'));
  CHECK(cut.size() < 200);
  CHECK(cut.ends_with("x..."));
}

}  // namespace netsense::config
