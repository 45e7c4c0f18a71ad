# SPDX-License-Identifier: MIT
"""Shaders of each stage that do nothing (idle.c), with the model and without, whatever unused memory holds: queries, by hand;
the model's counters, the same from recordings."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

# Of two draws each: vertices, patches, points that are evaluated, geometry shaders, primitives of the tiling engine.
STAGES = ("vertex_stage.vertices", "tessellation_stage.patches", "tessellation_stage.evaluation_invocations",
          "geometry_stage.invocations", "tiling_engine.primitives")
EXPECTED = {
    "vertex": (18, 0, 0, 0, 0),
    "vertex_captured": (18, 0, 0, 0, 0),
    "control": (18, 6, None, 0, None),
    "evaluation": (18, 6, 18, 0, 0),
    "geometry_points": (20, 0, 0, 20, 0),
    "geometry_adjacency": (40, 0, 0, 10, 0),
    "geometry_twice": (18, 0, 0, 12, 0),
    "geometry_captured": (18, 0, 0, 6, 0),
    "geometry_ends": (18, 0, 0, 6, 0),
    "geometry_stream": (12, 0, 0, 12, 0),
    "geometry_stream_captured": (12, 0, 0, 12, 0),
    "tessellation_and_geometry": (18, 6, 18, 6, 0),
    # Clipped to squares.
    "fragment": (18, 0, 0, 0, 12),
    "compute": (0, 0, 0, 0, 0),
}


class Idle(tbrsim.DisplayTestCase):
    def run_case(self, name, *options, fill=0):
        return tbrsim.run("run", *options, "--", tbrsim.arguments.idle, name, check=True,
                          variables={"MALLOC_PERTURB_": str(fill)})

    def check(self, name):
        self.run_case(name, "--no-model", fill=170)
        live, simulated, recording = (self.directory / part for part in ("live", "simulated", "recording.tbr"))
        self.run_case(name, "--config", "tcor-64k", "--record", recording, "--out", live)
        frame, = tbrsim.frames(live)
        found = tuple(frame[counter] if expected is not None else None
                      for counter, expected in zip(STAGES, EXPECTED[name]))
        self.assertEqual(found, EXPECTED[name])
        tbrsim.run("sim", "--config", "tcor-64k", "--out", simulated, recording, check=True)
        self.assertEqual((live / "frames.csv").read_bytes(), (simulated / "frames.csv").read_bytes())


for case in EXPECTED:
    setattr(Idle, f"test_{case}", lambda self, case=case: self.check(case))


if __name__ == "__main__":
    tbrsim.main("idle")
