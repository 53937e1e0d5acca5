#include "controller/service/pin_inputs.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "db/store/make_loads.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

constexpr size_t kMostInputs = 8;  // Disks that a machine has room for.
constexpr size_t kMostNames = 20;  // In a message.

std::string NamesText(const std::vector<v1::InputView>& inputs) {
  if (inputs.empty()) return "there is none yet; shakedown inputs add NAME FILE brings one";
  const auto end = inputs.begin() + static_cast<long>(std::min(inputs.size(), kMostNames));
  return absl::StrCat("there are ",
                      absl::StrJoin(inputs.begin(), end, ", ",
                                    [](std::string* out, const v1::InputView& input) {
                                      absl::StrAppend(out, input.name());
                                    }),
                      inputs.size() > kMostNames ? ", …" : "");
}

absl::Status Pin(const std::vector<v1::InputView>& inputs, v1::MakeLoad& make) {
  if (make.tree().empty()) {
    if (make.tree_sha256().empty()) return absl::OkStatus();
    return absl::InvalidArgumentError("tree_sha256 without a tree: want both or none");
  }
  const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const v1::InputView& input) {
    return input.name() == make.tree();
  });
  if (found == inputs.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("tree ", Quoted(make.tree()), ": no such input, ", NamesText(inputs)));
  }
  if (!make.tree_sha256().empty() && make.tree_sha256() != found->sha256()) {
    return absl::InvalidArgumentError(
        absl::StrCat("tree ", make.tree(), ": tree_sha256 ", Quoted(make.tree_sha256()),
                     ", but the input is ", found->sha256(), "; leave it out"));
  }
  make.set_tree_sha256(found->sha256());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::JobSpec> PinInputs(const v1::JobSpec& spec,
                                      const std::vector<v1::InputView>& inputs) {
  v1::JobSpec pinned = spec;
  std::set<std::string> names;
  for (int i = 0; i < pinned.loads_size(); ++i) {
    for (v1::MakeLoad* make : store::MakesOf(*pinned.mutable_loads(i))) {
      RETURN_IF_ERROR(Annotate(Pin(inputs, *make), absl::StrCat("load ", i + 1)));
      if (!make->tree().empty()) names.insert(make->tree());
    }
  }
  if (names.size() <= kMostInputs) return pinned;
  return absl::InvalidArgumentError(
      absl::StrCat("the loads read ", names.size(), " inputs, want at most ", kMostInputs));
}

}  // namespace shakedown::service
