# SPDX-License-Identifier: MIT
"""The Python package, built and installed: by pip from the checkout without a network, and by `make wheel`."""

import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
VERSION = (SOURCE / "python/tbrsim/VERSION").read_text(encoding="ascii").strip()
NEEDED = ("pip", "setuptools", "wheel", "pandas")
SKIPPED = 77


def package_files(top):
    """What the package consists of, below a directory."""
    return {path.relative_to(top).as_posix() for path in (top / "tbrsim").rglob("*")
            if path.is_file() and "__pycache__" not in path.parts}


class Install(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_python(self, program, *words, status=0, **variables):
        # --no-index, in pip's own way: what it would fetch is an error.
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.directory), "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": "/dev/null"}
        result = subprocess.run([program, *words], cwd=self.directory, env=environment | variables, capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result.stdout + result.stderr

    def copy(self):
        shutil.copytree(SOURCE / "python", self.directory / "python", ignore=shutil.ignore_patterns("__pycache__"))

    def sources(self):
        return sorted(path for path in (self.directory / "python").rglob("*") if path.name != "__pycache__" and path.suffix != ".pyc")

    def test_pip(self):
        """`pip install ./python`, as docs/python.md has it, in an environment that sees Debian's packages. Nothing is left in
        the sources."""
        self.copy()
        before = self.sources()
        environment = self.directory / "environment"
        self.run_python(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", str(environment))
        python = environment / "bin/python"
        self.run_python(python, "-m", "pip", "install", "./python")
        self.assertEqual(self.sources(), before)
        text = "import tbrsim; print(tbrsim.__version__, tbrsim.__file__)"
        version, place = self.run_python(python, "-c", text).split()
        self.assertEqual(version, VERSION)
        installed = pathlib.Path(place).parents[1]
        self.assertTrue(installed.is_relative_to(environment))
        self.assertEqual(package_files(installed), package_files(SOURCE / "python"))

    def test_what_is_missing_is_fetched(self):
        """Where setuptools or wheel are not installed, pip is asked for them."""
        text = "import build_backend; print(build_backend.get_requires_for_build_wheel())"
        for hidden, expected in ((("setuptools", "wheel"), "['setuptools>=61', 'wheel']"), ((), "[]")):
            hide = f"import importlib.util as u; f = u.find_spec; u.find_spec = lambda name: None if name in {hidden} else f(name); "
            self.assertEqual(self.run_python(sys.executable, "-c", hide + text, PYTHONPATH=str(SOURCE / "python"),
                                             PYTHONDONTWRITEBYTECODE="1"), f"{expected}\n")

    def test_make_wheel(self):
        """The wheel, and the source distribution that it was built from, have all files, the licence and the version."""
        said = self.run_python("/bin/sh", SOURCE / "scripts/wheel.sh", BUILD=str(self.directory / "build"))
        out = self.directory / "build/wheel"
        wheel, source = out / f"tbrsim-{VERSION}-py3-none-any.whl", out / f"tbrsim-{VERSION}.tar.gz"
        self.assertEqual(sorted(said.split()), sorted(map(str, (wheel, source))))
        self.assertEqual(sorted(out.iterdir()), sorted((wheel, source)))
        expected = package_files(SOURCE / "python")
        with zipfile.ZipFile(wheel) as archive:
            names = set(archive.namelist())
        self.assertEqual({name for name in names if name.startswith("tbrsim/")}, expected)
        self.assertIn(f"tbrsim-{VERSION}.dist-info/LICENSE", names)
        with tarfile.open(source) as archive:
            names = {name.removeprefix(f"tbrsim-{VERSION}/") for name in archive.getnames() if archive.getmember(name).isfile()}
        self.assertLessEqual(expected | {"LICENSE", "pyproject.toml", "build_backend.py"}, names)


if __name__ == "__main__":
    missing = [name for name in NEEDED if not importlib.util.find_spec(name)]
    if missing:
        print(f"not installed: {', '.join(missing)}")
        sys.exit(SKIPPED)
    unittest.main()
