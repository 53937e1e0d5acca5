// Loads and variants as one line of text: what people give on a command line and reports print.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

// One of these, words parted by blanks, options in any order:
//   make [jobs=4] [targets=vmlinux,modules] [iterations=2] [warmups=1]
//   latt [clients=4] [sleep=100] [width=500] [work=64] [seconds=15] [jobs=4] [targets=…]
//   [iterations=…]
//        [warmups=…] [-- COMMAND ARGUMENT…]         sleep, width: ms; work: KiB
//   interbench [benchmarks=Video,X] [loads=None,Burn] [seconds=10] [burn_threads=2]
//   [loops_per_ms=…] [iterations=…]
//        [warmups=…]                                seconds: of each pair
// What is not said has the defaults of a short boot on an emulated two-CPU machine, about 70 s for
// all three: make once without a warm-up; latt with 4 clients and no work item around makes until
// 15 s have passed; interbench Video and X under Burn, 10 s a pair. InvalidArgument names the word
// and what is wanted.
absl::StatusOr<v1::Load> ParseLoad(absl::string_view text);

// A text that ParseLoad reads back into the same load, e.g. "latt clients=4 seconds=15". Options
// that ParseLoad would assume are left out.
std::string PrintLoad(const v1::Load& load);

// "KERNEL [WORD…]": a word NAME=VALUE whose NAME has a dot or a slash is a tunable
// ("kernel.sched_autogroup_enabled=0", "sched/base_slice_ns=3000000"), any other a boot parameter
// ("nohz=off"). "boot:rcutree.use_softirq=0" is a boot parameter whatever its name. Syntax only:
// see CheckJob. "scx:NAME" is what a sched_ext scheduler calls itself; its program stands at the end,
// behind "--": "debian-6.12 scx:simple -- /usr/bin/scx_simple -f". Without "scx:" any name will do.
absl::StatusOr<v1::Variant> ParseVariant(absl::string_view text);

// A text that ParseVariant reads back into the same variant.
std::string PrintVariant(const v1::Variant& variant);

}  // namespace shakedown::plan
