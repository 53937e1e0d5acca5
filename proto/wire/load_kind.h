// The word for a load's kind. A template, so that the programs with full and those with lite
// messages share it.
#ifndef SHAKEDOWN_PROTO_WIRE_LOAD_KIND_H_
#define SHAKEDOWN_PROTO_WIRE_LOAD_KIND_H_

#include <string>

namespace shakedown {

// What may be submitted, for messages that say what is wanted.
inline constexpr char kLoadKinds[] = "make, latt, interbench, launch, frames, command or tool";

// `Load`: v1::Load. "none" when no kind is set.
template <typename Load>
std::string LoadKind(const Load& load) {
  switch (load.kind_case()) {
    case Load::kMake:
      return "make";
    case Load::kLatt:
      return "latt";
    case Load::kInterbench:
      return "interbench";
    case Load::kLaunch:
      return "launch";
    case Load::kFrames:
      return "frames";
    case Load::kCommand:
      return "command";
    case Load::kTool:
      return "tool";
    case Load::KIND_NOT_SET:
      break;
  }
  return "none";
}

}  // namespace shakedown

#endif  // SHAKEDOWN_PROTO_WIRE_LOAD_KIND_H_
