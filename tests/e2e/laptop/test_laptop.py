"""A laptop that boots test kernels and comes home: what every change must keep. Run by tests/run."""

import unittest

from laptop_farm import MEASURED, QUICK, FarmLaptop, LaptopFarm, armed, wait_until

READY = ("debian-6.1-cloud", "debian-6.12-cloud")

farm = LaptopFarm()
laptop = None
before = None


def setUpModule():
    global laptop, before
    farm.start()
    laptop = FarmLaptop(farm, "x1")
    # The first start writes what any first start writes: the tree to compare with is that after it.
    laptop.power_on()
    laptop.wait_started()
    laptop.shut_down()
    before = Before(laptop)
    laptop.power_on()
    laptop.enroll()


def tearDownModule():
    if laptop:
        laptop.remove()
    farm.remove()


class Before:
    """What the owner's machine was before a farm knew it."""

    def __init__(self, machine):
        self.tree = machine.disk.tree()
        self.esp = machine.disk.esp()
        self.grub_config = machine.disk.read("/boot/grub/grub.cfg")


def outcomes(boots):
    return {name: boot["outcome"] for name, boot in boots.items()}


class Test1Job(unittest.TestCase):
    def test_two_kernels_and_two_blocks_are_measured_and_it_is_home(self):
        job = farm.submit("--baseline", READY[0], "--challenger", READY[1], "--load", QUICK, "--blocks", "2",
                          "--machine", "x1")
        boots = farm.wait_boots(job, 1500, laptop)
        self.assertEqual(outcomes(boots), {f"{job}.{block}{variant}": MEASURED for block in (1, 2) for variant in "AB"})
        self.assert_home()

    def assert_home(self):
        wait_until(lambda: "BOOT_STAGE_NONE" in laptop.run("shakedown-laptop status --json", 120)[1], 240, "home")
        self.assertNotIn("shakedown.boot=", laptop.check("cat /proc/cmdline"))
        self.assertEqual(laptop.run("ls /boot | grep -i shakedown")[1].strip(), "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
