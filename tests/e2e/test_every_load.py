"""One farm, one ready kernel: every load in a real guest, what runs beside it, and how it is told. Run by tests/run."""

import subprocess
import unittest

from farm import Farm

READY = "debian-6.12-cloud"
LOADS = ("make", "latt clients=2 seconds=3 -- true", "interbench benchmarks=Audio loads=Ring",
         "launch count=5 pause=10", "frames seconds=3 fps=30 cpu=10 beside=burn:1", "command parallel=2 -- true",
         "tool hackbench -- -g 1 -l 20", "tool cyclictest seconds=2")
METRICS = ("make.real", "latt.wakeup.avg", "interbench.audio.ring.latency.avg", "launch.warm.avg", "frames.fps",
           "command.real", "hackbench.time", "cyclictest.max")
SETUP = ("sysctl kernel.sched_rt_runtime_us=900000", "drop_caches")

farm = Farm()


def setUpModule():
    unittest.addModuleCleanup(farm.remove)
    farm.start()


class EveryLoad(unittest.TestCase):
    def test_all_of_them_in_two_boots(self):
        options = [word for load in LOADS for word in ("--load", load)]
        options += [word for step in SETUP for word in ("--setup", step)]
        job = farm.submit("--baseline", READY, "--challenger", f"{READY} kernel.sched_autogroup_enabled=0",
                          "--background", "audio", *options, "--blocks", "1")
        result = farm.wait(job, 1200)
        boots = farm.boots(job)
        reasons = {boot["name"]: boot.get("reason", "") for boot in boots}
        self.assertEqual(result.returncode, 0, f"{reasons}\n{result.stdout}{result.stderr}")
        self.assertEqual([boot["outcome"] for boot in boots], ["OUTCOME_MEASURED"] * 2)

        with self.subTest("every load gave its numbers"):
            found = set(farm.sql("SELECT DISTINCT metric FROM measurements").split())
            self.assertEqual([metric for metric in METRICS if metric not in found], [])
        with self.subTest("and what was kept beside them"):
            self.assertEqual(farm.sql("SELECT count(DISTINCT load_run) FROM histograms"), "8")  # latt, interbench, launch, frames
            self.assertGreater(int(farm.sql("SELECT count(*) FROM series WHERE name = 'sched.run_delay'")), 8)
        with self.subTest("both boots burned the same work"):
            used = farm.sql("SELECT DISTINCT value FROM measurements WHERE metric = 'interbench.loops_per_ms'")
            self.assertEqual(len(used.split()), 1)
            self.assertEqual(farm.sql("SELECT count(*) FROM calibrations"), "1")
        with self.subTest("a boot can be repeated by hand"):
            script = farm.shakedown("reproduce", f"{job}.1B").stdout
            self.assertIn("kernel.sched_autogroup_enabled", script)
            self.assertIn("hackbench", script)
            checked = subprocess.run(["sh", "-n"], input=script, text=True, capture_output=True)
            self.assertEqual(checked.returncode, 0, checked.stderr)
        with self.subTest("nothing is left"):
            self.assertEqual(farm.qemus(), [])
            self.assertEqual(farm.leftovers(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
