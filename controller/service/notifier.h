// Tells people: what has happened into the outbox, what is in the outbox to where it goes.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "controller/notify/sender.h"
#include "controller/service/notify_events.h"
#include "db/store/database.h"

namespace shakedown::service {

// A machine's trouble of less than this is not told of.
inline constexpr absl::Duration kSettledSickness = absl::Minutes(2);

// For whoever finds that something has happened; again: OK. See notify_events.h for events. Blocks
// for a short transaction.
absl::Status Announce(store::Database& database, const store::Event& event);

// Jobs that have ended and machines that are sick. Any number of controllers may do so at once.
absl::Status AnnounceWhatHappened(store::Database& database,
                                  absl::Duration settled = kSettledSickness);

// Delivers what is due, at most `most`, several at a time and in no order; blocks for as long as those take. Returns how many were
// tried. An error is the database's; one of a receiver is stored with the delivery.
absl::StatusOr<int> Deliver(store::Database& database, notify::Sender& sender, int most);

}  // namespace shakedown::service
