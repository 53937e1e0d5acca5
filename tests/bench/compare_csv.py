#!/usr/bin/env python3
"""`shakedown compare` on a million rows, paired and unpaired: each under 2 s.

    tests/bench/compare_csv.py build/bin/shakedown

Prints the best of three runs in seconds, and as a multiple of `sort -g` of the same file in the same run, which tells a
slow program from a busy machine. Exit code 1: over the limit and over 1.5 times the sort.
"""
import os
import random
import subprocess
import sys
import tempfile
import time

ROWS = 1_000_000
LIMIT_S = 2.0
LIMIT_SORTS = 1.5


def best(command):
    times = []
    for _ in range(3):
        start = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"})
        times.append(time.monotonic() - start)
    return min(times)


def write(path, scale, paired, rows):
    rng = random.Random(f"{path}{scale}")
    order = list(range(1, rows + 1))
    rng.shuffle(order)
    with open(path, "w", encoding="ascii") as file:
        file.write("# metric: make.real:lower:ratio:s\n")
        file.write("block,make.real\n" if paired else "make.real\n")
        for block in order:
            value = f"{scale * (100 + rng.gauss(0, 3)):.6f}\n"
            file.write(f"{block},{value}" if paired else value)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for name in ("paired", "unpaired"):
            base = os.path.join(folder, f"{name}-base.csv")
            challenger = os.path.join(folder, f"{name}-challenger.csv")
            # A million rows in all.
            write(base, 1, name == "paired", ROWS // 2)
            write(challenger, 1.02, name == "paired", ROWS // 2)
            compare = best([sys.argv[1], "compare", base, challenger, "--json"])
            sort = best(["sort", "-g", "-t,", "-k" + ("2" if name == "paired" else "1"), base, challenger])
            print(f"{name}: {compare:.2f} s, {compare / sort:.2f} of sort -g ({sort:.2f} s)")
            failed = failed or (compare > LIMIT_S and compare > LIMIT_SORTS * sort)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
