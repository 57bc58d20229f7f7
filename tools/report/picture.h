// Panels one below the other, over the same time.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/report/paths.h"

namespace netsense::report {

struct PictureText {
  std::string_view title;  // empty: none
  std::string_view subtitle;
};

enum class PictureKind : unsigned char {
  kSending,    // everything that is known of a sender
  kReceiving,  // and of a receiver
  kCompact,    // of a sender, without the decisions: for a README
};

// An <svg> element. alone: a file of its own, with its colours.
std::string picture(const TraceSet& set, std::span<const Moment> course, PictureKind kind,
                    const PictureText& text, bool alone);

}  // namespace netsense::report
