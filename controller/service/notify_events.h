// Events in the words that people and programs get them in. Pure.
#pragma once

#include <string>

#include "db/store/outbox.h"
#include "shakedown/v1/farm.pb.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::service {

// Of a job that has ended, and its whole report.
store::Event JobEndEvent(const v1::ReportData& data, const v1::Report& report);

store::Event MachineSickEvent(const store::SickNow& sick, const std::string& detail);

struct ConfirmedRegression {
  int64_t regression = 0;
  std::string metric;
  std::string machine;
  std::string good;  // Kernels.
  std::string bad;
  int64_t job = 0;   // That confirmed it.
  std::string text;  // A line for people: "latt.wakeup.avg +12 % …". Empty: made of the rest.
};
store::Event RegressionConfirmedEvent(const ConfirmedRegression& regression);

// What one subscription gets to see whether it works.
store::Event TestEvent(const std::string& key, const std::string& name);

// Whether a subscription's filter takes an event; one whose filter can not be read takes none.
bool WantsEvent(const store::Subscription& subscription, const store::Event& event);

}  // namespace shakedown::service
