// What an order would do to a machine, in the words of the owner's file.
#ifndef SHAKEDOWN_AGENT_LAPTOP_OWNER_ORDER_WORDS_H_
#define SHAKEDOWN_AGENT_LAPTOP_OWNER_ORDER_WORDS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::laptop {

bool IsLoadWord(absl::string_view word);
bool IsSetupWord(absl::string_view word);
std::string LoadWords();  // "make, latt, …", for messages.
std::string SetupWords();

// Whether `word` is allowed when the owner's file says nothing.
bool LoadIsHarmless(absl::string_view word);
bool SetupIsHarmless(absl::string_view word);
// `name`: a parameter's before its "=". One that runs a program, mounts something else or hides the
// token is not harmless; nor is any that is not known.
bool BootParameterIsHarmless(absl::string_view name);
bool TunableIsHarmless(absl::string_view name);

// Whether a rule covers a name: the same, or a start that ends in "." or "_" (or "/").
bool Covers(absl::string_view rule, absl::string_view name);

// Each kind of load once, sorted. "command" when a load, an activity, or what runs beside or under
// a load is a program that the order names; "none" for a load of no kind.
std::vector<std::string> LoadsOf(const v1::BootOrder& order);
// Likewise of the setup's steps; "none" for a step of no kind.
std::vector<std::string> SetupOf(const v1::BootOrder& order);
// Names, in the order's order.
std::vector<std::string> BootParametersOf(const v1::BootOrder& order);
// Of the variant and of setup steps.
std::vector<std::string> TunablesOf(const v1::BootOrder& order);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_OWNER_ORDER_WORDS_H_
