#!/usr/bin/env python3
"""A long run of the scene with 45 bodies that is stopped and resumed at random.

The run is stopped by SIGINT, after which it saves its state, or by SIGKILL, after which it goes on from its last
checkpoint. After every stop, and at the end, all rows of the series are read: every number must be finite and every body
inside of the tank. At the end no particle may be inside of a body or outside of the tank. Needs Python 3 alone.
"""

import argparse
import csv
import json
import math
import pathlib
import random
import signal
import subprocess
import sys
import time

# The tank of koschier-2017/bodies: half its size in x and z, and its height [m].
TANK = (1.5, 3.0, 0.6)
# How far the reference point of a body may come to a wall: all bodies are thicker than this [m].
NEAREST = 0.03


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/meniscus", help="the command meniscus")
    parser.add_argument("--out", default="out/soak", type=pathlib.Path, help="the folder of the run")
    parser.add_argument("--minutes", default=12.0, type=float, help="wall time that the run must have been at work")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--seed", default=1, type=int, help="of the moments and kinds of stops")
    parser.add_argument("--set", action="append", default=[], help="further changes of the scene")
    return parser.parse_args()


def command(args, first):
    if not first:
        return [args.program, "resume", str(args.out), "--threads", args.threads, "--quiet"]
    sets = ["time.end=10000", "output.frames_per_second=1", "checkpoint.every_wall=15", *args.set]
    more = [word for change in sets for word in ("--set", change)]
    return [args.program, "run", "koschier-2017/bodies", "--out", str(args.out), *more,
            "--threads", args.threads, "--quiet"]


def examine(folder):
    """Reads the series; returns the number of rows, the time reached, and what is wrong."""
    wrong, rows, reached = [], 0, 0.0
    with open(folder / "series.csv", newline="") as file:
        reader = csv.reader(file)
        header = next(reader)
        bodies = [name[:-3] for name in header if name.endswith("_tz") and not name.startswith("tank_")]
        columns = [[header.index(f"{body}_{axis}") for axis in "xyz"] for body in bodies]
        for row in reader:
            if len(row) != len(header):
                continue  # a line that a kill has cut; resume removes it
            values = [float(field) for field in row]
            rows, reached = rows + 1, values[1]
            if not all(math.isfinite(value) for value in values):
                wrong.append(f"a number that is not finite at t = {reached}")
            for body, place in zip(bodies, columns):
                x, y, z = (values[column] for column in place)
                through = abs(x) > TANK[0] - NEAREST or y < NEAREST or abs(z) > TANK[2] - NEAREST
                if through and y < TANK[1]:
                    wrong.append(f"{body} is at ({x:.3f}, {y:.3f}, {z:.3f}) at t = {reached}")
    return len(bodies), rows, reached, wrong


def changed(path):
    return path.stat().st_mtime_ns if path.exists() else None


def wait_until_it_steps(process, series, before):
    """Building the scene takes longer than many a stop waits: the clock starts with the first rows."""
    while process.poll() is None and changed(series) == before:
        time.sleep(0.5)


def main():
    args = arguments()
    dice = random.Random(args.seed)
    worked, stops, first = 0.0, {"SIGINT": 0, "SIGKILL": 0}, True
    while worked < 60.0 * args.minutes:
        start = time.monotonic()
        before = changed(args.out / "series.csv")
        process = subprocess.Popen(command(args, first))
        wait_until_it_steps(process, args.out / "series.csv", before)
        try:
            code = process.wait(timeout=dice.uniform(20.0, 120.0))
            print(f"the run ended by itself with code {code}")
            return 1
        except subprocess.TimeoutExpired:
            kind = dice.choice(["SIGINT", "SIGKILL"])
        process.send_signal(getattr(signal, kind))
        process.wait()
        stops[kind] += 1
        first = False
        worked += time.monotonic() - start
        _, rows, reached, wrong = examine(args.out)
        print(f"{worked / 60:5.1f} min  {kind}  t = {reached:.3f} s  {rows} rows  {len(wrong)} wrong", flush=True)
        if wrong:
            break
    # A last stop that is asked for, so that the summary is of the last state.
    before = changed(args.out / "series.csv")
    process = subprocess.Popen(command(args, False))
    wait_until_it_steps(process, args.out / "series.csv", before)
    time.sleep(15.0)
    process.send_signal(signal.SIGINT)
    process.wait()
    bodies, rows, reached, wrong = examine(args.out)
    summary = json.loads((args.out / "summary.json").read_text())
    escaped = summary["escaped_particles"]
    print(f"{worked / 60:.1f} minutes, {stops['SIGINT']} times SIGINT, {stops['SIGKILL']} times SIGKILL")
    print(f"{summary['fluid_particles']} particles, {bodies} bodies, {summary['steps']} steps to t = {reached:.3f} s")
    print(f"{escaped} particles escaped, {len(wrong)} bodies or numbers wrong")
    for line in wrong[:10]:
        print(line)
    return 1 if wrong or escaped else 0


if __name__ == "__main__":
    sys.exit(main())
