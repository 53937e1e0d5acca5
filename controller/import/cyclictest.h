// What cyclictest's three outputs have in common.
#ifndef SHAKEDOWN_CONTROLLER_IMPORT_CYCLICTEST_H_
#define SHAKEDOWN_CONTROLLER_IMPORT_CYCLICTEST_H_

#include <string>

#include "absl/strings/string_view.h"
#include "controller/import/result.h"

namespace shakedown::importer {

struct CyclictestUnit {
  std::string unit = "us";
  bool said = false;
};

// us by default, ns with -N; `command` empty: not known.
CyclictestUnit UnitOfCommand(absl::string_view command);

void AddCyclictest(absl::string_view name, double value, const CyclictestUnit& unit,
                   const SourcePtr& source, int line, Sink& sink);

}  // namespace shakedown::importer

#endif  // SHAKEDOWN_CONTROLLER_IMPORT_CYCLICTEST_H_
