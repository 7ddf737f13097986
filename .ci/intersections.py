"""Compares the exact count of intersections with the IPC Toolkit's, on meshes of all kinds; fractions decide where they differ.

Usage: intersections.py PROGRAM FOLDER, where PROGRAM is `collision` of validation/ and FOLDER is for meshes."""

import pathlib
import subprocess
import sys
from fractions import Fraction

import ipctk
import numpy as np


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def on_edge(p, a, b):
    along, way = minus(b, a), minus(p, a)
    if not any(along):
        return not any(way)
    return not any(cross(along, way)) and 0 <= dot(along, way) <= dot(along, along)


def edges_meet(p, q, a, b):
    if on_edge(p, a, b) or on_edge(q, a, b) or on_edge(a, p, q) or on_edge(b, p, q):
        return True
    u, v, w = minus(q, p), minus(b, a), minus(a, p)
    across = cross(u, v)
    square = dot(across, across)
    if square == 0 or dot(w, across) != 0:
        return False
    return 0 <= dot(cross(w, v), across) <= square and 0 <= dot(cross(w, u), across) <= square


def in_triangle(x, a, b, c, normal):
    ab, ac, way = minus(b, a), minus(c, a), minus(x, a)
    u, v = dot(cross(way, ac), normal), dot(cross(ab, way), normal)
    return u >= 0 and v >= 0 and u + v <= dot(normal, normal)


def meets(edge, triangle):
    """Whether they have a point in common, in exact arithmetic."""
    p, q = ([Fraction(float(c)) for c in x] for x in edge)
    a, b, c = ([Fraction(float(c)) for c in x] for x in triangle)
    normal = cross(minus(b, a), minus(c, a))
    sides = [(a, b), (b, c), (c, a)]
    if not any(normal):
        return any(edges_meet(p, q, *side) for side in sides)
    of_p, of_q = dot(normal, minus(p, a)), dot(normal, minus(q, a))
    if of_p == 0 and of_q == 0:
        return (
            in_triangle(p, a, b, c, normal)
            or in_triangle(q, a, b, c, normal)
            or any(edges_meet(p, q, *side) for side in sides)
        )
    if of_p * of_q > 0:
        return False
    part = of_p / (of_p - of_q)
    return in_triangle([x + part * (y - x) for x, y in zip(p, q)], a, b, c, normal)


def meshes(random):
    """Soups at random and on grids, crumpled sheets, stacked and touching ones, slivers."""
    def soup(points, count):
        faces = [random.choice(len(points), 3, replace=False) for _ in range(count)]
        return points, np.unique(np.sort(np.array(faces), axis=1), axis=0)

    def sheet(n, height):
        x = np.array([[i / n, height(i, j), j / n] for i in range(n + 1) for j in range(n + 1)], dtype=float)
        corner = lambda i, j: i * (n + 1) + j
        f = []
        for i in range(n):
            for j in range(n):
                a, b, c, d = corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)
                f += [[a, b, c], [a, c, d]]
        return x, np.array(f)

    def both(first, second):
        return np.vstack([first[0], second[0]]), np.vstack([first[1], second[1] + len(first[0])])

    for k in range(60):
        yield "random", *soup(random.uniform(-1, 1, (14, 3)), random.integers(4, 14))
        yield "grid", *soup(random.integers(-1, 2, (14, 3)).astype(float), random.integers(3, 9))
        yield "fine grid", *soup(random.integers(-4, 5, (14, 3)) / 8, random.integers(3, 9))
        yield "far away", *soup(random.uniform(-1, 1, (14, 3)) + 1e6, random.integers(4, 14))
        slivers = random.uniform(-1, 1, (12, 3))
        slivers[6:] = slivers[:6] + 1e-9 * random.uniform(-1, 1, (6, 3))
        yield "slivers", *soup(slivers, 8)
        flat = random.uniform(-1, 1, (10, 3))
        flat[:, 1] = 0.1
        yield "in one plane", *soup(flat, 4)
        crumple = 0.12 * (k % 6)
        x, f = sheet(8, lambda i, j: 0.0)
        yield "crumpled", x + crumple * random.uniform(-1, 1, x.shape), f
        gap = [0.0, 1e-16, 1e-12, 0.02, -0.01, 0.1][k % 6]
        lower, upper = sheet(5, lambda i, j: 0.01 * (i + j)), sheet(5, lambda i, j: 0.01 * (i + j) + gap)
        upper[0][:, ::2] = upper[0][:, ::2] * 0.7 + 0.1
        yield "stacked", *both(lower, upper)


def write(path, x, f):
    lines = ["v " + " ".join(repr(float(c)) for c in p) for p in x]
    path.write_text("\n".join(lines + ["f " + " ".join(str(i + 1) for i in t) for t in f]) + "\n")


def main(program, folder):
    random = np.random.default_rng(12)
    cases, paths = [], []
    for number, (kind, x, f) in enumerate(meshes(random)):
        paths.append(folder / f"{number}.obj")
        write(paths[-1], x, f)
        cases.append((kind, x, f))
    out = subprocess.run([program, "intersections", "--list", *paths], check=True, capture_output=True, text=True).stdout
    ours = []
    for line in out.splitlines():
        if line.startswith("  "):
            ours[-1].add(tuple(int(word) for word in line.split()))
        else:
            ours.append(set())
    table, pairs = {}, 0
    for (kind, x, f), found in zip(cases, ours, strict=True):
        edges = ipctk.edges(f)
        row = table.setdefault(kind, [0, 0, 0, 0])
        row[0] += 1
        row[1] += bool(found)
        theirs = set()
        for a, b in np.sort(edges, axis=1):
            for number, t in enumerate(f):
                if a in t or b in t:
                    continue
                pairs += 1
                pair = (int(a), int(b), number)
                rounded = ipctk.is_edge_intersecting_triangle(x[a], x[b], *x[t])
                if rounded:
                    theirs.add(pair)
                if rounded != (pair in found):
                    row[2] += 1
                    if meets(x[[a, b]], x[t]) != (pair in found):
                        sys.exit(f"error: {kind}: edge {a} {b} and triangle {number}: exact arithmetic contradicts")
        # A sample of those about which both agree.
        for a, b, number in list(found)[:20]:
            if not meets(x[[a, b]], x[f[number]]):
                sys.exit(f"error: {kind}: edge {a} {b} and triangle {number} do not meet")
        whole = ipctk.has_intersections(ipctk.CollisionMesh(x, edges, f), np.asfortranarray(x))
        if whole != bool(found):
            row[3] += 1
            if bool(theirs) == bool(found):
                sys.exit(f"error: {kind}: has_intersections says {whole}, pair by pair it is {bool(theirs)}")
    print("| meshes | of them | intersect | pairs on which rounding differs | meshes on which it does |")
    print("| --- | --- | --- | --- | --- |")
    for kind, row in table.items():
        print(f"| {kind} | " + " | ".join(map(str, row)) + " |")
    if table["random"][2] or table["crumpled"][2]:
        sys.exit("error: rounding decides meshes that are not special")
    print(f"{pairs} pairs of {len(cases)} meshes; exact arithmetic sides with ours wherever the IPC Toolkit differs")


main(sys.argv[1], pathlib.Path(sys.argv[2]))
