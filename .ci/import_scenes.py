"""Imports every scene that the wheel of SPlisHSPlasH ships and runs those that can run for ten steps.

Arguments: the folder with the scenes, the program, a folder to write to, and how many seconds may be spent (200). Scenes with
cloth or tetrahedra are imported only. All others run with volume particles, with larger particles where there are many. Then, as
far as time allows, those that ask for maps run with maps as well; a map that fails is told but does not fail the check, unless
the program crashes.
"""

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

scenes, program, out = (Path(argument).resolve() for argument in sys.argv[1:4])
end = time.monotonic() + float(sys.argv[4] if len(sys.argv) > 4 else 200)

# What we refuse, with a part of the message. Anything else that goes wrong is a fault.
REFUSED = {
    "Empty": "the scene has no fluid",
    # Its fluid is inside of a mesh that is solid for us.
    "Sampling_2D": "are inside of the body",
}
STEPS = 10
# So many particles along the longest side are enough for this.
FINEST = 30


def call(*arguments):
    """Exit code, what was said, and seconds; no code if there was no time."""
    started = time.monotonic()
    if started >= end:
        return None, "", 0.0
    words = [str(program), *map(str, arguments)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=end - started)
        return done.returncode, done.stdout + done.stderr, time.monotonic() - started
    except subprocess.TimeoutExpired:
        return None, "", time.monotonic() - started


def coarser(scene, folder):
    """The scene with larger particles, if it has many along a side; meshes by their full paths."""
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
    # A block holds one particle fewer than fit, and shall hold two.
    wanted = min([max(sizes, default=0) / FINEST, *(min(block) / 3 for block in blocks)])
    # Particles of files have their size already.
    if wanted > spacing and not config.get("sim2D") and not scene.get("FluidModels"):
        config["particleRadius"] = wanted / 2
    return scene


def bring(path):
    """Imports a scene as it is and, if it can run, in its coarser form; tells what went wrong."""
    name, scene = path.stem, json.loads(path.read_text())
    quick = out / f"{name}.json"
    quick.write_text(json.dumps(coarser(json.loads(path.read_text()), path.parent)))
    for theirs, ours in [(path, out / f"{name}-whole.toml"), (quick, out / f"{name}.toml")]:
        code, said, _ = call("import", theirs, "-o", ours)
        if code != 0 or not ours.is_file():
            return f"{name}: import failed with exit code {code}: {said}"
    text = (out / f"{name}.toml").read_text()
    (out / f"{name}-samples.toml").write_text(text.replace('"density-map"', '"volume-particles"').replace('"volume-map"', '"volume-particles"'))
    if scene.get("TriangleModels") or scene.get("TetModels"):
        (out / f"{name}-samples.toml").unlink()
    return None


def attempt(scene):
    """Runs one of our scenes; tells how it ended and whether that is a fault."""
    folder = out / scene.stem
    code, said, took = call(
        "run", scene, "--out", folder, "--overwrite", "--quiet", "--threads", 1, "--steps", STEPS,
        "--set", "output.formats=[]", "--set", "output.preview=false",
    )
    refusal = REFUSED.get(scene.stem.removesuffix("-samples"))
    if code is None:
        return "late", f"{scene.stem}: no time"
    if refusal:
        fine = code == 2 and refusal in said
        return ("refused" if fine else "fault"), f"{scene.stem}: exit code {code}, expected a refusal ({refusal}): {'' if fine else said}"
    if code != 0:
        crashed = code not in (1, 2)
        return ("fault" if crashed or scene.stem.endswith("-samples") else "fails"), f"{scene.stem}: exit code {code} after {took:.1f} s: {said}"
    if json.loads((folder / "summary.json").read_text())["steps"] != STEPS:
        return "fault", f"{scene.stem}: it ended early"
    return "ran", f"{scene.stem}: {took:.1f} s"


files = sorted(scenes.glob("*.json"))
assert files, f"no scenes in {scenes}"
out.mkdir(parents=True, exist_ok=True)
with ThreadPoolExecutor(2) as pool:
    faults = [fault for fault in pool.map(bring, files) if fault]
    plain = list(pool.map(attempt, sorted(out.glob("*-samples.toml"))))
    mapped = [scene for scene in sorted(out.glob("*.toml")) if not scene.stem.endswith(("-samples", "-whole"))]
    mapped = [scene for scene in mapped if '-map"' in scene.read_text() and (out / f"{scene.stem}-samples.toml").is_file()]
    maps = list(pool.map(attempt, mapped))
for kind, told in plain + maps:
    print(f"{kind}: {told}")
faults += [told for kind, told in plain + maps if kind == "fault"]
count = lambda results, kind: sum(one == kind for one, _ in results)
print(
    f"{len(files)} scenes of SPlisHSPlasH: {count(plain, 'ran')} ran {STEPS} steps with volume particles, {count(plain, 'refused')} were refused; "
    f"of {len(maps)} with maps {count(maps, 'ran')} ran, {count(maps, 'fails')} failed, {count(maps, 'late')} were not tried for lack of time"
)
for fault in faults:
    print(f"error: {fault}", file=sys.stderr)
sys.exit(1 if faults else 0)
