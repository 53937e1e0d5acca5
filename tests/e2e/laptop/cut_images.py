"""Power cuts that need no boot of their own: what would be on the disk and in the firmware of a running laptop if its power
were cut now, as a laptop of its own that is started later, away from any farm."""

import base64
import json
import re
import subprocess
import time

from laptop import SOURCE, Laptop
from laptop_farm import MEASURED, wait_until
from power_cuts import LASTS, STEPS, Steps

HOME = ("BOOT_STAGE_NONE", "BOOT_STAGE_INSTALLED", "BOOT_STAGE_RETURNED")
# By the last record that the cut left of the boot in hand (agent/laptop/boot/story.h): what may have become of the boot.
# A kernel is blamed only where it may have come home by itself, before its user space: nobody can tell that from a cut.
NOTHING, FARM, EARLY = {""}, {"OUTCOME_FARM_FAILED"}, {"OUTCOME_FARM_FAILED", "OUTCOME_BOOT_FAILED"}
KEPT = {MEASURED, "OUTCOME_DISTURBED"}
TRUE_OUTCOMES = {"": NOTHING, "folder": NOTHING, "begin": NOTHING, "installed": NOTHING, "leaving": FARM, "armed": EARLY,
                 "in_test": FARM, "runner": FARM, "result": KEPT, "going_home": KEPT}


class CutImage:
    """`laptop`: off. `step`, `after`: in which step of the boot and how many seconds after its beginning it was taken."""

    def __init__(self, laptop, step, after):
        self.laptop, self.step, self.after = laptop, step, after

    def start(self, seconds=400):
        """Until it is home. Fills in all that the assertions are about, as it is when the daemon first answers."""
        begun = time.monotonic()
        self.laptop.power_on()
        try:
            self.status, self.grubenv, journal = wait_until(self._at_home, seconds, f"home after a {self}")
        finally:
            self.seconds = time.monotonic() - begun
            self.laptop.power_cut()
        self.records, self.result = self._told(journal.split("\n"))

    def _at_home(self):
        try:
            _, text = self.laptop.run("cat /proc/cmdline; shakedown-laptop status --json || echo; grub-editenv list; echo =journal; "
                                      "cat /var/lib/shakedown-laptop/journal", 15)
        except AssertionError:  # It went down in the middle of the question. Asked again before it is at its next boot.
            return None
        line, status, rest = text.split("\n", 2)
        if "shakedown.boot=" in line or not status.startswith("{"):
            return None
        status = json.loads(status)
        grubenv, _, journal = rest.partition("=journal\n")
        return (status, grubenv, journal) if status["stage"] in HOME else None

    def _told(self, lines):
        """[(kind, boot id)] of the journal's last boot, and its last result as protoc writes it; "" when there is none."""
        heads = [(number, line.split()) for number, line in enumerate(lines) if line.startswith("shakedown-journal ")]
        begins = [at for at, (_, words) in enumerate(heads) if words[2] == "folder"]
        heads = heads[begins[-1]:] if begins else []
        results = [lines[number + 1] for number, words in heads if words[2] == "result"]
        return [(words[2], words[3]) for _, words in heads], decoded(results[-1]) if results else ""

    @property
    def outcome(self):
        return field(self.result, "outcome")

    def cut_at(self):
        """The last record that was written before the cut, by what its kernel says of itself."""
        home = self.status["boot_id"]
        before = [kind for kind, boot in self.records if boot != home]
        return before[-1] if before else ""

    def assert_true(self):
        told = f"{self}: {self.records} {self.status} {self.result[:1500]}"
        assert not re.search("^next_entry=.", self.grubenv, re.M), f"armed: {self.grubenv} {told}"
        assert self.cut_at() or self.step == "install", f"seen too late, in its next boot: {told}"
        assert self.outcome in TRUE_OUTCOMES[self.cut_at()], told
        # Measured once: the runner was opened and the result was written by one kernel, the test's own.
        for kind in ("runner", "in_test"):
            assert sum(record == kind for record, _ in self.records) <= 1, told
        if self.outcome in KEPT:
            identity = field(self.result, "boot_id")
            assert (("runner", identity) in self.records and ("result", identity) in self.records
                    and f"shakedown.boot={field(self.result, 'attempt_id')}" in self.result), told

    def __str__(self):
        return f"cut in {self.step}, {self.after:.1f} s after it began"

    def line(self):
        return (f"{self}: last record {self.cut_at() or 'none'}, home in {self.seconds:.0f} s, {self.status['stage']}, "
                f"{self.outcome or 'no outcome'} {field(self.result, 'reason')}")


def take_images(farm, laptop, job, chance, count, say):
    """`count` images in each step of the boot of `job` that begins next, at moments of `chance`'s drawing."""
    steps = Steps(farm, laptop, job)
    images = []
    for step in STEPS:
        if not steps.wait(step, 900):
            break
        begun = time.monotonic()
        taken = 0.0  # How long it has stood still meanwhile: its steps do not go on then.
        for after in sorted(chance.uniform(0, LASTS[step]) for _ in range(count)):
            time.sleep(max(0.0, begun + after + taken - time.monotonic()))
            since = time.monotonic()
            images.append(CutImage(frozen(laptop), step, after))
            taken += time.monotonic() - since
        say(f"{count} images in {step}, {taken:.0f} s")
    return images


def frozen(laptop):
    """A laptop that is off, with what `laptop`'s disk and firmware hold at this moment."""
    laptop.qmp("stop")
    try:
        return Laptop(laptop.disk_file, variables=laptop.nvram)
    finally:
        laptop.qmp("cont")


def decoded(text):
    """A BootResult in Base64 as text."""
    return subprocess.run(["protoc", "--decode=shakedown.v1.BootResult", "-I", SOURCE / "proto",
                           SOURCE / "proto/shakedown/v1/boot.proto"], input=base64.b64decode(text), check=True,
                          capture_output=True).stdout.decode(errors="replace")


def field(text, name):
    """The first value of a field in what protoc has written; "": none."""
    for line in text.splitlines():
        key, _, value = line.strip().partition(": ")
        if key == name:
            return value.strip('"')
    return ""
