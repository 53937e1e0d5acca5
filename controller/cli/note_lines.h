// Notes as lines of text.
#ifndef SHAKEDOWN_CONTROLLER_CLI_NOTE_LINES_H_
#define SHAKEDOWN_CONTROLLER_CLI_NOTE_LINES_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <string>

#include "shakedown/v1/import.pb.h"

namespace shakedown::cli {

// "17.3B freeze (ada): mouse froze", a line each; printable.
std::string NoteLines(const google::protobuf::RepeatedPtrField<v1::NoteView>& notes);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_NOTE_LINES_H_
