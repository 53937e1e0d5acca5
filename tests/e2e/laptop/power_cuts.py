"""Cuts a laptop's power in a chosen step of a boot, a drawn while after the step has begun."""

import sys
import time

from farm import wait_until

# In the order of one boot. Each with how long it may last, in seconds: the cut falls into that.
STEPS = ("install", "leaving", "starting", "in test", "going home")
LASTS = {"install": 60, "leaving": 6, "starting": 20, "in test": 8, "going home": 20}


def say(text):
    print(f"  {text}", file=sys.stderr, flush=True)


class Steps:
    """The steps of the boot of a job that begins next: each is waited for in its turn, or one alone."""

    def __init__(self, farm, laptop, job):
        self.farm, self.laptop, self.job = farm, laptop, job
        self.since = len(laptop.serial())

    def wait(self, step, seconds):
        """Until the step has begun; False: the job has ended before."""
        wait_until(lambda: self._begun(step) or self._ended(), seconds, f"step {step} of job {self.job}")
        return not self._ended()

    def _begun(self, step):
        if step == "install":
            return "installing" in self._phase()
        if step == "leaving":
            return "reboot" in self._phase()
        # The test kernel is not quiet.
        started = self.laptop.says("Command line:.*shakedown\\.boot=", self.since)
        if step == "starting" or not started:
            return started
        # The console's lines have 80 columns: of a unit's name there is the beginning.
        agent = "Started .*shakedown-agent"
        return self.laptop.says(agent if step == "in test" else "Stopped target|reboot: Restarting", started)

    def _phase(self):
        for boot in self.farm.boots(self.job):
            if boot["state"] == "WORK_STATE_RUNNING" and boot["phase"] and not boot["phase"].startswith("queued"):
                return boot["phase"]
        return ""

    def _ended(self):
        return all(boot["state"] == "WORK_STATE_ENDED" for boot in self.farm.boots(self.job))


def cut_in_step(farm, laptop, job, step, chance, seconds=900):
    """Cuts, counts to three, switches it on again. False: the job ended before the step came."""
    if not Steps(farm, laptop, job).wait(step, seconds):
        return False
    after = chance.uniform(0, LASTS[step])
    time.sleep(after)  # The cut is at a moment of the drawing, whatever goes on.
    laptop.power_cut()
    say(f"cut in {step}, {after:.1f} s after it began")
    laptop.power_on()
    return True
