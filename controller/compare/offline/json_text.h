// Numbers and strings as JSON, for the answers of the commands that need no farm.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_OFFLINE_JSON_TEXT_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_OFFLINE_JSON_TEXT_H_

#include <string>
#include <string_view>

namespace shakedown::offline {

// The shortest decimal that reads back as the same double; "null" for what is not finite.
std::string JsonNumber(double value);

// In quotes. `text` is UTF-8.
std::string JsonString(std::string_view text);

}  // namespace shakedown::offline

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_OFFLINE_JSON_TEXT_H_
