#!/usr/bin/env python3
"""Side by side with SPlisHSPlasH: cpu time a step on the same dam break of 100000 particles.

Both programs run in turn, several rounds, so that whatever else the machine does hits both. The figure that counts is
the ratio of cpu time a step; wall time says something only on a quiet machine. Steps 2 to N are counted on both sides:
set-up, the first step and the end of the program are not. Needs nothing but the Python standard library, a release build of
Meniscus, and the folder that holds the peer's `setup.sh`, `run.py` and `dam_100k_gap.json`.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCENE = "bench-dam-100k"
PEER_SCENE = "dam_100k_gap.json"
# Counted from the second step on, as the peer's runner does.
SKIPPED_STEPS = 1


def main():
    args = arguments()
    python = peer_python(args)
    rounds = []
    for number in range(1, args.rounds + 1):
        # Who goes first changes, so that a drift of the machine's speed favours nobody.
        programs = [lambda: ours(args), lambda: peer(args, python)]
        order = [0, 1] if number % 2 else [1, 0]
        results = {index: programs[index]() for index in order}
        rounds.append((results[0], results[1]))
        show_round(number, *rounds[-1])
    differences = check(rounds)
    table = markdown(rounds, args)
    print("\n" + table)
    for line in differences:
        print(line)
    if args.json:
        lines = [json.dumps(result, sort_keys=True) for pair in rounds for result in pair]
        args.json.write_text("\n".join(lines) + "\n")
    if args.markdown:
        args.markdown.write_text(table + "\n")
    ratio = median_ratio(rounds, "cpu_ms")
    if ratio < args.require:
        sys.exit(f"the ratio of cpu time a step, {ratio:.2f}, is below {args.require}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--meniscus", type=Path, default=ROOT / "target/release/meniscus", help="our program")
    parser.add_argument("--anchors", type=Path, default=ROOT.parent / "shared/anchors",
                        help="the folder in which `splishsplash/run.py` is")
    parser.add_argument("--python", help="the python that has the peer; if left out, the one that setup.sh prints")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--require", type=float, default=1.5, help="the ratio below which this program fails")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every run as a line of JSON")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table")
    args = parser.parse_args()
    if args.steps <= SKIPPED_STEPS or args.rounds < 1:
        parser.error("at least 2 steps and 1 round are needed")
    if not args.meniscus.is_file():
        parser.error(f"{args.meniscus} is not there: `cargo build --release` makes it")
    return args


def peer_python(args):
    if args.python:
        return args.python
    done = run(["bash", args.anchors / "splishsplash/setup.sh"])
    return done.strip().splitlines()[-1]


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed with {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout


def ours(args):
    """Runs Meniscus twice, for all steps and for those that do not count, and takes the difference."""
    load = os.getloadavg()[0]
    long, short = meniscus(args, args.steps), meniscus(args, SKIPPED_STEPS)
    steps = long["steps"] - short["steps"]
    per_step = lambda name: 1e3 * (long[name] - short[name]) / steps
    # Writing the checkpoint at the end grows with nothing but the particles, so it cancels; so does the set-up.
    return {
        "program": "meniscus", "load": load, "steps": long["steps"], "threads": long["threads"],
        "cpu_ms": per_step("cpu_s"), "wall_ms": per_step("wall_s"),
        "dt": long["simulated_s"] / long["steps"],
        "sweeps": [long["sweeps"]["pressure_mean"], long["sweeps"]["divergence_mean"]],
        "memory_mb": long["peak_memory_bytes"] / 2**20,
        "fluid": long["fluid_particles"], "boundary": long["boundary_particles"],
        "health": {
            "outside": long["escaped_particles"], "unconverged_steps": long["unconverged_steps"],
            "density_error_mean": long["density_error"]["mean"], "density_error_max": long["density_error"]["max"],
        },
    }


def meniscus(args, steps):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        run([args.meniscus, "run", SCENE, "--steps", steps, "--threads", args.threads, "--out", out, "--quiet"])
        return json.loads((out / "summary.json").read_text())


def peer(args, python):
    load = os.getloadavg()[0]
    folder = args.anchors / "splishsplash"
    # The simulated time and the wall time must not end the run before the steps do.
    text = run([python, folder / "run.py", folder / PEER_SCENE, "--steps", args.steps, "--threads", args.threads,
                "--stop", "1e6", "--wall", "1e6"])
    report = json.loads(text.strip().splitlines()[-1])
    counter = {name.replace(" ", "").lower(): value for name, value in report["counters"].items()}
    health = report["health"]
    if not isinstance(health, dict):
        sys.exit(f"the peer could not tell its health: {health}")
    return {
        "program": "splishsplash", "load": load, "steps": report["steps"], "threads": report["threads"],
        "cpu_ms": report["cpu_ms_per_step"], "wall_ms": report["ms_per_step"],
        "dt": report["dt_avg"], "dt_range": [report["dt_min"], report["dt_max"]],
        "sweeps": [counter.get("dfsph-iterations", report["iter_avg"]), counter.get("dfsph-iterationsv")],
        "memory_mb": report["peak_rss_mb"], "fluid": report["n_fluid"], "boundary": report["n_boundary"],
        "health": {"outside": health.get("outside_tank"), "nan": health["nan"],
                   "rho_mean": health["rho_mean"], "rho_max": health["rho_max"]},
    }


def check(rounds):
    """Ends the program where the two did not do the same; says where they differ by design."""
    for mine, other in rounds:
        for name in ("fluid", "steps", "threads"):
            if mine[name] != other[name]:
                sys.exit(f"not comparable: {name} is {mine[name]} here and {other[name]} there")
        if abs(mine["dt"] - other["dt"]) > 1e-6 * mine["dt"]:
            sys.exit(f"not comparable: dt is {mine['dt']} s here and {other['dt']} s there")
        if mine["health"]["outside"] or other["health"]["outside"] or other["health"]["nan"]:
            print("warning: a run has lost particles", file=sys.stderr)
    mine, other = rounds[0]
    return [
        f"Same: {mine['fluid']} fluid particles, dt {mine['dt']:g} s, {mine['steps']} steps, {mine['threads']} threads.",
        f"Different: {mine['boundary']} boundary particles here, {other['boundary']} there.",
    ]


def median_ratio(rounds, name):
    return statistics.median(other[name] / mine[name] for mine, other in rounds)


def show_round(number, mine, other):
    for result in (mine, other):
        sweeps = " + ".join("?" if value is None else f"{value:.2f}" for value in result["sweeps"])
        print(f"round {number} {result['program']:>12}: cpu {result['cpu_ms']:7.2f} ms a step, "
              f"wall {result['wall_ms']:7.2f} ms, sweeps {sweeps}, {result['memory_mb']:.0f} MiB, "
              f"load before {result['load']:.1f}, health {json.dumps(result['health'])}")
    print(f"round {number} ratio: cpu {other['cpu_ms'] / mine['cpu_ms']:.2f}, "
          f"wall {other['wall_ms'] / mine['wall_ms']:.2f}", flush=True)


def markdown(rounds, args):
    """The medians of all rounds, and the ratio of each."""
    sides = [[pair[side] for pair in rounds] for side in (0, 1)]
    median = lambda runs, name: statistics.median(result[name] for result in runs)
    sweeps = lambda runs: " + ".join("?" if value is None else f"{value:.2f}" for value in runs[0]["sweeps"])
    rows = [
        ["cpu ms a step", *(f"{median(side, 'cpu_ms'):.1f}" for side in sides)],
        ["wall ms a step", *(f"{median(side, 'wall_ms'):.1f}" for side in sides)],
        ["sweeps a step (density + divergence)", *(sweeps(side) for side in sides)],
        ["peak memory, MiB", *(f"{median(side, 'memory_mb'):.0f}" for side in sides)],
        ["fluid particles", *(str(side[0]["fluid"]) for side in sides)],
        ["boundary particles", *(str(side[0]["boundary"]) for side in sides)],
        ["particles outside the tank", *(str(side[0]["health"]["outside"]) for side in sides)],
    ]
    lines = ["| median of rounds | Meniscus | SPlisHSPlasH |", "| --- | --- | --- |"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    for name, words in (("cpu_ms", "cpu time a step"), ("wall_ms", "wall time a step")):
        each = ", ".join(f"{other[name] / mine[name]:.2f}" for mine, other in rounds)
        lines += ["", f"Ratio of {words}: **{median_ratio(rounds, name):.2f}** (rounds: {each})"]
    lines += ["", f"{args.rounds} rounds of {args.steps} steps, {args.threads} threads."]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
