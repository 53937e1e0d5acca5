"""Cuts a laptop's power in a chosen step of a boot, a drawn while after the step has begun."""

import time

from farm import wait_until

# In the order of one boot. Each with how long it may last, in seconds: the cut falls into that.
STEPS = ("install", "leaving", "starting", "in test", "going home")
LASTS = {"install": 60, "leaving": 6, "starting": 20, "in test": 8, "going home": 20}


def _phase(farm, job):
    for boot in farm.boots(job):
        if boot["state"] == "WORK_STATE_RUNNING" and boot["phase"] and not boot["phase"].startswith("queued"):
            return boot["phase"]
    return ""


def _ended(farm, job):
    return all(boot["state"] == "WORK_STATE_ENDED" for boot in farm.boots(job))


def _begins(farm, laptop, job, step, seconds):
    """Waits for the step of the next boot; False: the job has ended before."""
    def seen(condition):
        wait_until(lambda: condition() or _ended(farm, job), seconds, f"step {step} of job {job}")
        return not _ended(farm, job)

    since = len(laptop.serial())
    started = "Command line:.*shakedown\\.boot="  # The test kernel is not quiet.
    if step == "install":
        return seen(lambda: "installing" in _phase(farm, job))
    if step == "leaving":
        return seen(lambda: "reboot" in _phase(farm, job))
    if step == "starting":
        return seen(lambda: laptop.says(started, since))
    if not seen(lambda: laptop.says(started, since)):
        return False
    at = laptop.says(started, since)
    if step == "in test":
        return seen(lambda: laptop.says("shakedown-agent.service", at))
    return seen(lambda: laptop.says("Stopped target|reboot: Restarting", at))


def cut_in_step(farm, laptop, job, step, chance, seconds=900):
    """Cuts, counts to three, switches it on again. False: the job ended before the step came."""
    if not _begins(farm, laptop, job, step, seconds):
        return False
    time.sleep(chance.uniform(0, LASTS[step]))  # The cut is at a moment of the drawing, whatever goes on.
    laptop.power_cut()
    laptop.power_on()
    return True
