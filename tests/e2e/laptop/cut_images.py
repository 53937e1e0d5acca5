"""Power cuts that need no boot of their own: what would be on the disk and in the firmware of a running laptop if its power
were cut now, as a laptop of its own that is started later, away from any farm."""

import base64
import contextlib
import json
import re
import sqlite3
import subprocess
import tempfile
import time

from laptop import SOURCE, Laptop
from laptop_farm import MEASURED, wait_until
from power_cuts import LASTS, STEPS, Steps

HOME = ("BOOT_STAGE_NONE", "BOOT_STAGE_INSTALLED", "BOOT_STAGE_RETURNED")
# By the last record that the cut left of the boot in hand (agent/laptop/boot/story.h): what may have become of the boot.
# A kernel is blamed only where it may have come home by itself, before its user space: nobody can tell that from a cut.
NOTHING, FARM, EARLY = {""}, {"OUTCOME_FARM_FAILED"}, {"OUTCOME_FARM_FAILED", "OUTCOME_BOOT_FAILED"}
KEPT = {MEASURED, "OUTCOME_DISTURBED"}
# An armed one starts its test kernel when the power is back, and measures.
TRUE_OUTCOMES = {"": NOTHING, "folder": NOTHING, "begin": NOTHING, "installed": NOTHING, "leaving": FARM | KEPT,
                 "armed": EARLY | KEPT, "in_test": FARM, "runner": FARM, "result": KEPT, "going_home": KEPT}
TRANSACTION, AGENT = "/var/lib/shakedown-laptop/journal", "/var/lib/shakedown/journal"


class CutImage:
    """`laptop`: off. `step`, `after`: in which step of the boot and how many seconds after its beginning it was taken."""

    def __init__(self, laptop, step, after):
        self.laptop, self.step, self.after = laptop, step, after

    def start(self, seconds=400):
        """Until it is home. Fills in all that the assertions are about."""
        records, _ = told(*self.laptop.disk.recovered(TRANSACTION))
        self.cut_at = records[-1] if records else ""
        begun = time.monotonic()
        self.laptop.power_on()
        try:
            self.status, self.grubenv = wait_until(self._at_home, seconds, f"home after a {self}")
        finally:
            self.seconds = time.monotonic() - begun
            self.laptop.power_cut()
        # The daemon has it until the agent has taken it, and the next order of the job may have begun by then.
        transaction, agent = self.laptop.disk.recovered(TRANSACTION, AGENT)
        self.results = {*told(transaction)[1], *agent_results(agent)}

    def _at_home(self):
        try:
            _, text = self.laptop.run("cat /proc/cmdline; shakedown-laptop status --json || echo; grub-editenv list", 15)
        except AssertionError:  # It went down in the middle of the question.
            return None
        line, status, grubenv = text.split("\n", 2)
        if "shakedown.boot=" in line or not status.startswith("{"):
            return None
        status = json.loads(status)
        return (status, grubenv) if status["stage"] in HOME else None

    @property
    def result(self):
        """As protoc writes it; "" when there is none."""
        return next(iter(self.results), "")

    @property
    def outcome(self):
        return field(self.result, "outcome")

    def assert_true(self):
        seen = f"{self}: {self.cut_at} {self.status} {self.results}"
        assert not re.search("^next_entry=.", self.grubenv, re.M), f"armed: {self.grubenv} {seen}"
        assert len(self.results) <= 1, f"it became two things: {seen}"
        assert self.outcome in TRUE_OUTCOMES[self.cut_at], seen
        if self.outcome in KEPT:  # By the kernel that was ordered.
            assert f"shakedown.boot={field(self.result, 'attempt_id')}" in self.result, seen

    def __str__(self):
        return f"cut in {self.step}, {self.after:.1f} s after it began"

    def line(self):
        return (f"{self}: last record {self.cut_at or 'none'}, home in {self.seconds:.0f} s, {self.status['stage']}, "
                f"{self.outcome or 'no outcome'} {field(self.result, 'reason')}")


def told(journal):
    """([kind], [result]) of the last boot in the transaction's journal."""
    lines = (journal or b"").decode().split("\n")
    heads = [(number, line.split()[2]) for number, line in enumerate(lines) if line.startswith("shakedown-journal ")]
    begins = [at for at, (_, kind) in enumerate(heads) if kind == "folder"]
    heads = heads[begins[-1]:] if begins else []
    return [kind for _, kind in heads], [decoded(base64.b64decode(lines[number + 1])) for number, kind in heads if kind == "result"]


def agent_results(journal):
    """Those that it has for the farm."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(journal or b"")
        file.flush()
        with contextlib.closing(sqlite3.connect(file.name)) as database:
            return [decoded(body) for body, in database.execute("SELECT body FROM records WHERE kind = 'result'")]


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
        image = Laptop(laptop.disk_file, variables=laptop.nvram)
    finally:
        laptop.qmp("cont")
    # Not that of its start, an hour later perhaps: what was away for too long is taken for one that hung.
    image.clock = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
    return image


def decoded(result):
    """A serialized BootResult as text."""
    return subprocess.run(["protoc", "--decode=shakedown.v1.BootResult", "-I", SOURCE / "proto",
                           SOURCE / "proto/shakedown/v1/boot.proto"], input=result, check=True,
                          capture_output=True).stdout.decode(errors="replace")


def field(text, name):
    """The first value of a field in what protoc has written; "": none."""
    for line in text.splitlines():
        key, _, value = line.strip().partition(": ")
        if key == name:
            return value.strip('"')
    return ""
