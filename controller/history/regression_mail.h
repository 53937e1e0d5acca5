// What a person may send to a list about a regression. The farm writes it, a person sends it.
#ifndef SHAKEDOWN_CONTROLLER_HISTORY_REGRESSION_MAIL_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_REGRESSION_MAIL_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "shakedown/v1/history.pb.h"

namespace shakedown::history {

struct MailFacts {
  std::string good_variant, bad_variant;     // As submitted: "debian-6.12 nohz=off".
  std::map<std::string, std::string> facts;  // Of the paired job: the same in every measured boot.
  std::vector<std::string> repeat_command;   // ReportView.repeat_command.
  std::string good_boot, bad_boot;           // For `shakedown reproduce`; empty: none.
  std::string order;                         // "AB BA …", with its seed.
  std::vector<std::string> differences;      // What differs beside the version, a line each.
  bool emulated = false;
};

// "v6.12.57" of "6.12.57-1~deb12u1", "v6.12-rc3" of "6.12.0-rc3", a commit of "…-gabcdef012345".
// Empty: it is not to be told.
std::string UpstreamName(absl::string_view version);

// "regression", of a confirmed one alone; "improvement"; "suspected change" of what no paired job
// has shown.
std::string RegressionWord(const v1::RegressionView& regression);

// Plain text of at most 76 columns where words allow: what, where measured, n, interval, how to
// reproduce, fingerprint. Only a confirmed one is called a regression and has the paragraph for
// regzbot, and only where both names are known upstream; others say what they are in their first
// line.
std::string RegressionMail(const v1::RegressionView& regression, const MailFacts& facts);

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_REGRESSION_MAIL_H_
