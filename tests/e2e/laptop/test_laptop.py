"""A laptop that boots test kernels and comes home: what every change must keep. Run by tests/run."""

import os
import random
import re
import unittest

from laptop import has_kvm
from laptop_farm import MEASURED, QUICK, FarmLaptop, LaptopFarm, armed, outcomes, whole_blocks, wish
from power_cuts import STEPS, cut_in_step

CFS, EEVDF = "debian-6.1-cloud", "debian-6.12-cloud"
SEED = 7
# Emulated, these take an hour and more: tests/run --all.
every = unittest.skipUnless(has_kvm() or os.environ.get("SHAKEDOWN_TEST_ALL") == "1", "emulated: tests/run --all")

farm = LaptopFarm()
laptop = None
before = None

# What a boot parameter makes of the load: a panic, or silence that only the hardware's watchdog ends.
FALL_OVER = wish('case " $(cat /proc/cmdline) " in *" skew_tick=1 "*) wish=panic;; *) wish=silence;; esac')


def setUpModule():
    global laptop, before
    farm.start()
    laptop = FarmLaptop(farm, "x1")
    # The first start writes what any first start writes: the disk to compare with is that after it.
    laptop.power_on()
    laptop.wait_started()
    laptop.shut_down()
    before = laptop.look()
    laptop.power_on()
    laptop.enroll()


def tearDownModule():
    if laptop:
        laptop.remove()
    farm.remove()


class Test1Job(unittest.TestCase):
    def test_two_kernels_and_two_blocks_are_measured_and_it_is_home(self):
        job = farm.submit("--baseline", CFS, "--challenger", EEVDF, "--load", QUICK, "--blocks", "2", "--machine", "x1")
        boots = farm.wait_boots(job, 3000, laptop)
        # On a busy host an emulated laptop is disturbed by itself: such a block is repeated, and the job still has its two.
        self.assertLessEqual(set(outcomes(boots).values()), {MEASURED, "OUTCOME_DISTURBED"}, outcomes(boots))
        self.assertEqual(len(whole_blocks(boots)), 2, outcomes(boots))
        laptop.assert_home()
        self.assertEqual(farm.releases(job), {"A": {"6.1"}, "B": {"6.12"}})


@every
class Test2Findings(unittest.TestCase):
    def test_a_panic_and_silence_are_told_apart_and_it_comes_home(self):
        job = farm.submit("--baseline", f"{EEVDF} skew_tick=1", "--challenger", f"{EEVDF} skew_tick=2",
                          "--load", FALL_OVER, "--blocks", "1", "--machine", "x1", "--attempts", "1")
        boots = farm.wait_boots(job, 2400, laptop)
        self.assertEqual(outcomes(boots), {f"{job}.1A": "OUTCOME_PANICKED", f"{job}.1B": "OUTCOME_HUNG"},
                         [boot["reason"] for boot in boots.values()])
        self.assertIn("sysrq triggered crash", boots[f"{job}.1A"]["reason"])
        laptop.assert_home()


@every
class Test3PowerCuts(unittest.TestCase):
    def test_home_and_each_measured_once_after_cuts_in_three_steps(self):
        chance = random.Random(SEED)
        job = farm.submit("--baseline", EEVDF, "--challenger", f"{EEVDF} nohz=off", "--load", QUICK, "--blocks", "1",
                          "--machine", "x1", "--attempts", "10")
        for step in sorted(chance.sample(STEPS, 3), key=STEPS.index):
            self.assertTrue(cut_in_step(farm, laptop, job, step, chance), step)
        boots = farm.wait_boots(job, 2400, laptop)
        farm.assert_true_after_cuts(job, boots)
        laptop.assert_home()


class Test4Leave(unittest.TestCase):
    def test_leaving_leaves_nothing(self):
        laptop.network(up=False)
        laptop.check("shakedown-laptop leave --yes", 120)
        laptop.shut_down()
        after = laptop.look()
        self.assertFalse(armed(after.grubenv), after.grubenv)
        self.assertEqual(after.esp, before.esp)
        self.assertEqual(difference(before.tree, after.tree), [])
        self.assertNotIn("/var/lib/shakedown", after.tree)
        self.assertNotIn("/etc/shakedown/token", after.tree)


def difference(before_tree, after_tree):
    """Paths that came, went or changed, but for what the owner himself put there to enrol, and the package's empty folders."""
    own = re.compile(r"/etc/shakedown/owner\.txtpb$|/root/(token|ca\.pem)$|/var/lib/shakedown(-laptop)?$")
    return sorted(path for path in {*before_tree, *after_tree}
                  if not own.match(path) and before_tree.get(path) != after_tree.get(path))


if __name__ == "__main__":
    unittest.main(verbosity=2)
