"""A laptop that is a QEMU machine: firmware, boot loader, disk, a Debian with systemd. Its power can be cut, its network
taken away, and its disk read while it is off."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from disk import Disk

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[2]
OVMF = pathlib.Path("/usr/share/OVMF")
FARM_NAME = "farm.shakedown.test"  # In the laptop's /etc/hosts: the only address its network knows.
FARM_ADDRESS = "10.0.2.100"
FARM_PORT = 7117


def has_kvm():
    """As agent/machine/kvm.h: a device alone proves nothing."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
        flags = next((line for line in info if line.startswith("flags")), "").split()
    return os.access("/dev/kvm", os.R_OK | os.W_OK) and ("vmx" in flags or "svm" in flags)


def build_image(package=None, loader="grub", free_mib=3000):
    """The path of a disk image that is not to be run in place."""
    command = [HERE / "build-image", "--loader", loader, "--free", str(free_mib)]
    if package:
        command += ["--package", package]
    return pathlib.Path(subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE,
                                       stdin=subprocess.DEVNULL).stdout.split()[-1])


class Laptop:
    """One laptop in a folder of its own. Files of the owner are written before power_on()."""

    def __init__(self, image, farm_port=None, cpus=None, memory_mib=1024, firmware="OVMF_CODE_4M.fd",
                 variables="OVMF_VARS_4M.fd"):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="shakedown-laptop-"))
        self.disk_file = self.folder / "disk.img"
        self.disk = Disk(self.disk_file)  # To be looked at while it is off.
        self.nvram = self.folder / "nvram.fd"
        self.console = self.folder / "console.log"
        subprocess.run(["cp", "--sparse=always", "--reflink=auto", image, self.disk_file], check=True)
        shutil.copy(OVMF / variables, self.nvram)
        self.farm_port = farm_port
        # One while it is emulated: of two, one may run a breakpoint that the other has just taken out of the kernel's text, and
        # the owner's kernel panics (agent/console/stale_breakpoint.h). In one thread two take five times as long.
        self.cpus = cpus or (2 if has_kvm() else 1)
        self.memory_mib = memory_mib
        self.firmware = firmware
        self.clock = None  # "2025-01-31T10:00:00": what the clock chip says at the next power_on().
        self.process = None
        self._shell = None
        self._marker = 0

    # Power.

    def command(self):
        network = "user,id=lan,restrict=on"
        if self.farm_port:
            relay = HERE / "relay.py"
            network += (f",guestfwd=tcp:{FARM_ADDRESS}:{FARM_PORT}-cmd:"
                        f"{sys.executable} {relay} 127.0.0.1 {self.farm_port}")
        # Translated code is kept over a reset, listed by page, and the list is walked at each write to the page: with QEMU's own
        # bound, 1 GiB, the firmware that clears such a page after the third start took minutes (0.1 s for four bytes).
        accelerator = "kvm" if has_kvm() else "tcg,tb-size=128"
        command = ["qemu-system-x86_64", "-nodefaults", "-name", self.folder.name, "-display", "none",
                   "-machine", "q35,smm=" + ("on" if "secboot" in self.firmware else "off"),
                   "-accel", accelerator, "-cpu", "host" if has_kvm() else "qemu64", "-smp", str(self.cpus),
                   "-m", str(self.memory_mib),
                   "-drive", f"if=pflash,unit=0,format=raw,readonly=on,file={OVMF / self.firmware}",
                   "-drive", f"if=pflash,unit=1,format=raw,file={self.nvram}",
                   "-drive", f"if=none,id=disk,format=raw,discard=unmap,file={self.disk_file}",
                   "-device", "virtio-blk-pci,drive=disk,bootindex=1",
                   "-netdev", network, "-device", "virtio-net-pci,id=card,netdev=lan,romfile=",
                   "-device", "virtio-rng-pci", "-device", "i6300esb", "-action", "watchdog=reset",
                   "-chardev", f"file,id=console,path={self.console},append=on", "-serial", "chardev:console",
                   "-chardev", f"socket,id=shell,path={self.folder}/shell,server=on,wait=off",
                   "-serial", "chardev:shell",
                   "-qmp", f"unix:{self.folder}/qmp,server=on,wait=off"]
        if "secboot" in self.firmware:
            command += ["-global", "driver=cfi.pflash01,property=secure,value=on"]
        if self.clock:
            command += ["-rtc", f"base={self.clock}"]
        return command

    def power_on(self):
        assert not self.running(), "it is on already"
        for name in ("qmp", "shell"):
            (self.folder / name).unlink(missing_ok=True)
        with open(self.folder / "qemu.log", "ab") as log:
            self.process = subprocess.Popen(["nice", "-n", "5", *self.command()], stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log)
        deadline = time.monotonic() + 20
        while not (self.folder / "qmp").exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"QEMU: {(self.folder / 'qemu.log').read_text()}")
            time.sleep(0.05)

    def running(self):
        return self.process is not None and self.process.poll() is None

    def power_cut(self):
        """As if the battery were torn out. What the guest had written is on the disk, nothing after it."""
        if self._shell:
            self._shell.close()
            self._shell = None
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        self.process = None

    def reset(self):
        """The reset button."""
        self.qmp("system_reset")

    def press_power(self):
        """The power button, as ACPI tells it."""
        self.qmp("system_powerdown")

    def network(self, up):
        self.qmp("set_link", name="card", up=up)

    def qmp(self, execute, **arguments):
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.settimeout(30)
            monitor.connect(str(self.folder / "qmp"))
            lines = monitor.makefile("rw", encoding="utf-8", newline="\n")
            lines.readline()
            for command in ({"execute": "qmp_capabilities"}, {"execute": execute, "arguments": arguments}):
                lines.write(json.dumps(command) + "\n")
                lines.flush()
                while True:
                    answer = json.loads(lines.readline())
                    if "error" in answer:
                        raise AssertionError(f"QMP {execute}: {answer['error']['desc']}")
                    if "return" in answer:
                        break
            return answer["return"]

    def remove(self):
        self.power_cut()
        keep = os.environ.get("SHAKEDOWN_TEST_LOGS")
        if keep and self.console.exists():
            shutil.copy(self.console, pathlib.Path(keep) / f"{self.folder.name}.console.log")
        shutil.rmtree(self.folder, ignore_errors=True)

    # What can be seen from outside.

    def serial(self):
        """All that the first serial port has said since the laptop was made."""
        return self.console.read_bytes().decode(errors="replace") if self.console.exists() else ""

    def wait_serial(self, pattern, seconds, since=0):
        """The match of `pattern` in what the console says behind byte `since` of its text."""
        deadline = time.monotonic() + seconds
        while True:
            found = re.compile(pattern).search(self.serial(), since)
            if found:
                return found
            if not self.running():
                raise AssertionError(f"QEMU ended: {(self.folder / 'qemu.log').read_text()[-2000:]}")
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {seconds} s on the console: {pattern}\n{self.serial()[-3000:]}")
            time.sleep(0.2)

    # The person who sits at it: a root shell on the second serial port.

    def run(self, command, seconds=60):
        """(exit status, output) of a shell command inside; waits until the laptop has started so far."""
        deadline = time.monotonic() + seconds
        while True:
            with contextlib.suppress(OSError, TimeoutError):
                return self._run(command, max(1.0, deadline - time.monotonic()))
            if time.monotonic() > deadline:
                raise AssertionError(f"the laptop's shell did not answer within {seconds} s: {command}\n"
                                     + self.serial()[-2000:])
            time.sleep(0.5)

    def _connect_shell(self):
        if self._shell is None:
            self._shell = socket.socket(socket.AF_UNIX)
            self._shell.connect(str(self.folder / "shell"))
        return self._shell

    def _read_shell(self, pattern, seconds):
        shell = self._connect_shell()
        deadline = time.monotonic() + seconds
        text = b""
        while True:
            found = re.search(pattern, text, re.S)
            if found:
                return found
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise TimeoutError
            shell.settimeout(remaining)
            chunk = shell.recv(65536)
            if not chunk:
                self._shell = None
                raise TimeoutError
            text += chunk

    def _run(self, command, seconds):
        deadline = time.monotonic() + seconds
        while True:  # Ask until somebody is there; the command itself is given once.
            self._marker += 1
            here = f"<here-{self._marker}>"
            self._connect_shell().sendall(f"echo '<here-'{self._marker}'>'\n".encode())
            try:
                self._read_shell(re.escape(here).encode(), 2)
                break
            except TimeoutError:
                if time.monotonic() > deadline:
                    raise
        self._marker += 1
        self._connect_shell().sendall(f"{{ {command}\n}} 2>&1; echo \"<end-{self._marker} $?>\"\n".encode())
        try:
            found = self._read_shell(rf"^(.*)<end-{self._marker} (\d+)>".encode(), max(1.0, deadline - time.monotonic()))
        except TimeoutError:
            raise AssertionError(f"no end within {seconds:.0f} s: {command}") from None
        return int(found[2]), found[1].decode(errors="replace").replace("\r\n", "\n")

    def check(self, command, seconds=60):
        """The output of a command that must succeed."""
        status, output = self.run(command, seconds)
        if status != 0:
            raise AssertionError(f"exit {status}: {command}\n{output}")
        return output.strip()
