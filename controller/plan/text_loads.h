// The text of each kind of load, for text.cc. What each option means: text.h.
#pragma once

#include <string>

#include "controller/plan/text.h"
#include "controller/plan/text_options.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

// The load as it is when nothing is said but its name. InvalidArgument: no such load.
absl::StatusOr<v1::Load> DefaultLoad(const std::string& name);

// `files` may be empty; it outlives the options.
void AddMakeOptions(v1::MakeLoad* make, const FileReader& files, Options* options);
void PrintMake(const v1::MakeLoad& make, OptionPrinter& print);
// "4" or "2x".
absl::Status SetJobs(const std::string& value, v1::MakeLoad* make);
std::string PrintJobs(const v1::MakeLoad& make);  // Empty: by itself.

void AddLattOptions(v1::LattLoad* latt, Options* options);  // Without those of its make.
void PrintLatt(const v1::LattLoad& latt, const v1::LattLoad& assumed, OptionPrinter& print);

void AddInterbenchOptions(v1::InterbenchLoad* bench, Options* options);
void PrintInterbench(const v1::InterbenchLoad& bench, const v1::InterbenchLoad& assumed,
                     OptionPrinter& print);

void AddLaunchOptions(v1::LaunchLoad* launch, Options* options);
void PrintLaunch(const v1::LaunchLoad& launch, const v1::LaunchLoad& assumed, OptionPrinter& print);
void AddFramesOptions(v1::FramesLoad* frames, Options* options);
void PrintFrames(const v1::FramesLoad& frames, const v1::FramesLoad& assumed, OptionPrinter& print);

void AddCommandOptions(v1::CommandLoad* command, const FileReader& files, Options* options);
void PrintCommand(const v1::CommandLoad& command, OptionPrinter& print);
void AddToolOptions(v1::ToolLoad* tool, Options* options);
void PrintTool(const v1::ToolLoad& tool, const v1::ToolLoad& assumed, OptionPrinter& print);

}  // namespace shakedown::plan
