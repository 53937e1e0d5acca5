#include "agent/session/recovery.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "agent/session/work.h"
#include "proto/wire/status.h"
#include "spdlog/spdlog.h"

namespace shakedown::agent {
namespace {

constexpr char kCleanUp[] = "clean up at start";

std::set<std::string> OpenBoots(const Journal& journal) {
  std::set<std::string> open;
  for (const JournalEntry& order : journal.OpenOrders()) {
    if (order.key.kind == WorkKind::kBoot) open.insert(order.key.id);
  }
  return open;
}

std::string NameOf(const JournalEntry& order) {
  if (order.key.kind == WorkKind::kBoot) {
    v1::BootOrder boot;
    boot.ParseFromString(order.bytes);
    return absl::StrCat("boot ", boot.name());
  }
  v1::BuildOrder build;
  build.ParseFromString(order.bytes);
  return absl::StrCat("build of ", build.kernel().kernel().name());
}

// Which seat had this work; nothing when it is no longer one of this agent's.
std::optional<SeatId> SeatOf(const JournalEntry& order, const AgentState& state) {
  if (order.key.kind == WorkKind::kBuild) {
    for (size_t i = 0; i < state.slots.size(); ++i) {
      if (!state.slots[i].work) return SeatId{WorkKind::kBuild, i};
    }
    return std::nullopt;
  }
  v1::BootOrder boot;
  boot.ParseFromString(order.bytes);
  for (size_t i = 0; i < state.machines.size(); ++i) {
    const SeatState& seat = state.machines[i];
    if (seat.name == boot.machine() && (!seat.work || seat.takes_blocks))
      return SeatId{WorkKind::kBoot, i};
  }
  return std::nullopt;
}

// The files a pending result names stay on the disk; one that is gone is found out when reporting.
std::vector<CachedFile> FilesOf(const JournalEntry& result, ArtefactCache& cache) {
  std::vector<CachedFile> files;
  v1::BuildResult build;
  if (result.key.kind != WorkKind::kBuild || !build.ParseFromString(result.bytes) ||
      build.status() != v1::BuildResult::STATUS_BUILT) {
    return files;
  }
  for (const v1::Artefact* artefact : {&build.image(), &build.initramfs(), &build.config()}) {
    if (artefact->sha256().empty()) continue;
    absl::StatusOr<CachedFile> file = cache.Find(*artefact);
    if (file.ok()) files.push_back(*std::move(file));
  }
  return files;
}

}  // namespace

void CleanUpSeats(const Journal& journal, const std::vector<Machine*>& machines,
                  const std::vector<BuildSlot*>& slots, SeatProblems& problems) {
  const auto note = [&](WorkKind kind, size_t index, const absl::Status& status,
                        absl::string_view what) {
    if (status.ok()) return;
    const std::string text = absl::StrCat(what, ": ", status.message());
    spdlog::error("{} {}: {}", kind == WorkKind::kBoot ? "machine" : "build slot", index + 1, text);
    problems.insert({{kind, index}, text});
  };
  for (size_t i = 0; i < machines.size(); ++i) {
    note(WorkKind::kBoot, i, machines[i]->CleanUp(OpenBoots(journal)), kCleanUp);
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    note(WorkKind::kBuild, i, slots[i]->CleanUp(), kCleanUp);
    note(WorkKind::kBuild, i, slots[i]->CheckSandbox(), "no sandbox");
  }
}

void CleanUpAgain(const Journal& journal, const std::vector<Machine*>& machines, size_t index,
                  SeatProblems& problems) {
  if (!machines[index]->Info().outlives_agent) return;
  problems.erase({WorkKind::kBoot, index});
  const absl::Status cleaned = machines[index]->CleanUp(OpenBoots(journal));
  if (cleaned.ok()) return;
  problems[{WorkKind::kBoot, index}] = std::string(cleaned.message());
}

absl::Status Recover(Journal& journal, const std::string& boot_id, ArtefactCache& cache, Desk& desk,
                     Reporter& reporter) {
  for (const JournalEntry& order : journal.OpenOrders()) {
    if (const std::optional<SeatId> seat = SeatOf(order, desk.State());
        seat && seat->kind == WorkKind::kBoot && desk.State().machines[seat->index].takes_blocks) {
      spdlog::info("{} is taken up again", NameOf(order));
      desk.Give(*seat, order.key, order.bytes);
      continue;
    }
    const std::string reason =
        absl::StrCat(order.boot_id == boot_id ? "agent" : "host", " restarted during ",
                     NameOf(order), ", begun ", absl::FormatTime(order.wall, absl::UTCTimeZone()));
    spdlog::warn("{}", reason);
    RETURN_IF_ERROR(journal.AppendResult(order.key, FarmFailed(order.key, reason)));
  }
  for (const JournalEntry& result : journal.PendingResults()) {
    if (const std::optional<JournalEntry> order = journal.FindOrder(result.key)) {
      const std::optional<SeatId> seat = SeatOf(*order, desk.State());
      if (seat) desk.Hold(*seat, result.key);
    }
    reporter.Add(result.key, FilesOf(result, cache));
  }
  return absl::OkStatus();
}

}  // namespace shakedown::agent
