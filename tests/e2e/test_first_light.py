"""One farm, real kernels in a real VM: the job, the failures, the kills. Run by tests/run."""

import contextlib
import difflib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import unittest

from farm import BIN, SOURCE, Farm, wait_until

# Cheap loads: these tests are about the farm, the numbers are looked at in RealJob only.
QUICK = ("--load", "latt clients=2 work=0 seconds=3 -- true")
BUILT = "debian-6.1"
READY = "debian-6.12-cloud"

farm = Farm()


def setUpModule():
    unittest.addModuleCleanup(farm.remove)
    farm.start()


def outcomes(job):
    return {boot["name"]: boot.get("outcome", "") for boot in farm.boots(job)}


def running_boot(job, phase=""):
    for boot in farm.boots(job):
        if boot.get("state") == "WORK_STATE_RUNNING" and phase in boot.get("phase", ""):
            return boot
    return None


def protoc(direction, content):
    """A BuildResult as text ("decode") or as bytes ("encode")."""
    return subprocess.run(["protoc", f"--{direction}=shakedown.v1.BuildResult", "-I", SOURCE / "proto",
                           "shakedown/v1/build.proto"], input=content, check=True,
                          capture_output=True).stdout


def stored_build(kernel):
    """The id of the kernel's build and its BuildResult as text."""
    identity, result = farm.sql("SELECT id, encode(result, 'hex') FROM builds WHERE kernel = "
                                f"'{kernel}' AND state = 'built'").split("|")
    return identity, protoc("decode", bytes.fromhex(result))


def image_of(text):
    return re.search(rb"^image \{.*?^\}\n", text, re.S | re.M).group()


@contextlib.contextmanager
def swapped_image(of, to):
    """The stored result of one build names the other's image, as if somebody had changed the file."""
    def store(text):
        farm.sql(f"UPDATE builds SET result = '\\x{protoc('encode', text).hex()}' WHERE id = '{identity}'")

    identity, original = stored_build(of)
    swapped = original.replace(image_of(original), image_of(stored_build(to)[1]))
    store(re.sub(rb"^initramfs \{.*?^\}\n", b"", swapped, flags=re.S | re.M))
    try:
        yield
    finally:
        store(original)


def keep_image(kernel, folder):
    """Copies a built kernel's image out of the farm, for the machine's own tests."""
    digest = re.search(rb'sha256: "([0-9a-f]{64})"', image_of(stored_build(kernel)[1])).group(1).decode()
    shutil.copy(farm.state / "artefacts" / digest[:2] / digest, pathlib.Path(folder) / "bzImage")


class Test1RealJob(unittest.TestCase):
    def test_a_built_and_a_ready_kernel_are_measured_and_reported(self):
        result = farm.shakedown("submit", "--baseline", BUILT, "--challenger", READY, "--load", "make",
                                "--load", "latt", "--load", "interbench", "--blocks", "1", "--wait",
                                timeout=2400)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        job = farm.json("jobs")["jobs"][0]["job"]
        self.assertEqual(set(outcomes(job).values()), {"OUTCOME_MEASURED"})
        report = farm.shakedown("report", job).stdout
        for text in (BUILT, READY, "make.real", "latt.wakeup", "interbench.video.burn",
                     "EMULATED" if not os.path.exists("/dev/kvm") else ""):
            self.assertIn(text, report)
        self.assertLessEqual(max(len(line) for line in report.splitlines()), 78)
        self.assertTrue(report.isascii())
        if "SHAKEDOWN_TEST_OUT" in os.environ:
            keep_image(BUILT, os.environ["SHAKEDOWN_TEST_OUT"])
        numbers = int(farm.sql("SELECT count(*) FROM measurements"))
        self.assertGreater(numbers, 40)

    def test_b_the_same_kernels_are_not_built_again(self):
        before = len(farm.json("builds")["builds"])
        job = farm.submit("--baseline", BUILT, "--challenger", READY, *QUICK, "--blocks", "1")
        self.assertEqual(farm.wait(job).returncode, 0)
        self.assertEqual(len(farm.json("builds")["builds"]), before)

    def test_c_the_log_holds_the_console(self):
        job = farm.json("jobs")["jobs"][0]["job"]
        log = farm.shakedown("logs", f"{job}.1A").stdout
        self.assertIn("Linux version", log)


def panicking_patch():
    """A developer's patch, made against the source as it is: the kernel panics at the end of its start."""
    path = "kernel/sched/fair.c"
    source = subprocess.run(["tar", "-xOf", "/usr/src/linux-source-6.1.tar.xz", f"linux-source-6.1/{path}"],
                            check=True, text=True, capture_output=True).stdout.splitlines(keepends=True)
    added = ["\n", "static int __init shakedown_panic(void)\n", "{\n",
             '\tpanic("shakedown: asked to panic");\n', "}\n", "late_initcall(shakedown_panic);\n"]
    return "".join(difflib.unified_diff(source, source + added, f"a/{path}", f"b/{path}"))


class Test2Findings(unittest.TestCase):
    def test_failing_kernels_are_told_apart_and_the_others_go_on(self):
        patch = farm.state / "0001-panic.patch"
        patch.write_text(panicking_patch())
        added = farm.shakedown("kernels", "add", "panics", "--from", BUILT, "--patch", str(patch))
        self.assertEqual(added.returncode, 0, added.stderr)
        job = farm.submit("--baseline", BUILT,
                          "--challenger", f"{BUILT} root=/dev/nowhere",
                          "--challenger", "panics",
                          "--challenger", f"{BUILT} init=/bin/cat",
                          *QUICK, "--blocks", "1")
        result = farm.wait(job, 2400)
        self.assertEqual(result.returncode, 3, result.stdout + result.stderr)
        self.assertEqual(outcomes(job), {
            f"{job}.1A": "OUTCOME_MEASURED", f"{job}.1B": "OUTCOME_BOOT_FAILED",
            f"{job}.1C": "OUTCOME_PANICKED", f"{job}.1D": "OUTCOME_HUNG"})
        for text in (result.stdout, farm.shakedown("report", job).stdout):
            self.assertIn("shakedown: asked to panic", text)
            self.assertIn("Unable to mount root fs", text)

    def test_a_swapped_image_is_the_wrong_kernel_and_stores_no_result(self):
        """Behind the farm's back the ready kernel's build gets the built kernel's image."""
        with swapped_image(of=READY, to=BUILT):
            job = farm.submit("--baseline", BUILT, "--challenger", READY, *QUICK, "--blocks", "1")
            result = farm.wait(job)
        self.assertEqual(result.returncode, 3, result.stdout + result.stderr)
        self.assertEqual(outcomes(job), {f"{job}.1A": "OUTCOME_MEASURED",
                                         f"{job}.1B": "OUTCOME_WRONG_KERNEL"})
        self.assertEqual(farm.sql("SELECT count(*) FROM load_runs JOIN boots USING (attempt_id)"
                                  f" WHERE job = {int(job)} AND variant = 1"), "0")


class Test3Kills(unittest.TestCase):
    def job_in_mid_boot(self):
        job = farm.submit("--baseline", BUILT, "--challenger", f"{BUILT} quiet", *QUICK,
                          "--blocks", "1")
        wait_until(lambda: running_boot(job) and farm.qemus(), 120, "a running boot with its VM")
        return job

    def assert_each_measured_once(self, job):
        measured = [b for b in farm.boots(job) if b.get("outcome") == "OUTCOME_MEASURED"]
        self.assertEqual(sorted((b["block"], b.get("variant", 0)) for b in measured), [(1, 0), (1, 1)])
        wait_until(lambda: not farm.qemus(), 20, "the last VM's end")
        self.assertEqual(farm.leftovers(), [])

    def test_qemu_killed_is_the_farms_failure_and_tried_again(self):
        job = self.job_in_mid_boot()
        for pid in farm.qemus():
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(farm.wait(job).returncode, 0)
        self.assertIn("OUTCOME_FARM_FAILED", outcomes(job).values())
        self.assert_each_measured_once(job)

    def test_controller_killed_in_mid_job(self):
        job = self.job_in_mid_boot()
        farm.kill("controller")
        farm.start()
        self.assertEqual(farm.wait(job).returncode, 0)
        self.assert_each_measured_once(job)

    def test_agent_killed_in_mid_boot(self):
        job = self.job_in_mid_boot()
        farm.kill("agent")
        farm.start()
        self.assertEqual(farm.wait(job).returncode, 0)
        self.assert_each_measured_once(job)

    def test_cancel_in_mid_boot_leaves_nothing(self):
        job = self.job_in_mid_boot()
        self.assertEqual(farm.shakedown("cancel", job).returncode, 0)
        wait_until(lambda: not farm.qemus(), 30, "the VM's end")
        wait_until(lambda: set(outcomes(job).values()) == {"OUTCOME_CANCELLED"}, 30, "cancelled boots")


class Test4BadInput(unittest.TestCase):
    def refused(self, *args, says, code=64):
        result = farm.shakedown(*args)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        self.assertIn(says, result.stderr)

    def test_each_is_one_clear_line(self):
        good = ("--baseline", BUILT, "--challenger", READY)
        self.refused("submit", "--baseline", BUILT, "--challenger", "nosuch", "--load", "make", says="nosuch")
        self.refused("submit", *good, "--load", "warp", says="warp")
        self.refused("submit", *good, "--load", "make", "--blocks", "0", says="blocks")
        self.refused("submit", *good, "--load", "make", "--blocks", "1000000", says="1000000")
        self.refused("submit", *good, "--load", "make", "--machine", "nowhere", says="nowhere")
        self.refused("watch", "999999", says="999999")
        for name in ("a b", "a/b", "../x", 'a"b', "a'b", "\U0001f427", "k" * 300):
            self.refused("kernels", "add", name, "--from", BUILT, says="kernel")

    def test_a_job_file_names_line_and_field(self):
        path = farm.state / "bad.txtpb"
        path.write_text('title: "x"\nvariants { kernle: "debian-6.1" }\n')
        self.refused("submit", str(path), says="kernle")

    def test_a_patch_that_does_not_apply_fails_the_build_and_names_it(self):
        patch = farm.state / "0001-nowhere.patch"
        patch.write_text("--- a/kernel/sched/nowhere.c\n+++ b/kernel/sched/nowhere.c\n@@ -1 +1 @@\n-a\n+b\n")
        added = farm.shakedown("kernels", "add", "broken-patch", "--from", BUILT, "--patch", str(patch))
        self.assertEqual(added.returncode, 0, added.stderr)
        job = farm.submit("--baseline", BUILT, "--challenger", "broken-patch", *QUICK, "--blocks", "1")
        result = farm.wait(job)
        self.assertEqual(result.returncode, 3, result.stdout + result.stderr)
        self.assertIn("0001-nowhere.patch", farm.shakedown("report", job).stdout)
        self.assertEqual(outcomes(job)[f"{job}.1A"], "OUTCOME_MEASURED")

    def test_database_stopped_under_the_controller(self):
        job = farm.submit("--baseline", BUILT, "--challenger", READY, *QUICK, "--blocks", "1")
        postgres = [BIN / "shakedown-postgres"]
        where = ["--dir", farm.state / "postgres"]
        subprocess.run([*postgres, "stop", *where], check=True, capture_output=True)
        result = farm.shakedown("jobs")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("database", result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        farm.start()
        self.assertEqual(farm.wait(job).returncode, 0)


class Test5Budget(unittest.TestCase):
    def test_a_time_budget_ends_a_job_between_two_blocks(self):
        job = farm.submit("--baseline", READY, "--challenger", f"{READY} nohz=off", *QUICK, "--blocks", "2",
                          "--budget", "1s")
        result = farm.wait(job)
        self.assertEqual(result.returncode, 4, result.stdout + result.stderr)
        self.assertIn("time budget of 1 s spent", result.stdout)
        self.assertEqual(outcomes(job), {f"{job}.1A": "OUTCOME_MEASURED", f"{job}.1B": "OUTCOME_MEASURED",
                                         f"{job}.2A": "OUTCOME_CANCELLED", f"{job}.2B": "OUTCOME_CANCELLED"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
