// Text inside HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace netsense::markup {

// Every character that means something there replaced.
std::string escape(std::string_view text);

}  // namespace netsense::markup
