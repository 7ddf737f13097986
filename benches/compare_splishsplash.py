#!/usr/bin/env python3
"""Side by side with SPlisHSPlasH: cpu time a step on the same dam breaks, with the same solver and kind of boundary.

Both programs run in turn, several rounds, so that whatever else the machine does hits both. The figure that counts is
the ratio of cpu time a step; wall time says something only on a quiet machine. Steps 2 to N are counted on both sides:
set-up, the first step and the end of the program are not. Needs nothing but the Python standard library, a release build of
Meniscus, and the folder that holds the peer's `setup.sh`, `run.py` and its scenes.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Counted from the second step on, as the peer's runner does.
SKIPPED_STEPS = 1
# More steps than any run takes.
UNBOUNDED = 1_000_000

SMALL, LARGE = ("bench-dam-100k", "dam_100k_gap.json"), ("bench-dam-500k", "dam_500k_gap.json")
# The peer's numbers of solvers and boundary methods.
WCSPH, PCISPH, IISPH, DFSPH = 0, 1, 3, 4
PARTICLES, DENSITY_MAPS, VOLUME_MAPS = 0, 1, 2
MAPS = "body.tank.boundary={ method = \"density-map\" }"
CFL = "time.step={ method = \"cfl\", factor = 0.4, min = 1e-4, max = 2e-3 }"
# The peer's stiffness of 50000 Pa as a speed of sound: c² = exponent * stiffness / density.
TAIT = f"fluid.pressure={{ method = \"wcsph\", exponent = 7.0, sound_speed = {math.sqrt(7 * 50000 / 1000)} }}"


def implicit(method):
    """The tolerance and the bounds of sweeps that the peer's scene has."""
    return f"fluid.pressure={{ method = \"{method}\", density_tolerance = 5e-4, min_sweeps = 2, max_sweeps = 100 }}"


class Case:
    """The same simulation in both programs."""

    def __init__(self, words, scenes, method, boundary=PARTICLES, changes=(), dt=None, until=None):
        self.words, (self.scene, self.peer_scene) = words, scenes
        # The simulated time up to which steps that each program chooses itself are compared; the unit is then not a step, but a
        # simulated millisecond.
        self.until = until
        self.changes = [*changes, *([f"time.step.dt={dt}"] if dt else [])]
        self.peer_changes = ["--method", method, "--boundary", boundary]
        self.peer_changes += ["--set", f"timeStepSize={dt}"] if dt else []
        if until:
            # Both move 0.4 spacings a step at most, in steps of at most 2 ms.
            self.changes += [CFL, f"time.end={until}"]
            self.peer_changes += ["--set", "cflMethod=1", "--set", "cflFactor=1.0"]


CASES = {
    "dfsph": Case("DFSPH, volume particles", SMALL, DFSPH),
    "dfsph-maps": Case("DFSPH, maps (the peer's volume maps)", SMALL, DFSPH, VOLUME_MAPS, [MAPS]),
    "dfsph-density-maps": Case("DFSPH, maps (the peer's density maps)", SMALL, DFSPH, DENSITY_MAPS, [MAPS]),
    "wcsph": Case("WCSPH, dt 0.5 ms", SMALL, WCSPH, changes=[TAIT], dt=5e-4),
    "wcsph-maps": Case("WCSPH, dt 0.5 ms, maps", SMALL, WCSPH, VOLUME_MAPS, [TAIT, MAPS], 5e-4),
    "pcisph": Case("PCISPH, dt 0.5 ms", SMALL, PCISPH, changes=[implicit("pcisph")], dt=5e-4),
    "pcisph-maps": Case("PCISPH, dt 0.5 ms, maps", SMALL, PCISPH, VOLUME_MAPS, [implicit("pcisph"), MAPS], 5e-4),
    "iisph": Case("IISPH", SMALL, IISPH, changes=[implicit("iisph")]),
    "iisph-maps": Case("IISPH, maps", SMALL, IISPH, VOLUME_MAPS, [implicit("iisph"), MAPS]),
    "dfsph-cfl": Case("DFSPH, CFL steps, a simulated ms", SMALL, DFSPH, until=0.3),
    "dfsph-500k": Case("DFSPH, 500000 particles", LARGE, DFSPH),
}


def main():
    args = arguments()
    python = peer_python(args)
    cases = {}
    for name in args.case:
        rounds = []
        for number in range(1, args.rounds + 1):
            # Who goes first changes, so that a drift of the machine's speed favours nobody.
            programs = [lambda name=name: ours(args, CASES[name]), lambda name=name: peer(args, python, CASES[name])]
            order = [0, 1] if number % 2 else [1, 0]
            results = {index: programs[index]() for index in order}
            rounds.append((results[0], results[1]))
            show_round(name, number, *rounds[-1])
        check(name, rounds)
        cases[name] = rounds
    table = markdown(cases, args)
    print("\n" + table)
    if args.json:
        lines = [json.dumps({"case": name, **result}, sort_keys=True)
                 for name, rounds in cases.items() for pair in rounds for result in pair]
        args.json.write_text("\n".join(lines) + "\n")
    if args.markdown:
        args.markdown.write_text(table + "\n")
    slow = {name: median_ratio(rounds, "cpu_ms") for name, rounds in cases.items()}
    slow = {name: ratio for name, ratio in slow.items() if ratio < args.require}
    if slow:
        words = ", ".join(f"{name} {ratio:.2f}" for name, ratio in slow.items())
        sys.exit(f"the ratio of cpu time a step is below {args.require}: {words}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--meniscus", type=Path, default=ROOT / "target/release/meniscus", help="our program")
    parser.add_argument("--anchors", type=Path, default=ROOT.parent / "shared/anchors",
                        help="the folder in which `splishsplash/run.py` is")
    parser.add_argument("--python", help="the python that has the peer; if left out, the one that setup.sh prints")
    parser.add_argument("--case", type=lambda text: text.split(","), default=["dfsph"],
                        help=f"what to compare, with commas between: all, or some of {', '.join(CASES)}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--require", type=float, default=1.5, help="the ratio below which this program fails")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every run as a line of JSON")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table")
    args = parser.parse_args()
    args.case = list(CASES) if args.case == ["all"] else args.case
    if unknown := [name for name in args.case if name not in CASES]:
        parser.error(f"unknown case {', '.join(unknown)}; there are all, {', '.join(CASES)}")
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


def ours(args, case):
    """Runs Meniscus twice, for all steps and for those that do not count, and takes the difference."""
    load = os.getloadavg()[0]
    long = meniscus(args, case, UNBOUNDED if case.until else args.steps)
    short = meniscus(args, case, SKIPPED_STEPS)
    steps = long["steps"] - short["steps"]
    if case.until:
        steps = 1e3 * (long["simulated_s"] - short["simulated_s"])
    per_step = lambda name: 1e3 * (long[name] - short[name]) / steps
    # Writing the checkpoint at the end grows with nothing but the particles, so it cancels; so does the set-up.
    return {
        "program": "meniscus", "load": load, "steps": long["steps"], "threads": long["threads"],
        "cpu_ms": per_step("cpu_s"), "wall_ms": per_step("wall_s"),
        # The search is not timed by itself: this is the whole phase that finds neighbours, writes rows and sums densities.
        "search_share": long["phase_seconds"]["contact"] / sum(long["phase_seconds"].values()),
        "dt": long["simulated_s"] / long["steps"],
        "sweeps": [long["sweeps"]["pressure_mean"], long["sweeps"]["divergence_mean"]],
        "memory_mb": long["peak_memory_bytes"] / 2**20,
        "fluid": long["fluid_particles"], "boundary": long["boundary_particles"],
        "health": {
            "outside": long["escaped_particles"], "unconverged_steps": long["unconverged_steps"],
            "density_error_mean": long["density_error"]["mean"], "density_error_max": long["density_error"]["max"],
        },
    }


def meniscus(args, case, steps):
    changes = [part for change in case.changes for part in ("--set", change)]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        run([args.meniscus, "run", case.scene, *changes, "--steps", steps, "--threads", args.threads, "--out", out,
             "--quiet"])
        return json.loads((out / "summary.json").read_text())


def peer(args, python, case):
    load = os.getloadavg()[0]
    folder = args.anchors / "splishsplash"
    # The simulated time and the wall time must not end the run before the steps do.
    steps = UNBOUNDED if case.until else args.steps
    text = run([python, folder / "run.py", folder / case.peer_scene, *case.peer_changes, "--steps", steps,
                "--threads", args.threads, "--stop", case.until or "1e6", "--wall", "1e6"])
    report = json.loads(text.strip().splitlines()[-1])
    counter = {name.replace(" ", "").lower(): value for name, value in report["counters"].items()}
    health = report["health"]
    if not isinstance(health, dict):
        sys.exit(f"the peer could not tell its health: {health}")
    wall, cpu = report["ms_per_step"], report["cpu_ms_per_step"]
    if case.until:
        wall, cpu = report["wall_per_sim_s"], report["wall_per_sim_s"] * cpu / wall
    return {
        "program": "splishsplash", "load": load, "steps": report["steps"], "threads": report["threads"],
        "cpu_ms": cpu, "wall_ms": wall,
        "search_share": search_share(report["share"]),
        "dt": report["dt_avg"], "dt_range": [report["dt_min"], report["dt_max"]],
        "sweeps": [counter.get("dfsph-iterations", report["iter_avg"]), counter.get("dfsph-iterationsv")],
        "memory_mb": report["peak_rss_mb"], "fluid": report["n_fluid"], "boundary": report["n_boundary"],
        "health": {"outside": health.get("outside_tank"), "nan": health["nan"],
                   "rho_mean": health["rho_mean"], "rho_max": health["rho_max"]},
    }


def search_share(share):
    """The peer's own timer of its neighbour search."""
    found = [value for name, value in share.items() if "neighborhood" in name.lower()]
    return found[0] if found else None


def check(name, rounds):
    """Ends the program where the two did not do the same."""
    for mine, other in rounds:
        for key in ("fluid", "threads") if CASES[name].until else ("fluid", "steps", "threads"):
            if mine[key] != other[key]:
                sys.exit(f"{name} is not comparable: {key} is {mine[key]} here and {other[key]} there")
        if not CASES[name].until and abs(mine["dt"] - other["dt"]) > 1e-6 * mine["dt"]:
            sys.exit(f"{name} is not comparable: dt is {mine['dt']} s here and {other['dt']} s there")
        if mine["health"]["outside"] or other["health"]["outside"] or other["health"]["nan"]:
            print(f"warning: a run of {name} has lost particles", file=sys.stderr)


def median_ratio(rounds, name):
    return statistics.median(other[name] / mine[name] for mine, other in rounds)


def sweeps(result):
    return " + ".join("?" if value is None else f"{value:.2f}" for value in result["sweeps"])


def show_round(name, number, mine, other):
    for result in (mine, other):
        print(f"{name} {number} {result['program']:>12}: cpu {result['cpu_ms']:7.2f} ms a step, "
              f"wall {result['wall_ms']:7.2f} ms, sweeps {sweeps(result)}, {result['memory_mb']:.0f} MiB, "
              f"dt {1e3 * result['dt']:.3f} ms, load before {result['load']:.1f}, health {json.dumps(result['health'])}")
    print(f"{name} {number} ratio: cpu {other['cpu_ms'] / mine['cpu_ms']:.2f}, "
          f"wall {other['wall_ms'] / mine['wall_ms']:.2f}", flush=True)


def search_ms(result):
    """Cpu time of the neighbour search, if its share of the cpu time is its share of the wall time."""
    share = result["search_share"]
    return None if share is None else share * result["cpu_ms"]


def markdown(cases, args):
    """One row for each case: medians of all rounds, and the ratio of each."""
    median = lambda rounds, side, name: statistics.median(pair[side][name] for pair in rounds)
    lines = ["| case | cpu ms a step | peer | ratio (each round) | wall ratio | sweeps | peer | search, cpu ms | peer "
             "| memory, MiB | peer |", "| --- |" + " --- |" * 10]
    for name, rounds in cases.items():
        mine, other = rounds[0]
        each = ", ".join(f"{b['cpu_ms'] / a['cpu_ms']:.2f}" for a, b in rounds)
        search = ["?" if None in (times := [search_ms(pair[side]) for pair in rounds])
                  else f"{statistics.median(times):.1f}" for side in (0, 1)]
        lines.append("| " + " | ".join([
            CASES[name].words, f"{median(rounds, 0, 'cpu_ms'):.1f}", f"{median(rounds, 1, 'cpu_ms'):.1f}",
            f"**{median_ratio(rounds, 'cpu_ms'):.2f}** ({each})", f"{median_ratio(rounds, 'wall_ms'):.2f}",
            sweeps(mine), sweeps(other), *search,
            f"{median(rounds, 0, 'memory_mb'):.0f}", f"{median(rounds, 1, 'memory_mb'):.0f}"]) + " |")
    loads = [result["load"] for rounds in cases.values() for pair in rounds for result in pair]
    lines += ["", f"{args.rounds} rounds of {args.steps} steps, {args.threads} threads; "
                  f"load average before a run {min(loads):.1f} to {max(loads):.1f}."]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
