#include "controller/plan/text_loads.h"

namespace shakedown::plan {

void AddLattOptions(v1::LattLoad* latt, Options* options) {
  auto& values = options->values;
  values["clients"] = CountInto([latt](uint32_t n) { latt->set_clients(n); });
  values["sleep"] = CountInto([latt](uint32_t n) { latt->set_min_sleep_ms(n); });
  values["width"] = CountInto([latt](uint32_t n) { latt->set_sleep_width_ms(n); });
  values["work"] = NumberInto<uint32_t>([latt](uint32_t n) { latt->set_work_kib(n); });
  values["seconds"] = NumberInto<uint32_t>([latt](uint32_t n) { latt->set_seconds(n); });
  values["profile"] = TextInto([latt](std::string name) { latt->set_profile(std::move(name)); });
}

void PrintLatt(const v1::LattLoad& latt, const v1::LattLoad& assumed, OptionPrinter& print) {
  print.Number("clients", latt.clients(), assumed.clients());
  print.Number("sleep", latt.min_sleep_ms(), assumed.min_sleep_ms());
  print.Number("width", latt.sleep_width_ms(), assumed.sleep_width_ms());
  print.Number("work", latt.work_kib(), assumed.work_kib());
  print.Number("seconds", latt.seconds(), assumed.seconds());
  print.Text("profile", latt.profile());
}

}  // namespace shakedown::plan
