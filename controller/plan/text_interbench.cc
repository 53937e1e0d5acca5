#include "controller/plan/interbench_names.h"
#include "controller/plan/text_loads.h"
#include "proto/wire/status.h"

namespace shakedown::plan {
namespace {

// As ListInto, in interbench's spelling; a name it does not know is kept for CheckJob to refuse.
Setter InterbenchNamesInto(Names* list) {
  return [list](const std::string& value) -> absl::Status {
    RETURN_IF_ERROR(ListInto(list)(value));
    for (std::string& name : *list) name = CanonicalInterbenchName(name);
    return absl::OkStatus();
  };
}

}  // namespace

void AddInterbenchOptions(v1::InterbenchLoad* bench, Options* options) {
  auto& values = options->values;
  values["benchmarks"] = InterbenchNamesInto(bench->mutable_benchmarks());
  values["loads"] = InterbenchNamesInto(bench->mutable_loads());
  values["seconds"] = CountInto([bench](uint32_t n) { bench->set_seconds(n); });
  values["burn_threads"] =
      NumberInto<uint32_t>([bench](uint32_t n) { bench->set_burn_threads(n); });
  values["loops_per_ms"] =
      NumberInto<uint64_t>([bench](uint64_t n) { bench->set_loops_per_ms(n); });
  values["profile"] = TextInto([bench](std::string name) { bench->set_profile(std::move(name)); });
  values["bench_nice"] = SignedInto([bench](int32_t n) { bench->set_bench_nice(n); });
  values["load_nice"] = SignedInto([bench](int32_t n) { bench->set_load_nice(n); });
  values["custom_percent"] =
      NumberInto<uint32_t>([bench](uint32_t n) { bench->set_custom_percent(n); });
  values["custom_interval_us"] =
      NumberInto<uint32_t>([bench](uint32_t n) { bench->set_custom_interval_us(n); });
  values["max_file_mib"] =
      NumberInto<uint64_t>([bench](uint64_t n) { bench->set_max_file_mib(n); });
  options->flags["realtime"] = [bench] { bench->set_realtime(true); };
  options->flags["single_cpu"] = [bench] { bench->set_single_cpu(true); };
}

void PrintInterbench(const v1::InterbenchLoad& bench, const v1::InterbenchLoad& assumed,
                     OptionPrinter& print) {
  print.List("benchmarks", bench.benchmarks(), assumed.benchmarks());
  print.List("loads", bench.loads(), assumed.loads());
  print.Number("seconds", bench.seconds(), assumed.seconds());
  print.Number("burn_threads", bench.burn_threads(), 0);
  print.Number("loops_per_ms", bench.loops_per_ms(), 0);
  print.Text("profile", bench.profile());
  print.Signed("bench_nice", bench.bench_nice());
  print.Signed("load_nice", bench.load_nice());
  print.Number("custom_percent", bench.custom_percent(), 0);
  print.Number("custom_interval_us", bench.custom_interval_us(), 0);
  print.Number("max_file_mib", bench.max_file_mib(), 0);
  print.Flag("realtime", bench.realtime());
  print.Flag("single_cpu", bench.single_cpu());
}

}  // namespace shakedown::plan
