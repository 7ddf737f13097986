"""Writes small meshes in all formats, files of particles, scenes and requests as the first inputs of the fuzz targets.

    python3 fuzz/seeds.py        # fills fuzz/corpus/{obj,ply,stl,gltf,bgeo,scene,view}; nothing else is needed

A cube, two cubes of which one is a cavity, an open square and a tetrahedron, each in every form its format has, and the
damaged meshes of the tests. They are short, so that a mutation hits something.
"""

import base64
import gzip
import json
import pathlib
import struct

ROOT = pathlib.Path(__file__).resolve().parent
CRATES = ROOT.parent / "crates"
DAMAGED = CRATES / "meniscus-cli" / "tests" / "meshes"
SCENES = [ROOT.parent / "scenes", CRATES / "meniscus-scene" / "tests" / "malformed"]


def cube(edge, inward=False):
    vertex = [tuple(edge * ((i >> b & 1) - 0.5) for b in range(3)) for i in range(8)]
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    triangle = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return vertex, [(a, c, b) for a, b, c in triangle] if inward else triangle


def together(one, two):
    n = len(one[0])
    return one[0] + two[0], one[1] + [tuple(n + i for i in t) for t in two[1]]


MESHES = {
    "tetrahedron": ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]),
    "cube": cube(2.0),
    "cavity": together(cube(2.0), cube(1.0, inward=True)),
    "square": ([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 3)]),
}


def obj(vertex, triangle):
    lines = ["# a comment \\", "o mesh"] + ["v {} {} {}".format(*v) for v in vertex] + ["vt 0 0", "vn 0 0 1"]
    forms = ["{}", "{}/1", "{}//1", "{}/1/1"]
    for k, t in enumerate(triangle):
        lines.append("f " + " ".join(forms[k % 4].format(i + 1 if k % 3 else i - len(vertex)) for i in t))
    yield ".obj", "\n".join(lines).encode() + b"\n"


def ply(vertex, triangle):
    columns = "property float x\nproperty float y\nproperty float z\n"
    index = "property list uchar int vertex_indices\n"
    for form in ["ascii", "binary_little_endian", "binary_big_endian"]:
        head = f"ply\nformat {form} 1.0\nelement vertex {len(vertex)}\n{columns}element face {len(triangle)}\n{index}"
        head = (head + "end_header\n").encode()
        order = "<" if "little" in form else ">"
        if form == "ascii":
            rows = [" ".join(map(str, v)) for v in vertex] + ["3 {} {} {}".format(*t) for t in triangle]
            body = "\n".join(rows).encode() + b"\n"
        else:
            body = b"".join(struct.pack(order + "3f", *v) for v in vertex)
            body += b"".join(struct.pack(order + "B3i", 3, *t) for t in triangle)
        yield f"-{form}.ply", head + body


def stl(vertex, triangle):
    facets = [[vertex[i] for i in t] for t in triangle]
    corners = lambda f: "".join("vertex {} {} {}\n".format(*v) for v in f)
    text = "".join(f"facet normal 0 0 0\nouter loop\n{corners(f)}endloop\nendfacet\n" for f in facets)
    yield "-text.stl", f"solid a\n{text}endsolid a\n".encode()
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *(x for v in f for x in v), 0) for f in facets)
    yield "-binary.stl", bytes(80) + struct.pack("<I", len(facets)) + rows


def gltf(vertex, triangle):
    places = b"".join(struct.pack("<3f", *v) for v in vertex)
    data = places + b"".join(struct.pack("<3H", *t) for t in triangle)
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "scale": [1, 2, 1], "children": [1]}, {"mesh": 0, "translation": [9, 0, 0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": 4}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(vertex), "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 3 * len(triangle), "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": len(places)},
            {"buffer": 0, "byteOffset": len(places), "byteLength": len(data) - len(places)},
        ],
        "buffers": [{"byteLength": len(data)}],
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    data += bytes(-len(data) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    yield ".glb", struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks
    inside = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    document["buffers"][0] |= {"uri": inside}
    yield ".gltf", json.dumps(document).encode()


def bgeo(vertex, _):
    kinds = {"floats": [(b"v", 3, 5, 3), (b"density", 1, 0, 1)], "numbers": [(b"id", 1, 1, 1)], "words": [(b"name", 1, 4, 1)], "none": []}
    for name, attributes in kinds.items():
        data = b"BgeoV" + struct.pack(">9i", 5, len(vertex), 0, 0, 0, len(attributes), 0, 0, 0)
        for word, size, kind, defaults in attributes:
            data += struct.pack(">H", len(word)) + word + struct.pack(">Hi", size, kind)
            data += struct.pack(">iH2s", 1, 2, b"ab") if kind == 4 else bytes(4 * defaults)
        for v in vertex:
            data += struct.pack(">4f", *v, 1) + bytes(4 * sum(a[1] for a in attributes))
        data += b"\0\xff"
        yield f"-{name}.bgeo", data
        yield f"-{name}.bgeo.gz", gzip.compress(data, mtime=0)


def requests():
    """Asked by the own page, after a byte 1; then whole ones, after a byte 0, which no page of ours asks."""
    targets = ["", "icon.svg", "view.js", "run.json", "run.json?short", "series.csv", "frame/0?most=10", "frame/2", "poses/1"]
    targets += ["surface/0", "frame/-1", "frame/99999999999", "../scene.toml"]
    yield from (b"\1" + target.encode() for target in targets)
    host = "Host: 127.0.0.1:7788\r\n"
    for head in ["", host, host + "Origin: null\r\n", host + "Sec-Fetch-Site: cross-site\r\n"]:
        for method in ["GET", "POST"]:
            yield b"\0" + f"{method} /frame/0?most=1 HTTP/1.1\r\n{head}\r\n".encode()


def fill(target, inputs):
    folder = ROOT / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(inputs):
        (folder / f"{number:03}").write_bytes(data)
    print(target, len(list(folder.iterdir())))


def main():
    fill("scene", (path.read_bytes() for place in SCENES for path in sorted(place.rglob("*.toml"))))
    fill("view", requests())
    for target, write in {"obj": obj, "ply": ply, "stl": stl, "gltf": gltf, "bgeo": bgeo}.items():
        folder = ROOT / "corpus" / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, mesh in MESHES.items():
            for suffix, data in write(*mesh):
                (folder / (name + suffix)).write_bytes(data)
        for path in DAMAGED.glob("*." + target):
            (folder / path.name).write_bytes(path.read_bytes())
        print(target, len(list(folder.iterdir())))


if __name__ == "__main__":
    main()
