#include "controller/compare/repeat.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "controller/plan/check_job.h"
#include "controller/plan/text.h"
#include "controller/plan/text_activity.h"

namespace shakedown::compare {
namespace {

bool IsPlain(char c) {
  return absl::ascii_isalnum(c) ||
         absl::string_view("%+,-./:=@_").find(c) != absl::string_view::npos;
}

// Scripts, whole configurations and the like can be given in a job file alone.
bool FitsAFlag(const v1::Load& load) {
  const absl::StatusOr<v1::Load> again = plan::ParseLoad(plan::PrintLoad(load));
  if (!again.ok()) return false;
  v1::JobSpec asked, read;
  *asked.add_loads() = load;
  *read.add_loads() = *again;
  for (v1::JobSpec* spec : {&asked, &read}) {  // WithDefaults takes a title from them.
    spec->set_title("title");
    *spec = plan::WithDefaults(*spec);
  }
  return asked.SerializeAsString() == read.SerializeAsString();
}

// What makes the same looks: flags as they are, values for a shell.
void AddStopping(const v1::JobSpec& spec, std::vector<std::string>* command) {
  if (spec.stopping() == v1::STOPPING_RULE_QUICK) {
    command->push_back("--quick");
  } else if (spec.stopping() == v1::STOPPING_RULE_LOOKS) {
    command->push_back("--looks");
  } else {
    command->push_back(absl::StrCat("--blocks ", spec.blocks()));
  }
  if (spec.budget_s() > 0) command->push_back(absl::StrCat("--budget ", spec.budget_s(), "s"));
  for (const std::string& metric : spec.primary_metrics()) {
    command->push_back(absl::StrCat("--primary ", ShellWord(metric)));
  }
  if (spec.control()) command->push_back("--control");
}

}  // namespace

std::string ShellWord(absl::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), IsPlain)) return std::string(text);
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

std::vector<std::string> RepeatCommand(const v1::JobView& job) {
  const v1::JobSpec& spec = job.spec();
  if (!std::all_of(spec.loads().begin(), spec.loads().end(), FitsAFlag)) {
    return {"shakedown submit JOBFILE",
            absl::StrCat("# with order_seed: ", job.plan().order_seed(), " in it")};
  }
  std::vector<std::string> command = {"shakedown submit"};
  const auto add = [&](absl::string_view flag, absl::string_view value) {
    command.push_back(absl::StrCat(flag, " ", ShellWord(value)));
  };
  for (int v = 0; v < spec.variants_size(); ++v) {
    if (spec.variants(v).control()) continue;
    add(v == 0 ? "--baseline" : "--challenger", plan::PrintVariant(spec.variants(v)));
  }
  for (const v1::Load& load : spec.loads()) add("--load", plan::PrintLoad(load));
  for (const v1::Activity& activity : spec.background()) {
    add("--background", plan::PrintActivity(activity));
  }
  for (const std::string& name : spec.machines().names()) add("--machine", name);
  for (const std::string& tag : spec.machines().tags()) add("--tag", tag);
  AddStopping(spec, &command);
  if (spec.max_attempts() != 3) add("--attempts", absl::StrCat(spec.max_attempts()));
  add("--seed", absl::StrCat(job.plan().order_seed()));
  add("--title", spec.title());
  return command;
}

}  // namespace shakedown::compare
