#pragma once

namespace shakedown::compare {

struct PrintOptions {
  // Rows without a change and those for information too.
  bool all = false;
  // Stars by the rule of 2010, which knows no uncertainty, in place of marks.
  bool classic_asterisk = false;
  // How the numbers are laid out.
  enum class Layout {
    kTable,
    k2009,  // make and latt side by side.
    k2010,  // interbench as its author posted it.
  };
  Layout layout = Layout::kTable;
  // In the layouts of the posts A stands first.
  bool baseline_first = false;
};

}  // namespace shakedown::compare
