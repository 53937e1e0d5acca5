// Series of other tools' results as people read them. Pure; every text of the farm's is made one
// printable line first.
#ifndef SHAKEDOWN_CONTROLLER_CLI_IMPORTED_LINES_H_
#define SHAKEDOWN_CONTROLLER_CLI_IMPORTED_LINES_H_

#include <cstddef>
#include <string>

#include "shakedown/v1/history.pb.h"

namespace shakedown::cli {

// The title begins with "Imported"; no epochs, boots and changes. Sources stand below the table.
// `columns` as PrintTable.
std::string ImportedText(const v1::HistorySeries& series, size_t columns, bool unicode);

// "9, 12 and 3 more"; "" for a point of the farm's own.
std::string ImportsText(const v1::HistoryPoint& point);
// "published: linux-kernel, 2010-08-08", "latt: https://…", each once, parted by "; ".
std::string SourcesText(const v1::HistoryPoint& point);

// "notes: 2 on kernel:2.6.35-ck1, 1 on machine:p4-ht; see shakedown notes kernel:2.6.35-ck1\n"; ""
// where there are none.
std::string NotesLine(const v1::HistorySeries& series);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_IMPORTED_LINES_H_
