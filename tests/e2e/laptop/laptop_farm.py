"""A farm that laptops reach over TLS: PostgreSQL, a controller, and this host as its builder."""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from farm import BIN, BUILD, SOURCE, Farm, wait_until  # noqa: E402
from laptop import FARM_NAME, FARM_PORT, Laptop, build_image  # noqa: E402

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "shakedown"
MEASURED = "OUTCOME_MEASURED"
# Loads that cost little: these tests are about the way there and back.
QUICK = "latt clients=2 work=0 seconds=2 -- true"


def make_package():
    """The path of the agent's Debian package."""
    result = subprocess.run([SOURCE / "deploy/package", "--build", BUILD], check=True, text=True,
                            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    return pathlib.Path(result.stdout.strip())


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, stdin=subprocess.DEVNULL)


class LaptopFarm(Farm):
    def start(self):
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
            "--build-slots", "1", "--ccache", CACHE / "ccache-test", "--runner", BIN / "shakedown-runner"])

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

    def wait_boots(self, job, seconds, laptop=None):
        """The job's boots once all of them have an outcome, by name."""
        def ended():
            if laptop is not None:
                assert laptop.running(), "QEMU ended by itself"
            boots = self.boots(job)
            return boots if boots and all(boot.get("outcome") for boot in boots) else None
        return {boot["name"]: boot for boot in wait_until(ended, seconds, f"the end of all boots of job {job}")}


OWNER = f"""farms: "{FARM_NAME}:{FARM_PORT}"
any_kernel: true
need_ac: false
countdown_seconds: 1
max_boots_a_day: 1000
loads: "make" loads: "latt" loads: "interbench" loads: "command"
"""


class FarmLaptop(Laptop):
    """A laptop that has been enrolled at a farm under `name`."""

    def __init__(self, farm, name, owner=OWNER, image=None, **options):
        super().__init__(image or build_image(make_package()), farm_port=farm.port, **options)
        self.name = name
        agent = self._agent_ids()
        token = farm.state / "tokens" / name
        if not token.exists():
            farm.token("agent", name, token)
        self.disk.write("/etc/shakedown/token", token.read_bytes(), 0o600, agent)
        self.disk.write("/etc/shakedown/ca.pem", (farm.state / "tls/ca.pem").read_bytes())
        self.disk.write("/etc/shakedown/owner.txtpb", owner)
        self.disk.write("/etc/shakedown/agent.conf", f"""name = "{name}"
server = "{FARM_NAME}:{FARM_PORT}"
token-file = "/etc/shakedown/token"
tls-ca = "/etc/shakedown/ca.pem"
state = "/var/lib/shakedown"
laptop = "name={name} socket=/run/shakedown/laptop.sock"
""")
        self.enable("shakedown-agent.service", "shakedown-laptop.service")

    def _agent_ids(self):
        for line in self.disk.read("/etc/passwd").decode().splitlines():
            fields = line.split(":")
            if fields[0] == "shakedown":
                return int(fields[2]), int(fields[3])
        raise AssertionError("/etc/passwd: the package made no user shakedown")

    def enable(self, *units):
        """As systemctl enable does."""
        for unit in units:
            self.disk.link(f"/lib/systemd/system/{unit}", f"/etc/systemd/system/multi-user.target.wants/{unit}")

    def shut_down(self, seconds=90):
        """An orderly power-off, so that the disk can be looked at."""
        self.run("systemctl poweroff --no-block", 60)
        wait_until(lambda: not self.running(), seconds, "power off")
        self.power_cut()


def armed(environment):
    """Whether a GRUB environment says what to start next, once."""
    return bool(environment.get("next_entry"))
