// notify add|list|remove|test, and export.
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/input_file.h"
#include "controller/cli/notify_client.h"
#include "controller/cli/tables.h"
#include "controller/cli/words.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::cli {
namespace {

std::string Target(const v1::SubscriptionView& view) {
  return PrintableLine(view.webhook().empty() ? view.email() : view.webhook(), 400);
}

int Add(const Desk& desk, const NotifyArgs& args) {
  v1::PutSubscriptionRequest request;
  request.set_name(args.name);
  request.mutable_events()->Assign(args.events.begin(), args.events.end());
  request.set_webhook(args.webhook);
  request.set_email(args.email);
  request.set_filter(absl::StrJoin(args.filter, " "));
  if (!args.secret_file.empty()) {
    const absl::StatusOr<std::string> secret = ReadInput(args.secret_file, 4096);
    if (!secret.ok()) return Fail(desk.screen, Annotate(secret.status(), "--secret-file"));
    // An editor's line end is not part of it.
    request.set_secret(std::string(absl::StripTrailingAsciiWhitespace(*secret)));
  }
  const absl::StatusOr<v1::SubscriptionView> view = desk.notify->Put(request);
  if (!view.ok()) return Fail(desk.screen, view.status());
  desk.screen.Print(absl::StrCat("Subscription ", PrintableLine(view->name()), ": ",
                                 absl::StrJoin(view->events(), ", "), " to ", Target(*view),
                                 ".\nTry it: shakedown notify test ", PrintableLine(view->name()),
                                 "\n"));
  return kOk;
}

int List(const Desk& desk, bool json) {
  const absl::StatusOr<v1::ListSubscriptionsResponse> list = desk.notify->List();
  if (!list.ok()) return Fail(desk.screen, list.status());
  if (json) {
    desk.screen.PrintJson(*list);
    return kOk;
  }
  std::vector<std::vector<std::string>> rows;
  for (const v1::SubscriptionView& view : list->subscriptions()) {
    rows.push_back({PrintableLine(view.name()), absl::StrJoin(view.events(), ","), Target(view),
                    PrintableLine(view.filter(), 400), absl::StrCat(view.waiting()),
                    TimeText(view.last_sent(), desk.screen.zone()),
                    PrintableLine(view.last_error(), 400)});
  }
  if (rows.empty()) {
    desk.screen.Note("you are told of nothing; see shakedown notify add --help");
    return kOk;
  }
  using Align = Column::Align;
  desk.screen.Print(PrintTable({{"NAME"},
                                {"EVENTS"},
                                {"TO", Align::kLeft, true},
                                {"FILTER", Align::kLeft, true},
                                {"WAITING", Align::kRight},
                                {"LAST SENT"},
                                {"LAST ERROR", Align::kLeft, true}},
                               rows, desk.screen.size().columns));
  return kOk;
}

absl::StatusOr<v1::ExportRequest> RequestOf(const ExportArgs& args) {
  v1::ExportRequest request;
  request.set_format(args.format);
  request.mutable_jobs()->Assign(args.jobs.begin(), args.jobs.end());
  request.set_imports(args.imports);
  if (!args.jobs.empty() && (args.since || args.until)) {
    return absl::InvalidArgumentError("--job, --since, --until: want jobs or a time");
  }
  if (args.since) request.mutable_since()->set_seconds(*args.since);
  if (args.until) request.mutable_until()->set_seconds(*args.until);
  return request;
}

}  // namespace

int Notify(const Desk& desk, const NotifyArgs& args) {
  v1::RemoveSubscriptionRequest named;
  named.set_name(args.name);
  switch (args.what) {
    case NotifyArgs::What::kAdd:
      return Add(desk, args);
    case NotifyArgs::What::kList:
      return List(desk, args.json);
    case NotifyArgs::What::kRemove: {
      const auto removed = desk.notify->Remove(named);
      if (!removed.ok()) return Fail(desk.screen, removed.status());
      desk.screen.Print(absl::StrCat("Subscription ", args.name, " is removed.\n"));
      return kOk;
    }
    case NotifyArgs::What::kTest: {
      const auto view = desk.notify->Test(named);
      if (!view.ok()) return Fail(desk.screen, view.status());
      desk.screen.Print(absl::StrCat("A test goes to ", Target(*view),
                                     "; what becomes of it: shakedown notify list\n"));
      return kOk;
    }
  }
  return kOther;
}

int Export(const Desk& desk, const ExportArgs& args) {
  const absl::StatusOr<v1::ExportRequest> request = RequestOf(args);
  if (!request.ok()) return Fail(desk.screen, request.status());
  const absl::Status done = desk.notify->Export(*request, [&](absl::string_view piece) {
    // To a terminal control characters do not go.
    if (desk.screen.terminal()) {
      desk.screen.Print(piece);
    } else {
      desk.screen.PrintRaw(piece);
    }
    return desk.screen.healthy();
  });
  if (absl::IsCancelled(done)) return kCannotWrite;
  return done.ok() ? kOk : Fail(desk.screen, done);
}

}  // namespace shakedown::cli
