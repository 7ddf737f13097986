"""Reads the files of two runs with programs that are not ours and compares them with each other."""

import gzip
import pathlib
import sys
import tempfile

import numpy as np
import pyvista
from pxr import Usd, UsdGeom
from pysplashsurf.bgeo import readbgeo_to_meshio

SPACING = 0.02  # of tests/scenes/small.toml


def same(what, a, b, tolerance=1e-6):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.shape != b.shape or not np.allclose(a, b, rtol=1e-5, atol=tolerance):
        sys.exit(f"error: {what} differ: {a.shape} and {b.shape}")


def check_fluid(run):
    collection = pyvista.get_reader(run / "fluid.pvd")
    surfaces = pyvista.get_reader(run / "surface.pvd")
    stage = Usd.Stage.Open(str(run / "scene.usda"))
    points = UsdGeom.Points(stage.GetPrimAtPath("/scene/fluid"))
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/scene/surface"))
    frames = len(collection.time_values)
    assert frames > 4 and list(surfaces.time_values) == list(collection.time_values)
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, frames - 1)
    for k in range(frames):
        collection.set_active_time_point(k)
        frame = collection.read()[0]
        name = run / "frames" / f"fluid_{k:06}"
        same("points of VTU and PLY", frame.points, pyvista.read(f"{name}.ply").points)
        # That reader wants compressed files.
        with tempfile.NamedTemporaryFile(suffix=".bgeo") as packed:
            packed.write(gzip.compress(pathlib.Path(f"{name}.bgeo").read_bytes()))
            packed.flush()
            houdini = readbgeo_to_meshio(packed.name)
        same("points of VTU and BGEO", frame.points, houdini.points)
        same("velocities of VTU and BGEO", frame["velocity"], houdini.point_data["v"])
        same("pressures of VTU and BGEO", frame["pressure"], np.ravel(houdini.point_data["pressure"]), 1e-2)
        same("ids of VTU and BGEO", frame["id"], np.ravel(houdini.point_data["id"]))
        same("points of VTU and USD", frame.points, points.GetPointsAttr().Get(k))
        same("velocities of VTU and USD", frame["velocity"], points.GetVelocitiesAttr().Get(k))
        same("ids of VTU and USD", frame["id"], points.GetIdsAttr().Get(k))

        surfaces.set_active_time_point(k)
        surface = surfaces.read()[0]
        name = run / "frames" / f"surface_{k:06}"
        assert surface.is_manifold and surface.n_open_edges == 0
        volume, wanted = surface.volume, frame.n_points * SPACING**3
        assert abs(volume / wanted - 1) < 0.03, f"the surface of frame {k} encloses {volume}, not {wanted}"
        for extension in ["ply", "obj"]:
            other = pyvista.read(f"{name}.{extension}")
            same(f"surfaces of VTP and {extension}", surface.points, other.points)
            same(f"triangles of VTP and {extension}", surface.faces, other.faces)
        same("surfaces of VTP and USD", surface.points, mesh.GetPointsAttr().Get(k))
        same("triangles of VTP and USD", surface.faces.reshape(-1, 4)[:, 1:].ravel(), mesh.GetFaceVertexIndicesAttr().Get(k))
        assert mesh.GetVelocitiesAttr().Get(k) is not None
    return frames


def check_bodies(run):
    collection = pyvista.get_reader(run / "bodies.pvd")
    stage = Usd.Stage.Open(str(run / "scene.usda"))
    bodies = [prim for prim in stage.GetPrimAtPath("/scene").GetChildren() if prim.GetName().startswith("body_")]
    frames = len(collection.time_values)
    assert bodies and frames > 1
    moved = 0.0
    for k in range(frames):
        collection.set_active_time_point(k)
        frame = collection.read()[0]
        for prim in bodies:
            number = int(prim.GetName().split("_")[1])
            matrix = UsdGeom.Xformable(prim).GetLocalTransformation(k)
            same("places of bodies", frame.points[number], matrix.ExtractTranslation())
            turn = matrix.ExtractRotationQuat()
            read = np.array([turn.GetReal(), *turn.GetImaginary()])
            same("rotations of bodies", abs(np.dot(read, frame["rotation"][number])), 1.0)
            moved = max(moved, np.linalg.norm(matrix.ExtractTranslation() - UsdGeom.Xformable(prim).GetLocalTransformation(0).ExtractTranslation()))
            assert len(UsdGeom.Mesh(prim.GetChild("mesh")).GetPointsAttr().Get()) > 3
    assert moved > 0.0
    return len(bodies)


fluid, bodies = (pathlib.Path(folder) for folder in sys.argv[1:3])
frames = check_fluid(fluid)
count = check_bodies(bodies)
print(f"{frames} frames as VTU, PLY, BGEO, VTP, OBJ and USD, and {count} bodies as USD, read back by others")
