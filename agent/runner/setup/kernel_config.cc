#include "agent/runner/setup/kernel_config.h"

#include <zlib.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace shakedown::runner {
namespace {

constexpr size_t kLongest = 8 << 20;
constexpr int kGzipWindow = 15 + 16;  // zlib's way to say "gzip header".

// In the order of Kconfig: PREEMPT_RT is set beside PREEMPT, so it is asked first.
constexpr std::pair<const char*, const char*> kPreemption[] = {
    {"CONFIG_PREEMPT_RT=y", "rt"},     {"CONFIG_PREEMPT_LAZY=y", "lazy"},
    {"CONFIG_PREEMPT=y", "full"},      {"CONFIG_PREEMPT_VOLUNTARY=y", "voluntary"},
    {"CONFIG_PREEMPT_NONE=y", "none"},
};

}  // namespace

absl::StatusOr<std::string> Gunzip(absl::string_view packed) {
  z_stream stream = {};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) return absl::InternalError("zlib: inflateInit2");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string text;
  int result = Z_OK;
  while (result == Z_OK && text.size() <= kLongest) {
    char piece[1 << 14];
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof piece;
    result = inflate(&stream, Z_NO_FLUSH);
    text.append(piece, sizeof piece - stream.avail_out);
  }
  inflateEnd(&stream);
  if (text.size() > kLongest) {
    return absl::InvalidArgumentError(absl::StrCat("gzip: more than ", kLongest, " bytes"));
  }
  if (result != Z_STREAM_END) {
    return absl::InvalidArgumentError(absl::StrCat("gzip: not gzip or cut, zlib says ", result));
  }
  return text;
}

std::map<std::string, std::string> ConfigFacts(absl::string_view config) {
  std::map<std::string, std::string> facts;
  std::string preemption;
  size_t best = std::size(kPreemption);
  for (absl::string_view line : absl::StrSplit(config, '\n')) {
    absl::string_view value = line;
    if (absl::ConsumePrefix(&value, "CONFIG_HZ=")) facts["kernel.hz"] = std::string(value);
    if (line == "CONFIG_PREEMPT_DYNAMIC=y") facts["kernel.preempt_dynamic"] = "y";
    for (size_t i = 0; i < best; ++i) {
      if (line == kPreemption[i].first) best = i;
    }
  }
  if (best < std::size(kPreemption)) facts["kernel.preemption"] = kPreemption[best].second;
  return facts;
}

}  // namespace shakedown::runner
