#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace shakedown::compare {

// `text` as text and as a quoted attribute of HTML and SVG: no markup, one line, nothing invisible.
std::string HtmlText(absl::string_view text);

}  // namespace shakedown::compare
