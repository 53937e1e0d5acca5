#include "controller/import/top_words.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace shakedown::importer {
namespace {

struct Word {
  absl::string_view prefix, word, name;
};

constexpr Word kWords[] = {
    {"tasks.", "total", "total"},
    {"tasks.", "gesamt", "total"},
    {"tasks.", "running", "running"},
    {"tasks.", "laufend", "running"},
    {"tasks.", "en cours", "running"},
    {"tasks.", "sleeping", "sleeping"},
    {"tasks.", "schlafend", "sleeping"},
    {"tasks.", "en veille", "sleeping"},
    {"tasks.", "stopped", "stopped"},
    {"tasks.", "gestoppt", "stopped"},
    {"tasks.", "arrêté", "stopped"},
    {"tasks.", "zombie", "zombie"},
    {"tasks.", "Zombie", "zombie"},
    {"cpu.", "us", "us"},
    {"cpu.", "be", "us"},
    {"cpu.", "ut", "us"},
    {"cpu.", "sy", "sy"},
    {"cpu.", "ni", "ni"},
    {"cpu.", "id", "id"},
    {"cpu.", "un", "id"},
    {"cpu.", "wa", "wa"},
    {"cpu.", "hi", "hi"},
    {"cpu.", "si", "si"},
    {"cpu.", "st", "st"},
    {"mem.", "total", "total"},
    {"mem.", "gesamt", "total"},
    {"mem.", "free", "free"},
    {"mem.", "frei", "free"},
    {"mem.", "libr", "free"},
    {"mem.", "used", "used"},
    {"mem.", "belegt", "used"},
    {"mem.", "util", "used"},
    {"mem.", "buffers", "buffers"},
    {"mem.", "buff/cache", "buff_cache"},
    {"mem.", "Puff/Cache", "buff_cache"},
    {"mem.", "tamp/cache", "buff_cache"},
};

}  // namespace

absl::string_view TopTasks(absl::string_view label) {
  if (label == "Tasks" || label == "Tâches" || label == "Aufgaben") return "tasks";
  return label == "Threads" ? "threads" : "";
}

std::string TopMemory(absl::string_view label) {
  if (label == "Mem" || label == "Spch") return "mem.";
  return label == "Swap" || label == "Éch" ? "swap." : "";
}

std::string TopWord(absl::string_view prefix, absl::string_view word) {
  // On the line of the swap stands what belongs to the memory.
  if (prefix == "swap." && word == "cached") return "mem.cached";
  if (prefix == "swap." && (word == "avail Mem" || word == "verfü Spch" || word == "dispo Mem"))
    return "mem.avail";
  const absl::string_view known = prefix == "swap."      ? "mem."
                                  : prefix == "threads." ? "tasks."
                                                         : prefix;
  for (const Word& entry : kWords)
    if (entry.prefix == known && entry.word == word) return absl::StrCat(prefix, entry.name);
  return "";
}

std::string TopColumn(absl::string_view word) {
  if (word == "BEFEHL" || word == "COM.") return "COMMAND";
  if (word == "ZEIT+" || word == "TEMPS+") return "TIME+";
  if (word == "UTIL.") return "USER";
  return std::string(word);
}

}  // namespace shakedown::importer
