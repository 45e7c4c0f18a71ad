# SPDX-License-Identifier: MIT
"""tbrsim doctor: what it finds, and what it says where something is missing."""

import json
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402


class Doctor(tbrsim.DisplayTestCase):
    def findings(self, status=0, **variables):
        result = tbrsim.run("doctor", "--json", variables=variables)
        self.assertEqual((result.returncode, result.stderr), (status, ""))
        return {entry["name"]: entry for entry in json.loads(result.stdout)}

    def without(self, *programs):
        """A PATH with what the doctor looks for, but for these."""
        folder = self.path("bin")
        folder.mkdir()
        for program in {"Xvfb", "eglretrace", "gfxrecon-info", "gfxrecon-replay", "snakemake", "chromium", "chromium-browser", "google-chrome"} - set(programs):
            if shutil.which(program):
                (folder / program).symlink_to(shutil.which(program))
        # Xvfb runs xkbcomp.
        return f"{folder}:{self.helpers()}"

    def helpers(self):
        folder = self.path("helpers")
        folder.mkdir()
        for program in ("sh", "xkbcomp"):
            (folder / program).symlink_to(shutil.which(program))
        return folder

    def test_this_machine(self):
        """The contexts are the simulated GPU's; what `which` finds is there."""
        found = self.findings()
        for name in ("EGL", "GLX", "Vulkan"):
            self.assertTrue(found[name]["there"], found[name])
            self.assertRegex(found[name]["detail"], r"^tbrsim.*, (OpenGL|Vulkan)|^tbrsim.*, \d\.\d")
            self.assertNotIn("install", found[name])
        for name, program in (("Xvfb", "Xvfb"), ("apitrace", "eglretrace"), ("gfxreconstruct", "gfxrecon-replay"), ("Snakemake", "snakemake")):
            self.assertEqual(found[name]["detail"] if found[name]["there"] else None, shutil.which(program))
        for name, module in (("pandas", "pandas"), ("PyYAML", "yaml"), ("matplotlib", "matplotlib")):
            asked = tbrsim.execute("/usr/bin/python3", "-P", "-c", f"import {module}; print({module}.__version__)")
            self.assertEqual(found[name]["there"], not asked.returncode, name)
            if found[name]["there"]:
                self.assertEqual(found[name]["detail"], asked.stdout.strip())
        # What the library of Vulkan was built with.
        extensions = tbrsim.run("run", "--no-model", "--", "vulkaninfo", check=True).stdout
        if "VK_KHR_wayland_surface" in extensions:
            self.assertEqual((found["Wayland"]["there"], found["Wayland"]["detail"]), (True, "VK_KHR_wayland_surface"))
        else:
            self.assertEqual((found["Wayland"]["there"], found["Wayland"]["install"]), (False, "make deps all"))
            self.assertIn("wayland-protocols before 1.38", found["Wayland"]["detail"])
        self.assertFalse(found["Wayland"]["needed"])
        nodes = sorted(map(str, pathlib.Path("/dev/dri").glob("renderD*")))
        self.assertEqual((found["render node"]["there"], found["render node"]["detail"]),
                         (True, nodes[0]) if nodes else (False, "no /dev/dri/renderD*"))
        self.assertFalse(found["render node"]["needed"])
        text = tbrsim.run("doctor").stdout
        for name, entry in found.items():
            self.assertRegex(text, rf"(?m)^{'ok' if entry['there'] else 'missing'} +{name} ")

    def test_leaves_nothing(self):
        """Neither where it runs nor with the temporary files."""
        here, temporary = self.path("here"), self.path("temporary")
        for folder in (here, temporary):
            folder.mkdir()
        tbrsim.run("doctor", cwd=here, variables={"TMPDIR": str(temporary)}, check=True)
        self.assertEqual([*here.iterdir(), *temporary.iterdir()], [])

    def test_missing_programs(self):
        path = self.without("Xvfb", "eglretrace", "gfxrecon-replay")
        found = self.findings(1, PATH=path, DISPLAY="")
        self.assertFalse(found["Xvfb"]["there"])
        self.assertEqual(found["Xvfb"]["install"], "apt-get install xvfb")
        self.assertEqual((found["gfxreconstruct"]["needed"], found["gfxreconstruct"]["install"]),
                         (False, "apt-get install gfxreconstruct"))
        self.assertIn("Xvfb (Debian package xvfb) is not installed", found["GLX"]["detail"])
        text = tbrsim.run("doctor", variables={"PATH": path, "DISPLAY": ""})
        self.assertEqual(text.returncode, 1)
        self.assertRegex(text.stdout, r"\n  apt-get install .*\bxvfb apitrace\b")
        self.assertTrue(self.findings(1, PATH=path)["GLX"]["there"])

    def test_replayer_that_does_not_replay(self):
        """As where a library is missing that it opens by name: it is there, and of no use."""
        folder = self.path("broken")
        folder.mkdir()
        replayer = folder / "eglretrace"
        replayer.write_text("#!/bin/sh\necho \"error: couldn't find libEGL.so\" >&2\nexit 1\n")
        replayer.chmod(0o755)
        path = f"{folder}:{os.environ['PATH']}"
        found = self.findings(1, PATH=path)
        self.assertTrue(found["EGL"]["there"])
        self.assertFalse(found["apitrace"]["there"])
        self.assertIn("libEGL.so", found["apitrace"]["detail"])
        self.assertEqual(found["apitrace"]["install"], "apt-get install libegl-dev libgl-dev libgles-dev")
        replayed = tbrsim.run("replay", "--no-model", tbrsim.CAPTURES / "glmark2_function.trace", variables={"PATH": path})
        self.assertNotEqual(replayed.returncode, 0)
        self.assertIn("libEGL.so", replayed.stderr)

    def test_missing_modules(self):
        """What may be left out is no failure."""
        hidden = self.path("hidden")
        for name in ("yaml", "pandas"):
            (hidden / name).mkdir(parents=True)
            (hidden / name / "__init__.py").write_text("raise ImportError('hidden')\n")
        found = self.findings(0, PYTHONPATH=str(hidden))
        self.assertEqual((found["PyYAML"]["there"], found["PyYAML"]["install"]), (False, "apt-get install python3-yaml"))
        self.assertFalse(found["pandas"]["there"])
        for name in ("DuckDB", "uPlot"):
            self.assertRegex(found[name]["detail"], r"^\d[\d.]*, /", name)

    def test_own_study(self):
        """What the environment says of a study does not matter, and nothing is written."""
        out = self.path("results")
        found = self.findings(0, TBRSIM_CONFIG="no-such-preset", TBRSIM_OUT=str(out), TBRSIM_RECORD=str(out / "a.tbr"))
        self.assertTrue(found["EGL"]["there"], found["EGL"])
        self.assertFalse(out.exists())

    def test_display_that_does_not_answer(self):
        found = self.findings(1, DISPLAY=":4711")
        self.assertIn("the X server does not answer", found["GLX"]["detail"])
        self.assertTrue(found["EGL"]["there"])

    def test_not_rendered_by_another(self):
        """The system's Mesa is not taken for ours: without our libraries there is no context."""
        prefix = pathlib.Path(tbrsim.arguments.tbrsim).resolve().parents[1]
        moved = self.path("moved")
        for folder in ("bin", "libexec", "share"):
            shutil.copytree(prefix / folder, moved / folder, symlinks=True)
        result = tbrsim.execute(moved / "bin/tbrsim", "doctor", "--json")
        self.assertEqual(result.returncode, 1)
        found = {entry["name"]: entry for entry in json.loads(result.stdout)}
        for name in ("EGL", "GLX"):
            self.assertIn("Mesa is not installed with this command", found[name]["detail"])


if __name__ == "__main__":
    os.environ.pop("WAYLAND_DISPLAY", None)
    tbrsim.main()
