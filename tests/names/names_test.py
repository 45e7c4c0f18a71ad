# SPDX-License-Identifier: MIT
"""The program's own names, from its calls to recordings: groups, markers and labels of names.c, numbers of calls of a
replay, hashes of shaders; and that they change nothing that is counted."""

import filecmp
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

HILL, OAK, LAST = "first hill", "an oak", "42 glories"
# Of a frame in the framebuffer: group and marker, None: the last one of the frame before.
SCENE = [("", None), ("shadow pass", None), *[("shadow pass/terrain", HILL)] * 3, ("shadow pass/trees/oak", OAK)]


def read_draws(recording):
    result = tbrsim.run("info", "--draws", recording, check=True)
    return [json.loads(line) for line in result.stdout.splitlines()]


def hashes(draws):
    return [[draw[stage] and draw[stage]["hash"] for stage in ("vertex_shader", "geometry_shader", "fragment_shader")]
            for draw in draws]


class Names(tbrsim.DisplayTestCase):
    def record(self, name, *words, variables=None):
        """The recording of names.c, and the directory of its statistics."""
        recording, out = self.path(f"{name}.tbr"), self.path(name)
        tbrsim.run("run", "--record", recording, "--out", out, "--", tbrsim.arguments.names, *words, check=True,
                   variables=variables)
        return recording, out

    def test_names(self):
        recording, live = self.record("named")
        draws = read_draws(recording)
        self.assertEqual(len(draws), 14)
        for frame in range(2):
            scene, window = draws[7 * frame:7 * frame + 6], draws[7 * frame + 6]
            before = OAK if frame else ""
            self.assertEqual([(draw["group"], draw["marker"]) for draw in scene],
                             [(group, before if marker is None else marker) for group, marker in SCENE])
            self.assertEqual((window["group"], window["marker"]), ("shadow pass/terrain", LAST if frame else OAK))
            color = "last color" if frame else "scene color"
            for draw in scene:
                self.assertEqual(draw["color"][0]["label"], color)
                self.assertEqual(draw["color"][0]["format"], "r8g8b8a8_unorm")
                self.assertEqual(draw["depth"]["label"], "scene depth")
                self.assertEqual(draw["depth"]["format"], "z16_unorm")
                self.assertIn("depth_stencil", draw["depth"]["uses"])
                self.assertEqual(draw["fragment_shader"]["label"], "plain program")
            self.assertEqual(window["textures"][0]["label"], color)
            self.assertIn("texture", window["textures"][0]["uses"])
            self.assertEqual(window["color"][0]["label"], "")
            self.assertEqual(window["fragment_shader"]["label"], "textured program")
            for draw in [*scene, window]:
                self.assertEqual(draw["vertices"][0]["label"], "corners")
                self.assertEqual(draw["vertices"][0]["uses"], ["vertices"])
                self.assertIsNone(draw["call"])
        self.assertGreater(len({draw["vertices"][0]["id"] for draw in draws}), 1)
        self.check_counts(recording, live)

    def check_counts(self, recording, live):
        """Without names the same is counted; a recording gives the live run's statistics."""
        names = json.loads(tbrsim.run("info", "--json", recording, check=True).stdout)["names"]
        self.assertEqual(names["groups"],
                         ["shadow pass", "shadow pass/terrain", "shadow pass/trees", "shadow pass/trees/oak"])
        self.assertLessEqual({"scene color", "last color", "scene depth", "corners"}, set(names["labels"]))
        simulated = self.path("simulated")
        tbrsim.run("sim", "--out", simulated, recording, check=True)
        plain, plain_out = self.record("plain", "plain")
        draws = read_draws(plain)
        for draw in draws:
            self.assertEqual((draw["group"], draw["marker"]), ("", ""))
            self.assertEqual({resource["label"] for resource in (*draw["color"], *draw["vertices"])}, {""})
        self.assertEqual(hashes(draws), hashes(read_draws(recording)))
        names = json.loads(tbrsim.run("info", "--json", plain, check=True).stdout)["names"]
        self.assertEqual((names["groups"], names["labels"]), ([], []))
        for other in (simulated, plain_out):
            self.assertTrue(filecmp.cmp(pathlib.Path(live, "frames.csv"), pathlib.Path(other, "frames.csv"), False))

    def test_hashes_differ(self):
        recording, _ = self.record("named")
        scene, window = (hashes(read_draws(recording))[draw] for draw in (0, 6))
        self.assertEqual(scene[0], window[0])
        self.assertNotEqual(scene[2], window[2])
        self.assertNotIn("0" * 16, (scene[0], scene[2], window[2]))

    def test_calls(self):
        """A replay's draws have the numbers of their calls, if asked for; and the markers of the program."""
        plain = tbrsim.record(self.directory, "glmark2_shadow", "--frames", "0-1", name="plain")
        before = pathlib.Path(self.directory, "live", "frames.csv").read_bytes()
        path, out = self.path("called.tbr"), self.path("called")
        tbrsim.run("replay", "--frames", "0-1", "--record", path, "--out", out, tbrsim.CAPTURES / "glmark2_shadow.trace",
                   check=True, variables={"TBRSIM_CALL_MARKERS": "1"})
        self.assertEqual(pathlib.Path(out, "frames.csv").read_bytes(), before)
        draws, called = read_draws(plain), read_draws(path)
        self.assertEqual({draw["call"] for draw in draws}, {None})
        self.assertEqual(hashes(called), hashes(draws))
        dump = tbrsim.execute("apitrace", "dump", "--color=never", tbrsim.CAPTURES / "glmark2_shadow.trace",
                              check=True).stdout
        functions = {line.split()[0]: line.split()[1].split("(")[0] for line in dump.splitlines()
                     if line[:1].isdigit() and len(line.split()) > 1}
        self.assertEqual({functions[str(draw["call"])] for draw in called}, {"glDrawArrays"})
        self.assertEqual({draw["marker"] for draw in called}, {""})
        numbers = [draw["call"] for draw in called]
        self.assertEqual(numbers, sorted(numbers))
        self.assertEqual(len(set(numbers)), len(numbers))
        names = [json.loads(tbrsim.run("info", "--json", recording, check=True).stdout)["names"]
                 for recording in (plain, path)]
        self.assertEqual(*names)


if __name__ == "__main__":
    tbrsim.main("names")
