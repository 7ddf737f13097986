#!/usr/bin/env python3
"""Compares what `check` tells of memory with what runs use, and prints a table.

    python3 benches/memory.py [PROGRAM] [--only WORD]

Runs are short: what they need is there after a few steps, and pictures are drawn at their end. PROGRAM is the command, by
default target/release/meniscus.
"""

import argparse
import json
import math
import pathlib
import re
import subprocess
import tempfile

BARE = ["output.preview=false", "output.animation=false", "output.formats=[]"]
SAVED = ["output.preview=false", "output.animation=false", "output.formats=['vtu']"]
FIRST_OF_DAM_BREAK = "body.0.boundary.method="
STEPS = ["--steps", "4"]

CASES = [
    ("fluid of 36 864 particles", "dam-break", BARE, STEPS),
    ("fluid of 500 000 particles", "bench-dam-500k", BARE, STEPS),
    ("the same with WCSPH", "bench-dam-500k", [*BARE, "fluid.pressure.method=wcsph"], STEPS),
    ("in the plane", "dam-break-2d", [*BARE, "fluid.spacing=0.002"], STEPS),
    ("frames", "bench-dam-100k", [*SAVED, "output.frames_per_second=2000"], ["--steps", "12"]),
    ("frames and surfaces", "bench-dam-100k", [*SAVED, "output.frames_per_second=2000", "output.surface=true"], ["--steps", "12"]),
    ("a picture", "bench-dam-100k", ["output.animation=false", "output.preview=true"], STEPS),
    ("a picture and an animation", "dam-break", ["time.end=0.3", "output.animation=true", "output.preview=true"], []),
    ("a density map of a tank", "dam-break", [*BARE, FIRST_OF_DAM_BREAK + "density-map"], STEPS),
    ("a volume map of a tank", "dam-break", [*BARE, FIRST_OF_DAM_BREAK + "volume-map"], STEPS),
    ("a density map of a duck", "koschier-2017/dragon", BARE, STEPS),
    ("the same, three times as fine", "koschier-2017/dragon", [*BARE, "fluid.spacing=0.016"], STEPS),
    ("25 statues that share a map", "koschier-2017/obstacles", BARE, STEPS),
    ("rigid bodies alone", "domino", BARE, STEPS),
    ("an emitter, to its end", "fountain", [*BARE, "time.end=1.5"], []),
    ("a mesh of 480 000 triangles", "MESH", [], STEPS),
]


def torus(path, rings=800, sides=300):
    """A torus of twice `rings` times `sides` triangles."""
    with open(path, "w", encoding="ascii") as file:
        for u in (2 * math.pi * i / rings for i in range(rings)):
            for v in (2 * math.pi * j / sides for j in range(sides)):
                r = 1 + 0.3 * math.cos(v)
                file.write(f"v {r * math.cos(u):.6f} {0.3 * math.sin(v):.6f} {r * math.sin(u):.6f}\n")
        for i in range(rings):
            for j in range(sides):
                a, b = i * sides + j + 1, i * sides + (j + 1) % sides + 1
                c, d = (x + (1 if i + 1 < rings else 1 - rings) * sides for x in (a, b))
                file.write(f"f {a} {b} {d}\nf {a} {d} {c}\n")


def mesh_scene(folder):
    torus(folder / "torus.obj")
    scene = folder / "mesh.toml"
    scene.write_text(
        '[time]\nend = 0.1\n[output]\nformats = []\npreview = false\nanimation = false\n'
        '[[body]]\nname = "torus"\nshape = "mesh"\npath = "torus.obj"\ndynamics = { density = 500 }\n',
        encoding="utf8",
    )
    return scene


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default="target/release/meniscus")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    print("| scene | told | used | told / used |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for number, (name, scene, changes, steps) in enumerate(CASES):
            if args.only not in name:
                continue
            scene = str(mesh_scene(folder)) if scene == "MESH" else scene
            sets = [word for change in changes for word in ("--set", change)]
            checked = subprocess.run([args.program, "check", scene, *sets], capture_output=True, text=True, check=True)
            amount, unit = re.search(r"^memory +about ([\d.]+) (MB|GB)", checked.stdout, re.M).groups()
            told = float(amount) * (1000 if unit == "GB" else 1)
            out = folder / f"run-{number}"
            subprocess.run([args.program, "run", scene, *sets, *steps, "--quiet", "--out", str(out)], check=True)
            used = json.loads((out / "summary.json").read_text())["peak_memory_bytes"] / 1e6
            print(f"| {name} | {told:.0f} MB | {used:.0f} MB | {told / used:.2f} |", flush=True)


if __name__ == "__main__":
    main()
