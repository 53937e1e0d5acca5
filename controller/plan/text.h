// Loads and variants as one line of text: what people give on a command line and reports print.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

// Reads a file that an option names ("script=./debtree", "config=./.config"): what a person gives
// on a command line. Empty: such options are refused.
using FileReader = std::function<absl::StatusOr<std::string>(const std::string& path)>;

// One of these, options in any order. Words are parted by blanks; '…' keeps blanks in a word.
//   make [jobs=4|2x] [targets=vmlinux,modules] [cold] [tree=INPUT]
//        [config=allnoconfig|defconfig|tinyconfig|FILE]       jobs=2x: twice the CPUs online
//   latt [clients=4] [sleep=100] [width=500] [work=64] [seconds=15] [profile=2009-09-08|0.1]
//        [jobs=…] [targets=…] [tree=…] [config=…] [-- COMMAND ARGUMENT…]
//                                                             sleep, width: ms; work: KiB
//   interbench [benchmarks=Video,X] [loads=None,Burn] [seconds=10] [burn_threads=2]
//        [loops_per_ms=…] [profile=HEAD|0.31] [bench_nice=N] [load_nice=N] [realtime]
//        [single_cpu] [custom_percent=N] [custom_interval_us=N] [max_file_mib=N]
//                                                             seconds: of each pair
//   launch [count=50] [pause=100] [cold] [beside=…] [-- PROGRAM ARGUMENT…]     pause: ms
//   frames [fps=25] [seconds=30] [cpu=30] [threads=1] [beside=…] [loops_per_ms=…]
//                                                             cpu: % of one
//   command [parallel=2] [latt|latt=CLIENTS] [script=FILE] [-- PROGRAM ARGUMENT…]
//   tool hackbench|cyclictest|stress-ng|sysbench|perf-messaging|perf-pipe [seconds=10]
//        [-- ARGUMENT…]
// beside=burn:THREADS, make, make:JOBS or command:PROGRAM,ARGUMENT,…; and for all of them
// [iterations=…] [warmups=…], and but for interbench [nice=N].
//
// What is not said has the defaults of a short boot on an emulated two-CPU machine, about 70 s for
// make, latt and interbench: make once without a warm-up; latt with 4 clients and no work item
// around makes until 15 s have passed; interbench Video and X under Burn, 10 s a pair.
// InvalidArgument names the word and what is wanted; or `files` has failed.
absl::StatusOr<v1::Load> ParseLoad(absl::string_view text, const FileReader& files = nullptr);
// The same of words that are parted already.
absl::StatusOr<v1::Load> ParseLoadWords(std::vector<std::string> words,
                                        const FileReader& files = nullptr);
// As ParseLoad; "jobs=1,2,2x" is a load for each of them.
absl::StatusOr<std::vector<v1::Load>> ParseLoads(absl::string_view text,
                                                 const FileReader& files = nullptr);

// A text that ParseLoad reads back into the same load, e.g. "latt clients=4 seconds=15". Options
// that ParseLoad would assume are left out. Of a script and a whole configuration it says only how
// long they are, and of a beside=make only the jobs.
std::string PrintLoad(const v1::Load& load);

// "KERNEL [WORD…]": a word NAME=VALUE whose NAME has a dot or a slash is a tunable
// ("kernel.sched_autogroup_enabled=0", "sched/base_slice_ns=3000000"), any other a boot parameter
// ("nohz=off"). "boot:rcutree.use_softirq=0" is a boot parameter whatever its name. Syntax only:
// see CheckJob. "scx:NAME" is what a sched_ext scheduler calls itself; its program stands at the
// end, behind "--": "debian-6.12 scx:simple -- /usr/bin/scx_simple -f". Without "scx:" any name
// will do.
absl::StatusOr<v1::Variant> ParseVariant(absl::string_view text);

// A text that ParseVariant reads back into the same variant.
std::string PrintVariant(const v1::Variant& variant);

}  // namespace shakedown::plan
