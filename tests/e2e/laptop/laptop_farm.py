"""A farm that laptops reach over TLS: PostgreSQL, a controller, and this host as its builder."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import types

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from farm import BIN, BUILD, SOURCE, Farm, wait_until  # noqa: E402
from laptop import FARM_NAME, FARM_PORT, Laptop, build_image  # noqa: E402

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "shakedown"
MEASURED = "OUTCOME_MEASURED"
# Loads that cost little: these tests are about the way there and back. Not shorter: what a system does after its start,
# emulated, is more than 2 % of a few seconds, and that is a disturbance.
QUICK = "latt clients=2 work=0 seconds=25 -- true"


def make_package():
    """The path of the agent's Debian package."""
    result = subprocess.run([SOURCE / "deploy/package", "--build", BUILD], check=True, text=True,
                            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    return pathlib.Path(result.stdout.strip())


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, stdin=subprocess.DEVNULL)


class LaptopFarm(Farm):
    def start(self, machine=None):
        """`machine`: a VM of the builder, as its --machine says it."""
        self.state = pathlib.Path(tempfile.mkdtemp(prefix="shakedown-laptops-"))
        self.state.chmod(0o755)  # PostgreSQL's user passes.
        for name in ("log", "tokens", "tls", "agent"):
            (self.state / name).mkdir(mode=0o700)
        self._make_certificates()
        user = ["--user", "postgres"] if os.geteuid() == 0 else []
        self.database = subprocess.run([BIN / "shakedown-postgres", "start", "--dir", self.state / "postgres", *user],
                                       check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
        self.controller("migrate")
        self.token("user", "tester", self.state / "tokens/user")
        self.token("agent", "builder", self.state / "tokens/builder")
        self.processes = {}
        self.start_controller()
        self._start_process("agent", [
            BIN / "shakedown-agent", "--name", "builder", "--server", f"127.0.0.1:{self.port}", "--token-file",
            self.state / "tokens/builder", "--tls-ca", self.state / "tls/ca.pem", "--state", self.state / "agent",
            "--build-slots", "1", "--ccache", CACHE / "ccache-test", "--runner", BIN / "shakedown-runner",
            "--libvirt-uri", f"qemu:///embed?root={self.state / 'libvirt'}", *(["--machine", machine] if machine else [])])

    def _make_certificates(self):
        """An authority, and the controller's certificate for the names it is called by here and in laptops."""
        tls = self.state / "tls"
        curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2000")
        openssl("req", "-x509", *curve, "-subj", "/CN=test authority", "-keyout", tls / "ca.key", "-out", tls / "ca.pem")
        openssl("req", *curve[:-2], "-subj", f"/CN={FARM_NAME}", "-keyout", tls / "farm.key", "-out", tls / "farm.csr")
        (tls / "names").write_text(f"subjectAltName=DNS:{FARM_NAME},DNS:localhost,IP:127.0.0.1\n")
        openssl("x509", "-req", "-in", tls / "farm.csr", "-CA", tls / "ca.pem", "-CAkey", tls / "ca.key",
                "-CAcreateserial", "-days", "2000", "-extfile", tls / "names", "-out", tls / "farm.pem")

    def controller(self, *arguments):
        subprocess.run([BIN / "shakedown-controller", *arguments, "--database", self.database], check=True,
                       capture_output=True, text=True, stdin=subprocess.DEVNULL)

    def token(self, role, name, path):
        self.controller("token", "create", "--role", role, "--name", name, "--out", path)

    def start_controller(self):
        self._start_process("controller", [
            BIN / "shakedown-controller", "serve", "--database", self.database, "--artefacts", self.state / "artefacts",
            "--catalog", SOURCE / "kernels", "--listen", f"127.0.0.1:{self.port}", "--tls-cert",
            self.state / "tls/farm.pem", "--tls-key", self.state / "tls/farm.key"])
        wait_until(lambda: self.shakedown("jobs").returncode == 0, 30, "an answer of the controller")

    def _start_process(self, name, command):
        with open(self.state / "log" / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def stop_controller(self):
        """As far as laptops can tell: the network is gone."""
        self._stop("controller")

    def _stop(self, name):
        process = self.processes.pop(name, None)
        if process is None:
            return
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(30)
        process.kill()
        process.wait()

    def quickstart(self, *args, check=True):
        """What Farm.remove() calls to stop it."""
        assert args == ("--stop",)
        for name in ("agent", "controller"):
            self._stop(name)
        return subprocess.run([BIN / "shakedown-postgres", "stop", "--dir", self.state / "postgres"], check=check)

    def shakedown(self, *args, timeout=600):
        return super().shakedown("--tls-ca", self.state / "tls/ca.pem", *args, timeout=timeout)

    def wait_machine(self, name, seconds=120):
        """Waits until the farm has seen the machine."""
        wait_until(lambda: any(machine["name"] == name for machine in self.json("machines")["machines"]), seconds,
                   f"machine {name} at the farm")

    def wait_boots(self, job, seconds, laptop=None):
        """The job's boots once it has ended, by name: a disturbed block has been repeated by then."""
        def ended():
            if laptop is not None:
                assert laptop.running(), "QEMU ended by itself"
            view = self.json("job", job)
            return view["boots"] if view["state"] == "JOB_STATE_DONE" else None
        return {boot["name"]: boot for boot in wait_until(ended, seconds, f"the end of all boots of job {job}")}

    def assert_true_after_cuts(self, job, boots):
        """None measured twice, and each measured at last, or disturbed, as emulated machines are; but for one that was cut
        before its user space: that looks like a kernel that came home by itself, which is not tried again."""
        count = self.sql("SELECT count(*) || ' ' || count(DISTINCT (block, variant)) FROM boots WHERE job = "
                         f"{int(job)} AND outcome = 'measured'").split()
        measured = sum(boot["outcome"] == MEASURED for boot in boots.values())
        assert count == [str(measured)] * 2, f"job {job}: {count} measured, want {measured}"
        for name, boot in boots.items():
            cut = boot["outcome"] == "OUTCOME_BOOT_FAILED" and "a power cut during the boot looks the same" in boot["reason"]
            assert boot["outcome"] in (MEASURED, "OUTCOME_DISTURBED") or cut, f"{name}: {boot['outcome']} {boot['reason']}"

    def releases(self, job):
        """{variant: {kernel series}} of what was measured, as the booted kernels said."""
        rows = self.sql("SELECT variant, release FROM boots JOIN boot_results USING (attempt_id) WHERE job = "
                        f"{int(job)} AND outcome = 'measured'")
        found = {}
        for row in rows.splitlines():
            variant, release = row.split("|")
            found.setdefault("ABCDEFGH"[int(variant)], set()).add(".".join(release.split(".")[:2]))
        return found


def whole_blocks(boots):
    """Numbers of the blocks all of whose boots were measured."""
    return {boot["block"] for boot in boots.values()} - {boot["block"] for boot in boots.values() if boot["outcome"] != MEASURED}


def outcomes(boots):
    return {name: boot["outcome"] for name, boot in boots.items()}


OWNER = f"""farms: "{FARM_NAME}:{FARM_PORT}"
any_kernel: true
need_ac: false
countdown_seconds: 1
max_boots_a_day: 1000
loads: "make" loads: "latt" loads: "interbench" loads: "command"
boot_parameters: "mem"
"""


# Loads are nobody who could bring a kernel down. What one wishes for here, a unit of the laptop's does, in test kernels.
UNITS = "/etc/systemd/system"
WISH_UNITS = {
    "bed-wish.path": """[Unit]
ConditionKernelCommandLine=shakedown.boot
[Path]
PathExists=/dev/shm/bed-wish
""",
    "bed-wish.service": """[Service]
Type=oneshot
ExecStart=/bin/sh /etc/systemd/system/bed-wish.sh
""",
    # "silence" leaves neither a pstore record nor a word on the console: the hardware's watchdog ends it.
    "bed-wish.sh": """case $(cat /dev/shm/bed-wish) in
panic) ;;
reset) echo b >/proc/sysrq-trigger;;
silence) echo 0 >/proc/sys/kernel/panic
  mount -o remount,kmsg_bytes=0 /sys/fs/pstore
  echo 1 >/proc/sys/kernel/printk;;
esac
echo c >/proc/sysrq-trigger
""",
}


def wish(choice):
    """A load under which the kernel ends as `choice`, shell that sets "wish", says."""
    return (f"command -- sh -c '{choice}; echo $wish >/dev/shm/bed-new; mv /dev/shm/bed-new /dev/shm/bed-wish; sleep 120'")


class FarmLaptop(Laptop):
    """A laptop whose owner has the token of a farm under `name`, and rules for it."""

    def __init__(self, farm, name, owner=OWNER, image=None, **options):
        super().__init__(image or build_image(make_package()), farm_port=farm.port, **options)
        self.farm = farm
        self.name = name
        token = farm.state / "tokens" / name
        farm.token("agent", name, token)
        self.disk.write("/root/token", token.read_bytes(), 0o600)
        self.disk.write("/root/ca.pem", (farm.state / "tls/ca.pem").read_bytes())
        self.disk.write("/etc/shakedown/owner.txtpb", owner)
        for unit, text in WISH_UNITS.items():
            self.disk.write(f"{UNITS}/{unit}", text)
        self.add_to_unit("multi-user.target", "[Unit]\nWants=bed-wish.path\n")

    def add_to_unit(self, unit, text):
        """To a laptop that is off."""
        self.disk.make_folder(f"{UNITS}/{unit}.d")
        self.disk.write(f"{UNITS}/{unit}.d/bed.conf", text)

    def enroll(self):
        """As the owner does, in a terminal."""
        output = self.check(f"shakedown-laptop enroll --server {FARM_NAME}:{FARM_PORT} --name {self.name} "
                          "--token-file /root/token --tls-ca /root/ca.pem --yes", 120)
        self.farm.wait_machine(self.name)
        return output

    def look(self):
        """What the disk of a laptop that is off holds."""
        return types.SimpleNamespace(tree=self.disk.tree(), esp=self.disk.esp(), grubenv=self.disk.grubenv())

    def says(self, pattern, since=0):
        """Where in the console's text behind `since` the pattern ends; 0: nowhere."""
        found = re.compile(pattern).search(self.serial(), since)
        return found.end() if found else 0

    def assert_home(self):
        """In its own kernel, with nothing installed and nothing armed."""
        wait_until(lambda: '"BOOT_STAGE_NONE"' in self.run("shakedown-laptop status --json", 180)[1], 300, "home")
        line = self.check("cat /proc/cmdline")
        assert "shakedown" not in line, line
        for command in ("ls -A /boot /boot/grub /lib/modules", "grub-editenv list", "efibootmgr 2>/dev/null || true"):
            output = self.check(command)
            assert "shakedown" not in output and "next_entry=" not in re.sub("next_entry=$", "", output), output

    def wait_started(self):
        self.check("systemctl is-system-running --wait | grep -E 'running|degraded'", 180)

    def shut_down(self, seconds=90):
        """An orderly power-off, so that the disk can be looked at."""
        self.run("systemctl poweroff --no-block", 60)
        wait_until(lambda: not self.running(), seconds, "power off")
        self.power_cut()


def armed(environment):
    """Whether a GRUB environment says what to start next, once."""
    return bool(environment.get("next_entry"))
