# SPDX-License-Identifier: MIT
"""Captures of gfxreconstruct, of programs of Vulkan: a replay's frames, statistics and pictures are those of the program, to
the byte; what cannot be replayed is named."""

import pathlib
import shutil
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import conservation, tbrsim  # noqa: E402

BUNDLED = tbrsim.CAPTURES / "vkcube.gfxr"
CUBE = ("vkcube", "--c", "6", "--width", "160", "--height", "120")
FRAMES = 6
PRESENT = 0x110ae  # vkQueuePresentKHR, as the file numbers it


def layer(path, compression="ZSTD"):
    """The variables with which a program captures itself."""
    return {"VK_INSTANCE_LAYERS": "VK_LAYER_LUNARG_gfxreconstruct", "GFXRECON_CAPTURE_FILE": str(path),
            "GFXRECON_CAPTURE_FILE_TIMESTAMP": "false", "GFXRECON_CAPTURE_COMPRESSION_TYPE": compression,
            "GFXRECON_LOG_LEVEL": "error"}


def capture(path, *words, compression="ZSTD"):
    """Runs a program with options of tbrsim run before it, captured."""
    tbrsim.run("run", *words, variables=layer(path, compression), check=True)
    return path


def calls(content):
    """(number of the function, where the call begins and ends, whether it is compressed), by the format of the file: a header,
    options, blocks."""
    options, = struct.unpack_from("<I", content, 12)
    offset = 16 + 8 * options
    while offset < len(content):
        size, kind, call = struct.unpack_from("<QII", content, offset)
        if kind & 0x7fffffff == 4:
            yield call, offset + 12, offset + 12 + size, kind >= 0x80000000
        offset += 12 + size


def ends_of_frames(content):
    return [end for call, _, end, _ in calls(content) if call == PRESENT]


def pictures(directory):
    return {path.name: path.read_bytes() for path in sorted(pathlib.Path(directory).glob("*.png"))}


def thumbnails(directory):
    """Those of the passes of the one process."""
    folder, = pathlib.Path(directory).glob("*/thumbnails")
    return pictures(folder)


class Captures(tbrsim.DisplayTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cube, cls.live = cls.shared / "cube.gfxr", cls.shared / "live"
        # Without the layer; what the program draws does not depend on it.
        tbrsim.run("run", "--thumbnails", "--out", cls.live, "--", *CUBE, check=True)
        capture(cls.cube, "--no-model", "--", *CUBE)

    def replay(self, *words):
        """Its results; nothing is reported."""
        out = self.path("out")
        self.fine("replay", "--out", out, *words)
        return out

    def test_statistics(self):
        """Of all frames, and of some; what is simulated from the replay's recording is the same, too."""
        recording, again = self.path("cube.tbr"), self.path("again")
        out = self.replay("--thumbnails", "--record", recording, self.cube)
        self.assertEqual(tbrsim.contents(out), tbrsim.contents(self.live))
        self.assertEqual(len(tbrsim.frames(out)), FRAMES)
        self.assertGreater(tbrsim.total(out)["dram.texture.reads"], 0)
        self.assertEqual(conservation.errors_of_run(out, tbrsim.keys("tcor-baseline-64k")), [])
        self.assertEqual(len(thumbnails(self.live)), FRAMES)
        self.assertEqual(thumbnails(out), thumbnails(self.live))
        tbrsim.run("sim", "--out", again, recording, check=True)
        self.assertEqual(tbrsim.contents(again), tbrsim.contents(out))
        some = tbrsim.frames(self.replay("--frames", "1-2,4", self.cube))
        live = tbrsim.frames(self.live)
        self.assertEqual([frame["gpu.draws"] for frame in some], [1] * 3)
        self.assertEqual([frame["vertex_stage.vertices"] for frame in some], [live[n]["vertex_stage.vertices"] for n in (1, 2, 4)])

    def test_pictures(self):
        """As lavapipe's of the same Mesa; of the frames that are asked for; the same whatever is simulated."""
        self.replay("--check", "--tolerance", "0", "--snapshots", self.path("all"), self.cube)
        found = pictures(self.path("all"))
        self.assertEqual(list(found), [f"frame-{n:04}.png" for n in range(FRAMES)])
        self.assertEqual(len(set(found.values())), FRAMES)
        self.replay("--frames", "1-2,4", "--snapshots", self.path("some"), "--set", "tile.size=16", self.cube)
        self.assertEqual(pictures(self.path("some")), {name: found[name] for name in list(found) if name[9] in "124"})

    def test_without_a_display(self):
        """Neither one nor the programs of OpenGL are needed."""
        folder = self.path("bin")
        folder.mkdir()
        for program in ("gfxrecon-info", "gfxrecon-replay"):
            (folder / program).symlink_to(shutil.which(program))
        variables = {"PATH": str(folder), "DISPLAY": ""}
        out = self.path("out")
        self.fine("replay", "--out", out, self.cube, variables=variables)
        self.assertEqual(tbrsim.contents(out), tbrsim.contents(self.live))
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ["gfxrecon-info", "gfxrecon-replay"])
        (folder / "gfxrecon-replay").unlink()
        result = tbrsim.run("replay", "--out", self.path("none"), self.cube, variables=variables)
        self.assertEqual(result.returncode, 127)
        self.assertRegex(result.stderr, "needs the Debian package gfxreconstruct")

    def test_other_ways(self):
        """Its replayer as a program of tbrsim run; report makes what it needs; what tools made of the file."""
        out = self.path("run")
        tbrsim.run("run", "--out", out, "--", "gfxrecon-replay", "--wsi", "headless", self.cube, check=True)
        self.assertEqual(tbrsim.frames(out), tbrsim.frames(self.live))
        # With windows, too.
        tbrsim.run("run", "--out", out, "--", "gfxrecon-replay", self.cube, check=True)
        self.assertEqual(tbrsim.frames(out), tbrsim.frames(self.live))
        advice = tbrsim.run("advise", self.cube, check=True, cwd=self.directory).stdout
        self.assertIn("frames 0 to 5", advice)
        self.assertNotIn("target-never-read", advice)  # what is presented has been read
        for compression in ("NONE", "LZ4", "ZLIB"):
            packed = self.path(f"{compression}.gfxr")
            tbrsim.execute("gfxrecon-compress", self.cube, packed, compression, check=True)
            with self.subTest(compression):
                self.assertEqual(tbrsim.contents(self.replay(packed)), tbrsim.contents(self.live))

    def test_leaves_nothing(self):
        temporary = self.path("temporary")
        temporary.mkdir()
        tbrsim.run("replay", "--out", self.path("out"), "--frames", "0-1", "--snapshots", self.path("frames"), self.cube,
                   variables={"TMPDIR": str(temporary)}, check=True)
        self.assertEqual(list(temporary.iterdir()), [])

    def test_some_frames_captured(self):
        """Captured from the third frame on: what was there before is made again, and the frames are those of the program."""
        variables = layer(self.path("part.gfxr")) | {"GFXRECON_CAPTURE_FRAMES": "3-5"}
        tbrsim.run("run", "--no-model", "--", *CUBE, variables=variables, check=True)
        part = self.path("part_frames_3_through_5.gfxr")
        self.replay("--snapshots", self.path("part"), part)
        self.replay("--snapshots", self.path("all"), self.cube)
        self.assertEqual(list(pictures(self.path("part")).values()), list(pictures(self.path("all")).values())[2:5])
        out = self.replay(part)
        # Caches are empty at its first frame.
        self.assertEqual([frame["gpu.draws"] for frame in tbrsim.frames(out)][1:], [1] * 2)
        self.assertEqual([frame["vertex_stage.vertices"] for frame in tbrsim.frames(out)][1:],
                         [frame["vertex_stage.vertices"] for frame in tbrsim.frames(self.live)][3:5])

    def test_truncated(self):
        """As of a program that was killed: whole frames can be asked for."""
        content = self.cube.read_bytes()
        ends = ends_of_frames(content)
        self.assertEqual(len(ends), FRAMES)
        for name, size in ("block", ends[2] + 100), ("head", ends[2] + 5):
            cut = self.path(f"{name}.gfxr", content[:size])
            self.refused(1, "truncated: it ends in the middle of a call, after 3 whole frames; expected --frames 0-2", "replay",
                         "--out", self.path("out"), cut)
            self.assertEqual(tbrsim.frames(self.replay("--frames", "0-2", cut)), tbrsim.frames(self.live)[:3])
            self.refused(2, "has the frames 0-2", "replay", "--out", self.path("out"), "--frames", "1-3", cut)
        self.refused(1, "truncated: it ends in the middle of a call, before its first frame ends", "replay", "--out", self.path("out"),
                     self.path("begin.gfxr", content[:ends[0] - 1]))
        self.refused(1, "truncated: it ends in its header", "replay", "--out", self.path("out"), self.path("short.gfxr", content[:10]))

    def test_damaged(self):
        content = self.cube.read_bytes()
        out = ("--out", self.path("out"))
        options = self.path("options.gfxr", content[:12] + b"\xff" * 4 + content[16:])
        self.refused(1, "damaged: its header has 4294967295 options", "replay", *out, options)
        direct3d = self.path("direct3d.gfxr", content + struct.pack("<QII", 4, 6, 0))
        self.refused(1, "a capture of Direct3D 12, not of Vulkan", "replay", *out, direct3d)
        # What a later version of the layer may write.
        later = self.path("later.gfxr", content + struct.pack("<QII", 4, 99, 0))
        result = tbrsim.run("replay", *out, later)
        self.assertEqual(result.returncode, 1)
        self.assertIn("gfxrecon-replay: Skipping unrecognized file block with type 99", result.stderr)
        # Compressed arguments that cannot be expanded.
        begin, end = next((begin, end) for _, begin, end, compressed in calls(content) if compressed and end - begin > 200)
        changed = content[:begin + 40] + bytes(byte ^ 0xff for byte in content[begin + 40:end]) + content[end:]
        result = tbrsim.run("replay", *out, self.path("changed.gfxr", changed))
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"tbrsim: gfxrecon-replay: Failed to read compressed function call block data\n(.*\n)*"
                         r"tbrsim: the replay on tbrsim failed: gfxrecon-replay ended with status 255")

    def test_refused_options(self):
        self.refused(2, "--check=softpipe: .* is of Vulkan, which softpipe does not have; expected --check", "replay", "--out",
                     self.path("out"), "--check=llvmpipe,softpipe", self.cube)

    def test_bundled(self):
        """The capture that comes with the command is made on lavapipe."""
        self.assertEqual(len(tbrsim.frames(self.replay("--frames", "0-1", BUNDLED))), 2)


class OtherDevices(tbrsim.TestCase):
    def test_missing_features(self):
        """What the device does not have is named, and all else replayed."""
        path = capture(self.path("features.gfxr"), "--driver", "llvmpipe", "--no-model", "--", tbrsim.arguments.features)
        out = self.path("out")
        result = tbrsim.run("replay", "--out", out, path)
        self.assertEqual(result.returncode, 1)
        for lack in ("Extension VK_EXT_conditional_rendering", "Feature shaderFloat64", "Feature sparseBinding"):
            self.assertIn(f"tbrsim: gfxrecon-replay: {lack}, which is not supported by the replay device, will not be enabled\n",
                          result.stderr)
        self.assertEqual(tbrsim.total(out)["gpu.passes"], 1)
        # On this device, the program itself enables what there is.
        path = capture(self.path("less.gfxr"), "--no-model", "--", tbrsim.arguments.features)
        self.fine("replay", "--out", out, path)

    def test_another_gpu(self):
        """Of other kinds of memory, sizes and alignments: the replay allocates anew, and its statistics are the same."""
        live, out = self.path("live"), self.path("out")
        tbrsim.run("run", "--out", live, "--", *CUBE, check=True)
        path = capture(self.path("cube.gfxr"), "--driver", "llvmpipe", "--no-model", "--", *CUBE, compression="NONE")
        content = path.read_bytes()
        self.assertIn(b"llvmpipe ", content)
        path.write_bytes(content.replace(b"llvmpipe ", b"another! "))
        result = tbrsim.run("replay", "--out", out, path, check=True)
        self.assertIn("tbrsim (note): made on another GPU; memory is allocated anew for this one\n", result.stderr)
        self.assertEqual(tbrsim.contents(out), tbrsim.contents(live))


class Scenes(tbrsim.TestCase):
    """Programs without a window: all that they draw is a frame."""

    def test_statistics(self):
        names = tbrsim.execute(tbrsim.arguments.scenes, check=True).stdout.split()
        self.assertGreaterEqual(len(names), 15)
        for name in names:
            with self.subTest(name):
                # The program gives no name: the file's is taken.
                live, out, path = self.path(f"{name}-live"), self.path(f"{name}-out"), self.path("vulkan_scenes.gfxr")
                program = (tbrsim.arguments.scenes, name, self.path("picture.ppm"))
                tbrsim.run("run", "--thumbnails", "--out", live, "--", *program, check=True)
                capture(path, "--no-model", "--", *program)
                # Features that are newer than the layer are not in the file, which it says.
                result = tbrsim.run("replay", "--thumbnails", "--out", out, path, check=True)
                self.assertRegex(tbrsim.said(result), r"^(tbrsim \(note\): said when the capture was made: .*\n)*$")
                self.assertEqual(tbrsim.contents(out), tbrsim.contents(live))
                self.assertEqual(thumbnails(out), thumbnails(live))
        path.unlink()
        capture(path, "--no-model", "--", tbrsim.arguments.scenes, "clear", self.path("picture.ppm"))
        self.refused(1, "presents nothing: there are no images to take", "replay", "--out", out, "--snapshots", self.path("none"), path)


if __name__ == "__main__":
    tbrsim.need("gfxrecon-replay", "gfxrecon-info", "vkcube")
    tbrsim.main("features", "scenes")
