#!/usr/bin/env python3
"""Two builds of Meniscus side by side: cpu time a step and memory on the cases of the comparison with SPlisHSPlasH.

Both run in turn, several rounds, and who goes first changes; of each figure the least of all rounds counts, because whatever else
the machine does only adds. The program fails if a ratio (new over old) is above `--allow`.
"""
import argparse
import sys
from pathlib import Path

import compare_splishsplash as peers

CASES = ["dfsph", "dfsph-maps", "wcsph", "pcisph", "iisph", "dfsph-500k", "dfsph-cfl"]
STEPS = {"dfsph-500k": 20}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, help="the binary to compare with")
    parser.add_argument("new", type=Path, help="the binary that may not be slower")
    parser.add_argument("--case", default=",".join(CASES), help="which cases, with commas between")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--allow", type=float, default=1.03, help="the ratio above which this program fails")
    args = parser.parse_args()
    print("| case | cpu ms a step, old | new | ratio | MiB, old | new | ratio |\n| --- | --- | --- | --- | --- | --- | --- |")
    worst = 0.0
    for name in args.case.split(","):
        old, new = least(args, name)
        ratios = [new[key] / old[key] for key in ("cpu_ms", "memory_mb")]
        worst = max(worst, *ratios)
        print(f"| {name} | {old['cpu_ms']:.2f} | {new['cpu_ms']:.2f} | {ratios[0]:.3f} "
              f"| {old['memory_mb']:.0f} | {new['memory_mb']:.0f} | {ratios[1]:.3f} |", flush=True)
    if worst > args.allow:
        sys.exit(f"a ratio is {worst:.3f}, more than {args.allow}")


def least(args, name):
    """The least figures of both builds over all rounds."""
    found = [{}, {}]
    for number in range(args.rounds):
        for index in ([0, 1], [1, 0])[number % 2]:
            result = measure(args, name, [args.old, args.new][index])
            for key, value in result.items():
                found[index][key] = min(value, found[index].get(key, value))
    return found


def measure(args, name, binary):
    case = peers.CASES[name]
    run = argparse.Namespace(meniscus=binary, threads=args.threads)
    steps = STEPS.get(name, args.steps)
    long = peers.meniscus(run, case, peers.UNBOUNDED if case.until else steps)
    short = peers.meniscus(run, case, peers.SKIPPED_STEPS)
    count = long["steps"] - short["steps"]
    return {"cpu_ms": 1e3 * (long["cpu_s"] - short["cpu_s"]) / count, "memory_mb": long["peak_memory_bytes"] / 2**20}


if __name__ == "__main__":
    main()
