"""Imports every scene that the wheel of SPlisHSPlasH ships and runs those that can run for ten steps.

Arguments: the folder with the scenes, the program, and a folder to write to. Scenes with cloth or tetrahedra are imported
only. Each of the others runs with the boundary method that it asks for and, if that is a map, with volume particles as well;
with larger particles where there are many. It fails if the program fails at something that it should be able to do.
"""

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

scenes, program, out = (Path(argument).resolve() for argument in sys.argv[1:4])

# What we refuse, with a part of the message. Anything else that goes wrong is a fault.
REFUSED = {
    "Empty": "the scene has no fluid",
    # Its fluid is inside of a mesh that is solid for us.
    "Sampling_2D": "are inside of the body",
}
STEPS = 10
# So many particles along the longest side are enough for this.
FINEST = 30
PATIENCE = 900


def call(*arguments):
    started = time.monotonic()
    words = [str(program), *map(str, arguments)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)
        return done.returncode, done.stdout + done.stderr, time.monotonic() - started
    except subprocess.TimeoutExpired:
        return None, f"not done after {PATIENCE} s", time.monotonic() - started


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


def attempt(path):
    name = path.stem
    scene = json.loads(path.read_text())
    ours = out / f"{name}.toml"
    code, said, _ = call("import", path, "-o", ours)
    if code != 0 or not ours.is_file():
        return name, [("import", f"exit code {code}: {said}", 0.0)], []
    if scene.get("TriangleModels") or scene.get("TetModels"):
        return name, [], ["not run: cloth or tetrahedra"]
    quick = out / f"{name}.json"
    quick.write_text(json.dumps(coarser(scene, path.parent)))
    code, said, _ = call("import", quick, "-o", ours)
    if code != 0:
        return name, [("import of its coarser form", f"exit code {code}: {said}", 0.0)], []
    methods = [None]
    if '-map"' in ours.read_text():
        plain = out / f"{name}-samples.toml"
        plain.write_text(ours.read_text().replace('"density-map"', '"volume-particles"').replace('"volume-map"', '"volume-particles"'))
        methods.append(plain)
    wrong, told = [], []
    for method in methods:
        what = "as it is" if method is None else "with volume particles"
        folder = out / f"{name}-{'own' if method is None else 'samples'}"
        code, said, took = call(
            "run", method or ours, "--out", folder, "--overwrite", "--quiet", "--threads", 1, "--steps", STEPS,
            "--set", "output.formats=[]", "--set", "output.preview=false",
        )
        refusal = REFUSED.get(name)
        if refusal and code == 2 and refusal in said:
            told.append(f"refused: {refusal}")
        elif refusal and code == 0:
            wrong.append((what, f"it runs now; take it off the list of refusals ({refusal})", took))
        elif code == 0 and json.loads((folder / "summary.json").read_text())["steps"] != STEPS:
            wrong.append((what, "it ended early", took))
        elif code == 0:
            told.append(f"ran {what}, {took:.1f} s")
        else:
            wrong.append((what, f"exit code {code}: {said}", took))
    return name, wrong, told


files = sorted(scenes.glob("*.json"))
assert files, f"no scenes in {scenes}"
out.mkdir(parents=True, exist_ok=True)
with ThreadPoolExecutor(2) as pool:
    results = list(pool.map(attempt, files))
faults = 0
for name, wrong, told in results:
    print(f"{name}: {'; '.join(told)}")
    for what, why, took in wrong:
        faults += 1
        print(f"  FAULT {what} after {took:.1f} s: {why}")
ran = sum(any("ran" in one for one in told) for _, _, told in results)
print(f"{len(files)} scenes of SPlisHSPlasH imported, {ran} of them ran {STEPS} steps, {faults} faults")
sys.exit(1 if faults else 0)
