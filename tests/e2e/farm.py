"""A whole farm in a folder of its own, started by deploy/quickstart, for tests that kill parts of it."""

import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SHAKEDOWN_BUILD_DIR", SOURCE / "build"))
BIN = BUILD / "bin"


def free_ports(count):
    """The first of `count` ports in a row that nobody listens on. Below what the kernel gives to outgoing
    connections (ip_local_port_range, 32768 on): one of those, even one in TIME_WAIT, would keep a port from us."""
    while True:
        first = random.randrange(20000, 32000)
        try:
            for port in range(first, first + count):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return first


def wait_until(condition, seconds, what):
    """Polls until `condition()` is true; an AssertionError naming `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.2)


class Farm:
    def __init__(self):
        self.state = None  # A folder once started.
        self.port = free_ports(2)  # The page's is the next.

    def quickstart(self, *args, check=True):
        command = [SOURCE / "deploy/quickstart", "--state", self.state, "--port", str(self.port),
                   "--build", BUILD, *args]
        # The tester's own config.txtpb is not ours to write.
        environment = {**os.environ, "XDG_CONFIG_HOME": str(self.state / "config")}
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, env=environment,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        if check and done.returncode != 0:
            raise AssertionError(f"deploy/quickstart {' '.join(args)}: exit {done.returncode}: {done.stdout}")
        return done

    def start(self):
        """Starts what does not run: the whole farm, or the part that was killed."""
        if self.state is None:
            self.state = pathlib.Path(tempfile.mkdtemp(prefix="shakedown-e2e-"))
            self.state.chmod(0o755)
        self.quickstart("--no-job")

    def remove(self):
        self.quickstart("--stop", check=False)
        keep = os.environ.get("SHAKEDOWN_TEST_LOGS")
        if keep:
            shutil.copytree(self.state / "log", pathlib.Path(keep) / self.state.name,
                            dirs_exist_ok=True)
        shutil.rmtree(self.state, ignore_errors=True)

    def pid(self, name):
        return int((self.state / "run" / name).read_text().split()[0])

    def kill(self, name):
        """SIGKILL to the controller or the agent."""
        pid = self.pid(name)
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not pathlib.Path(f"/proc/{pid}").exists() or _zombie(pid), 10,
                   f"end of {name}")

    def shakedown(self, *args, timeout=600):
        command = [BIN / "shakedown", "--server", f"127.0.0.1:{self.port}", "--token-file",
                   self.state / "tokens/user", *args]
        return subprocess.run(command, text=True, capture_output=True, timeout=timeout,
                              stdin=subprocess.DEVNULL)

    def json(self, *args):
        result = self.shakedown(*args, "--json")
        if result.returncode != 0:
            raise AssertionError(f"{args}: exit {result.returncode}: {result.stderr}")
        return json.loads(result.stdout)

    def submit(self, *args):
        """Submits without waiting; the job's number as text."""
        answer = self.json("submit", *args)
        return str(answer["job"])

    def boots(self, job):
        return self.json("boots", job)["boots"]

    def wait(self, job, seconds=900):
        return self.shakedown("watch", job, timeout=seconds)

    def sql(self, statement):
        """Goes behind the farm's back."""
        conninfo = subprocess.run([BIN / "shakedown-postgres", "status", "--dir",
                                   self.state / "postgres"], check=True, text=True,
                                  capture_output=True).stdout.strip()
        return subprocess.run(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", statement, conninfo],
                              check=True, text=True, capture_output=True).stdout.strip()

    def qemus(self):
        """Pids of QEMU processes that run from this farm's folder."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                command = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if "qemu-system" in command.split("\0")[0] and str(self.state) in command:
                found.append(int(entry.name))
        return found

    def leftovers(self):
        """Files of boots that have ended: overlays, sockets, temporary files."""
        patterns = ("*.qcow2", "*.sock", "*.tmp", "*.overlay")
        return [str(path) for pattern in patterns for path in self.state.rglob(pattern)
                if "postgres" not in path.parts and "libvirt" not in path.parts]


def _zombie(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True
