"""Hours of what can happen to a laptop: run by tests/run --all. SHAKEDOWN_CUTS: power cuts in each step (4);
SHAKEDOWN_SEED: of their moments (7)."""

import json
import os
import random
import unittest

from cut_images import take_images
from laptop_farm import (CACHE, MEASURED, QUICK, UNITS, FarmLaptop, LaptopFarm, build_image, make_package, outcomes, wait_until,
                         wish)
from power_cuts import STEPS, cut_in_step, say

CFS, EEVDF = "debian-6.1-cloud", "debian-6.12-cloud"
CUTS = int(os.environ.get("SHAKEDOWN_CUTS", "4"))
SEED = int(os.environ.get("SHAKEDOWN_SEED", "7"))

SECURE_BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

farm = LaptopFarm()


def setUpModule():
    farm.start(machine=f"name=vm1 vcpus=2 memory=1024 image={CACHE}/guest/guest.img")


def tearDownModule():
    farm.remove()


class WithLaptop(unittest.TestCase):
    """A laptop for each class, enrolled."""
    loader = "grub"

    @classmethod
    def setUpClass(cls):
        cls.laptop = FarmLaptop(farm, f"x-{cls.__name__.lower()}", image=build_image(make_package(), cls.loader))
        cls.addClassCleanup(cls.laptop.remove)
        cls.prepare(cls.laptop)
        cls.laptop.power_on()
        cls.laptop.wait_started()
        cls.laptop.enroll()

    @classmethod
    def prepare(cls, laptop):
        """Writes to its disk before the first start."""

    def submit(self, *arguments):
        return farm.submit(*arguments, "--machine", self.laptop.name)


class TestPowerCuts(WithLaptop):
    def test_in_each_step(self):
        chance = random.Random(SEED)
        for cuts in range(CUTS):
            with self.subTest(seed=SEED, cuts=cuts):
                self.cut_in_each(chance)

    def cut_in_each(self, chance):
        """In the order of a boot, so that no step is taken for begun by what the farm last heard before a cut."""
        job = self.submit("--baseline", EEVDF, "--challenger", f"{EEVDF} nohz=off", "--load", QUICK, "--blocks", "1",
                          "--attempts", "10")
        cuts = sum(cut_in_step(farm, self.laptop, job, step, chance) for step in STEPS)
        boots = farm.wait_boots(job, 3600, self.laptop)
        self.assertEqual(cuts, len(STEPS))
        farm.assert_true_after_cuts(job, boots)
        self.laptop.assert_home()


class TestCutImages(WithLaptop):
    """Power cuts as images of one boot, each started by itself: a minute a cut."""

    def test_each_image_comes_home_and_tells_the_truth(self):
        job = self.submit("--baseline", EEVDF, "--challenger", f"{EEVDF} nohz=off", "--load", QUICK, "--blocks", "1",
                          "--attempts", "1")
        images = take_images(farm, self.laptop, job, random.Random(SEED), CUTS, say)
        for image in images:
            self.addCleanup(image.laptop.remove)
        self.assertEqual(len(images), CUTS * len(STEPS))
        self.laptop.power_cut()
        for image in images:
            with self.subTest(seed=SEED, image=str(image)):
                image.start()
                say(f"seed {SEED}: {image.line()}")
                image.assert_true()


class TestOwnWays(WithLaptop):
    def one_boot(self, load, challenger=f"{EEVDF} nohz=off", **more):
        job = self.submit("--baseline", EEVDF, "--challenger", challenger, "--load", load, "--blocks", "1",
                          "--attempts", "1")
        if "meanwhile" in more:
            more["meanwhile"](job)
        boots = farm.wait_boots(job, 2400, self.laptop)
        self.laptop.assert_home()
        return job, boots

    def test_a_kernel_without_its_root_disk(self):
        job, boots = self.one_boot(QUICK, f"{EEVDF} module_blacklist=virtio_blk")
        self.assertEqual(outcomes(boots), {f"{job}.1A": MEASURED, f"{job}.1B": "OUTCOME_BOOT_FAILED"})

    def test_a_kernel_that_has_no_room_to_start(self):
        job, boots = self.one_boot(QUICK, f"{EEVDF} mem=40M")
        self.assertEqual(outcomes(boots), {f"{job}.1A": MEASURED, f"{job}.1B": "OUTCOME_BOOT_FAILED"})

    def test_silence_after_work(self):
        job, boots = self.one_boot(wish("sleep 40; wish=silence"))
        self.assertEqual(set(outcomes(boots).values()), {"OUTCOME_HUNG"}, boots)

    def test_a_kernel_that_resets_itself_is_not_measured(self):
        _, boots = self.one_boot(wish("wish=reset"))
        self.assertNotIn(MEASURED, outcomes(boots).values())

    def test_without_a_network_the_block_is_run_to_its_end(self):
        def away(job):
            wait_until(lambda: self.laptop.says("shakedown\\.boot=", start), 900, "the first test kernel")
            self.laptop.network(up=False)
            # Both boots, and home.
            first = self.laptop.says("shakedown\\.boot=", start)
            wait_until(lambda: self.laptop.says("shakedown\\.boot=", self.laptop.says("reboot: Restart", first)), 900,
                       "the second test kernel, without a farm")
            self.laptop.assert_home()
            self.laptop.network(up=True)

        start = len(self.laptop.serial())
        _, boots = self.one_boot(QUICK, meanwhile=away)
        self.assertEqual(set(outcomes(boots).values()), {MEASURED})


class TestWayHome(WithLaptop):
    """A test kernel whose system ends in emergency mode, as when a file system can not be mounted."""
    BROKEN = """[Unit]
DefaultDependencies=no
Before=local-fs.target
ConditionKernelCommandLine=skew_tick=1
OnFailure=emergency.target
OnFailureJobMode=replace-irreversibly
[Service]
Type=oneshot
ExecStart=/bin/false
"""

    @classmethod
    def prepare(cls, laptop):
        laptop.disk.write(f"{UNITS}/bed-broken.service", cls.BROKEN)
        # Required, so that what wants local file systems does not start.
        laptop.add_to_unit("local-fs.target", "[Unit]\nRequires=bed-broken.service\n")
        laptop.add_to_unit("shakedown-way-home.service", "[Service]\nRuntimeMaxSec=30\n")

    def test_emergency_mode_comes_home_and_is_told(self):
        start = len(self.laptop.serial())
        job = self.submit("--baseline", EEVDF, "--challenger", f"{EEVDF} skew_tick=1", "--load", QUICK, "--blocks", "1",
                          "--attempts", "1")
        boots = farm.wait_boots(job, 2400, self.laptop)
        # Nor has it cut short a boot that came up: that one took longer than 30 s.
        self.assertEqual(outcomes(boots), {f"{job}.1A": MEASURED, f"{job}.1B": "OUTCOME_BOOT_FAILED"}, boots)
        self.assertIn("shakedown-way-home", boots[f"{job}.1B"]["reason"])
        self.assertTrue(self.laptop.says("emergency", start))
        self.laptop.assert_home()
        self.laptop.check("shakedown-laptop leave --yes", 120)
        self.assertEqual(self.laptop.check("find /etc/systemd/system -type l -name 'shakedown*' -o -name emergency.target.wants "
                                           "-o -name rescue.target.wants"), "")


class TestRefusals(WithLaptop):
    """What is wrong with a machine is one clear line before any reboot."""
    CASES = {
        "no room": ("fallocate -l $(($(df --output=avail -B1 / | tail -1) - 40000000)) /fill && sync", "rm /fill; sync", "free"),
        # Read-only before it is there: a remount does not reach the daemon's own view of the mounts.
        "read-only boot": ("mount --bind /boot /mnt && mount -o remount,bind,ro /mnt && mount --bind /mnt /boot",
                           "umount -l /boot; umount -l /mnt", "read-only"),
        "broken grubenv": ("cp /boot/grub/grubenv /root/e; echo x >/boot/grub/grubenv", "cp /root/e /boot/grub/grubenv", "grubenv"),
        # "resume" says that the time is right: nothing else has happened yet that could tell.
        "clock set back": ("shakedown-laptop resume && date -s '-1 year'", "date -s '+1 year'", "clock"),
        "full journal disk": ("mount -t tmpfs -o size=3m none /var/lib/shakedown-laptop",
                              "umount -l /var/lib/shakedown-laptop", "/var/lib/shakedown-laptop: 3 MiB free"),
        "Secure Boot": (f"printf '\\6\\0\\0\\0\\1' >/run/on && mount --bind /run/on {SECURE_BOOT}", f"umount -l {SECURE_BOOT}",
                        "Secure Boot"),
    }

    def test_each_is_one_line(self):
        for name, (spoil, mend, says) in self.CASES.items():
            with self.subTest(name):
                self.laptop.check(spoil)
                try:
                    machine = wait_until(self.problem, 90, f"{name}: a problem at the farm")
                    self.assertIn(says, machine["detail"])
                    self.assertNotIn("\n", machine["detail"])
                finally:
                    self.laptop.check(mend)
                wait_until(lambda: not self.problem(), 90, f"{name}: mended")

    def test_an_update_in_a_test_kernel_restarts_nothing(self):
        process = "systemctl show --value --property=MainPID shakedown-laptop.service"
        before = self.laptop.check(process)
        configure = "/var/lib/dpkg/info/shakedown-agent.postinst configure"
        said = self.laptop.check("printf 'quiet shakedown.boot=x\\n' >/run/line && unshare --mount sh -c "
                                 f"'mount --bind /run/line /proc/cmdline && {configure}'", 120)
        self.assertIn("A test kernel runs", said)
        self.assertEqual(self.laptop.check(process), before)
        self.assertNotIn("A test kernel runs", self.laptop.check(configure, 120))
        self.assertNotEqual(self.laptop.check(process), before)

    def problem(self):
        return next((machine for machine in farm.json("machines")["machines"]
                     if machine["name"] == self.laptop.name and machine["state"] == "problem"), None)


class TestSystemdBoot(WithLaptop):
    loader = "systemd-boot"

    def test_a_job_and_leaving(self):
        self.laptop.shut_down()
        before = self.laptop.look()
        self.laptop.power_on()
        job = self.submit("--baseline", CFS, "--challenger", EEVDF, "--load", QUICK, "--blocks", "1")
        self.assertEqual(set(outcomes(farm.wait_boots(job, 2400, self.laptop)).values()), {MEASURED})
        self.laptop.assert_home()
        self.assertEqual(self.laptop.run("ls /sys/firmware/efi/efivars | grep LoaderEntryOneShot")[1].strip(), "")
        self.laptop.check("shakedown-laptop leave --yes", 120)
        self.laptop.shut_down()
        self.assertEqual(self.laptop.look().esp, before.esp)


class TestMixed(WithLaptop):
    def test_a_laptop_and_a_vm_are_never_pooled(self):
        # Six: from there on a report has verdicts.
        job = farm.submit("--baseline", CFS, "--challenger", EEVDF, "--load", QUICK, "--blocks", "6", "--machine",
                          self.laptop.name, "--machine", "vm1")
        boots = farm.wait_boots(job, 3600, self.laptop)
        self.assertEqual(set(outcomes(boots).values()), {MEASURED})
        blocks = {}
        for boot in boots.values():
            blocks.setdefault(boot["block"], set()).add(boot["machine"])
        both = {self.laptop.name, "vm1"}
        self.assertEqual({len(machines) for machines in blocks.values()}, {1}, blocks)
        self.assertEqual(set().union(*blocks.values()), both)
        report = json.loads(farm.shakedown("report", job, "--format", "json").stdout)
        judged = [comparison for load in report["loads"] for metric in load["metrics"]
                  for comparison in metric.get("comparisons", ())]
        self.assertTrue(judged)
        for comparison in judged:
            self.assertNotIn("estimate", comparison)
            self.assertIn("never pooled", comparison["note"])
            self.assertEqual({one["machine"] for one in comparison["machines"]}, both)


if __name__ == "__main__":
    unittest.main(verbosity=2)
