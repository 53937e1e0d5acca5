#include "controller/history/load_key.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <map>

#include "absl/strings/str_cat.h"
#include "controller/plan/setup_text.h"
#include "controller/plan/text.h"
#include "controller/plan/text_activity.h"
#include "proto/wire/digest.h"

namespace shakedown::history {
namespace {

std::string BytesOf(const v1::JobSpec& spec) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    spec.SerializeToCodedStream(&coded);
  }
  return bytes;
}

}  // namespace

std::vector<LoadKey> LoadKeysOf(const v1::JobSpec& spec) {
  std::vector<LoadKey> keys;
  std::map<std::string, int> seen;
  for (const v1::Load& load : spec.loads()) {
    v1::JobSpec only;
    *only.add_loads() = load;
    *only.mutable_background() = spec.background();
    *only.mutable_setup() = spec.setup();
    std::string bytes = BytesOf(only);
    std::string text = plan::PrintLoad(load);
    for (const v1::Activity& activity : spec.background()) {
      absl::StrAppend(&text, ", beside ", plan::PrintActivity(activity));
    }
    for (const v1::SetupStep& step : spec.setup()) {
      absl::StrAppend(&text, ", setup ", plan::PrintSetupStep(step));
    }
    if (const int before = seen[bytes]++; before > 0) {
      absl::StrAppend(&text, " #", before + 1);
      absl::StrAppend(&bytes, "#", before + 1);
    }
    keys.push_back({Sha256Hex(bytes), text});
  }
  return keys;
}

}  // namespace shakedown::history
