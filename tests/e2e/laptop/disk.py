"""The disk of a laptop that is off, read and written without mounting anything."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile

ESP_OFFSET = 1 << 20  # As build-image parts the disk.
ROOT_OFFSET = 257 << 20
TOOLS = {**os.environ, "LC_ALL": "C", "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin", "MTOOLS_SKIP_CHECK": "1"}
# What any running system writes by itself: nobody's trace.
RESTLESS = re.compile(r"/(var/log|var/lib/systemd|var/lib/shakedown-bed|var/cache|var/tmp|tmp|run|dev|proc|sys|lost\+found|"
                      r"boot/efi)(/|$)|/etc/(machine-id|\.updated)$|/var/\.updated$|/etc/(resolv\.conf|adjtime)$")


def _run(command, **options):
    return subprocess.run(command, check=True, capture_output=True, env=TOOLS, stdin=subprocess.DEVNULL, **options)


class Disk:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.root = f"{path}?offset={ROOT_OFFSET}"

    def _debugfs(self, *commands, write=False):
        with tempfile.NamedTemporaryFile("w", suffix=".debugfs") as script:
            script.write("".join(f"{command}\n" for command in commands))
            script.flush()
            result = _run(["debugfs", *(["-w"] if write else []), "-f", script.name, self.root])
        errors = [line for line in result.stderr.decode(errors="replace").splitlines()[1:] if line.strip()]
        return result.stdout, errors

    def read(self, path):
        """Bytes of a file; None when it is not there. What GRUB would see: a journal is not replayed."""
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / "file"
            self._debugfs(f"dump {_word(path)} {target}")
            return target.read_bytes() if target.exists() else None

    def recovered(self, *paths):
        """Bytes of files as the next start finds them; None for one that is not there. Replays the journal in a copy."""
        with tempfile.TemporaryDirectory(dir=self.path.parent) as folder:
            root, target = _recovered(self.path, pathlib.Path(folder)), pathlib.Path(folder) / "file"
            found = []
            for path in paths:
                target.unlink(missing_ok=True)
                _run(["debugfs", "-R", f"dump {_word(path)} {target}", root])
                found.append(target.read_bytes() if target.exists() else None)
            return found

    def names(self, folder):
        """Names in a folder."""
        output, _ = self._debugfs(f"ls -p {_word(folder)}")
        found = re.findall(rb"^/\d+/\d+/\d+/\d+/([^/]*)/", output, re.M)
        return sorted(name.decode() for name in found if name not in (b".", b"..", b""))

    def write(self, path, content, mode=0o644, owner=(0, 0)):
        """Makes or replaces a file of a disk whose file system is clean; its folder must be there."""
        content = content.encode() if isinstance(content, str) else content
        with tempfile.NamedTemporaryFile() as source:
            source.write(content)
            source.flush()
            name = _word(path)
            _, errors = self._debugfs(f"rm {name}", f"write {source.name} {name}", f"sif {name} mode 0{0o100000 | mode:o}",
                                      f"sif {name} uid {owner[0]}", f"sif {name} gid {owner[1]}", write=True)
        assert self.read(path) == content, f"{path}: {errors}"

    def make_folder(self, path, mode=0o755, owner=(0, 0)):
        name = _word(path)
        self._debugfs(f"mkdir {name}", f"sif {name} mode 0{0o040000 | mode:o}", f"sif {name} uid {owner[0]}",
                      f"sif {name} gid {owner[1]}", write=True)

    def link(self, target, path):
        self._debugfs(f"symlink {_word(path)} {_word(target)}", write=True)

    def copy_tree(self, source, target):
        """Adds all of a folder of ours below a folder of the disk."""
        commands = []
        for folder, _, files in os.walk(source):
            below = pathlib.Path(target) / os.path.relpath(folder, source)
            commands.append(f"mkdir {_word(below)}")
            commands += [f"write {_word(pathlib.Path(folder) / name)} {_word(below / name)}" for name in files
                         if not (pathlib.Path(folder) / name).is_symlink()]
        self._debugfs(*commands, write=True)

    def grubenv(self):
        """GRUB's environment block as a dict."""
        lines = (self.read("/boot/grub/grubenv") or b"").decode(errors="replace").splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))

    def esp(self):
        """{path: digest} of the EFI system partition."""
        with tempfile.TemporaryDirectory() as folder:
            _run(["mcopy", "-s", "-n", "-i", f"{self.path}@@{ESP_OFFSET}", "::/", folder])
            return {"/" + str(path.relative_to(folder)): _digest(path)
                    for path in pathlib.Path(folder).rglob("*") if path.is_file()}

    def tree(self):
        """{path: [kind, mode, owner, group, digest]} of the root file system, but for what is RESTLESS. Replays the journal
        in a copy."""
        command = [sys.executable, __file__, str(self.path)]
        if os.geteuid() != 0:  # Owners are kept only inside a namespace.
            command = ["unshare", "--map-root-user", "--map-auto", *command]
        return json.loads(_run(command).stdout)


def _word(path):
    text = str(path)
    assert re.fullmatch(r"[\w./+@:-]+", text), text
    return text


def _digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _entry(path):
    info = path.lstat()
    if stat.S_ISLNK(info.st_mode):
        content = os.readlink(path)
    else:
        content = _digest(path) if stat.S_ISREG(info.st_mode) else ""
    return [stat.filemode(info.st_mode), info.st_uid, info.st_gid, content]


def _recovered(disk, folder):
    """A copy in `folder` of a disk's root file system, its journal replayed as the next start would."""
    root = folder / "root.ext4"
    size = os.path.getsize(disk)
    _run(["dd", f"if={disk}", f"of={root}", "bs=1M", f"skip={ROOT_OFFSET >> 20}", f"count={(size >> 20) - (ROOT_OFFSET >> 20) - 1}",
          "conv=sparse"])
    checked = subprocess.run(["e2fsck", "-fy", root], env=TOOLS, capture_output=True, stdin=subprocess.DEVNULL)
    if checked.returncode > 1:
        raise SystemExit(f"file system damaged: {checked.stdout.decode(errors='replace')}")
    return root


def _print_tree(disk):
    """Runs as root, or as root of a namespace."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="shakedown-tree-", dir=pathlib.Path(disk).parent))
    try:
        root = _recovered(disk, folder)
        (folder / "tree").mkdir()
        _run(["debugfs", "-R", f"rdump / {folder / 'tree'}", str(root)])
        found = {}
        for path in (folder / "tree").rglob("*"):
            name = "/" + str(path.relative_to(folder / "tree"))
            if not RESTLESS.match(name):
                found[name] = _entry(path)
        json.dump(found, sys.stdout)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    _print_tree(sys.argv[1])
