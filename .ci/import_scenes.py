"""Imports every scene that the wheel of SPlisHSPlasH ships and runs those that can run for ten steps.

Arguments: the folder with the scenes, the program, a folder to write to, and perhaps `all`. Scenes with cloth or tetrahedra are
imported only. All others run with volume particles, and those that ask for maps with maps as well. Particles are larger where there are
many: at most 30 along the longest side, with maps 10, if every block of fluid still has some. Where the fluid is a file of particles,
which have their size, maps take minutes: these scenes run with maps only if `all` are asked for. Whatever runs must come to its tenth
step with finite numbers. JOBS in the environment says how many run at once (2).
"""

import json
import math
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

scenes, program, out = (Path(argument).resolve() for argument in sys.argv[1:4])
everything = sys.argv[4:] == ["all"]

# What we refuse, with a part of the message. Anything else that goes wrong is a fault.
REFUSED = {"Empty": "the scene has no fluid"}
STEPS = 10
# Particles along the longest side.
FINEST, FINEST_MAP = 30, 10
# A run that takes longer hangs.
PATIENCE = 1800


def call(*arguments):
    """Exit code, what was said, and seconds."""
    started = time.monotonic()
    try:
        done = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return None, f"no end within {PATIENCE} s", PATIENCE
    return done.returncode, done.stdout + done.stderr, time.monotonic() - started


def coarser(scene, folder, finest, across):
    """The scene with larger particles, if it has many along a side; meshes by their full paths. Every block of fluid keeps
    `across` particles along its shortest side."""
    config = scene.setdefault("Configuration", {})
    scale = lambda thing: thing.get("scale", [1, 1, 1])
    for thing in scene.get("RigidBodies", []) + scene.get("FluidModels", []):
        for key in ("geometryFile", "particleFile"):
            if thing.get(key):
                thing[key] = str(folder / thing[key])
    # Bodies count as well: maps of a large tank take longer than the fluid.
    sizes = [max(map(abs, scale(body))) for body in scene.get("RigidBodies", []) if "UnitBox" in body.get("geometryFile", "")]
    blocks = [[abs(b - a) * s for a, b, s in zip(block["start"], block["end"], scale(block))] for block in scene.get("FluidBlocks", [])]
    sizes += [max(block) for block in blocks]
    spacing = 2 * float(config.get("particleRadius", 0.025))
    # A block holds one particle fewer than fit.
    wanted = min([max(sizes, default=0) / finest, *(min(block) / (across + 1) for block in blocks)])
    # Particles of files have their size already.
    if wanted > spacing and not config.get("sim2D") and not scene.get("FluidModels"):
        config["particleRadius"] = wanted / 2
    return scene


def bring(path):
    """Imports a scene as it is and, if it can run, in its coarser forms; tells what went wrong."""
    name, scene = path.stem, json.loads(path.read_text())
    forms = {"whole": scene}
    if not scene.get("TriangleModels") and not scene.get("TetModels"):
        forms["samples"] = coarser(json.loads(path.read_text()), path.parent, FINEST, 2)
        forms["maps"] = coarser(json.loads(path.read_text()), path.parent, FINEST_MAP, 1)
    for form, theirs in forms.items():
        source, ours = out / f"{name}-{form}.json", out / f"{name}-{form}.toml"
        if form == "whole":
            source = path
        else:
            source.write_text(json.dumps(theirs))
        code, said, _ = call("import", source, "-o", ours)
        if code != 0 or not ours.is_file():
            return f"{name}: import failed with exit code {code}: {said}"
        text = ours.read_text()
        if form == "samples":
            ours.write_text(text.replace('"density-map"', '"volume-particles"').replace('"volume-map"', '"volume-particles"'))
        elif form == "maps" and '-map"' not in text:
            ours.unlink()
        elif form == "maps" and scene.get("FluidModels") and not everything:
            ours.rename(ours.with_suffix(".later"))
    return None


def numbers(value):
    """All numbers in a tree of JSON."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for part in value for number in numbers(part)]
    return [value] if isinstance(value, float) else []


def attempt(scene):
    """Runs one of our scenes; tells how it ended and a line about it."""
    folder = out / scene.stem
    code, said, took = call(
        "run", scene, "--out", folder, "--overwrite", "--quiet", "--threads", 1, "--steps", STEPS,
        "--set", "output.formats=[]", "--set", "output.preview=false", "--map-cache", out / "map-cache",
    )
    refusal = REFUSED.get(scene.stem.rsplit("-", 1)[0])
    if refusal:
        as_told = code == 2 and refusal in said
        return ("refused" if as_told else "fault"), f"{scene.stem}: exit code {code}, expected a refusal ({refusal}): {'' if as_told else said}"
    if code != 0:
        return "fault", f"{scene.stem}: exit code {code} after {took:.1f} s: {said}"
    summary = json.loads((folder / "summary.json").read_text())
    rows = [row.split(",") for row in (folder / "series.csv").read_text().splitlines()[1:]]
    if summary["steps"] != STEPS:
        return "fault", f"{scene.stem}: it ended early"
    if not all(math.isfinite(number) for number in [*numbers(summary), *(float(cell) for row in rows for cell in row)]):
        return "fault", f"{scene.stem}: not all numbers are finite"
    return "ran", f"{scene.stem}: {took:.1f} s"


files = sorted(scenes.glob("*.json"))
assert files, f"no scenes in {scenes}"
out.mkdir(parents=True, exist_ok=True)
with ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
    faults = [fault for fault in pool.map(bring, files) if fault]
    plain = list(pool.map(attempt, sorted(out.glob("*-samples.toml"))))
    maps = list(pool.map(attempt, sorted(out.glob("*-maps.toml"))))
later = len(list(out.glob("*.later")))
for kind, told in plain + maps:
    print(f"{kind}: {told}")
faults += [told for kind, told in plain + maps if kind == "fault"]
count = lambda results, kind: sum(one == kind for one, _ in results)
print(
    f"{len(files)} scenes of SPlisHSPlasH: {count(plain, 'ran')} of {len(plain)} without cloth and tetrahedra ran {STEPS} steps with "
    f"volume particles, {count(plain, 'refused')} was refused; of {len(maps)} with maps {count(maps, 'ran')} ran"
    f"{', ' + str(later) + ' are left to `all`' if later else ''}"
)
for fault in faults:
    print(f"error: {fault}", file=sys.stderr)
sys.exit(1 if faults else 0)
