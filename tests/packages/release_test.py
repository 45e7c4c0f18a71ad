# SPDX-License-Identifier: MIT
"""make release, of a small checkout whose Makefile only pretends to build: which files it makes, what is in them, what it
refuses before anything is built."""

import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
VERSION = (SOURCE / "python/tbrsim/VERSION").read_text(encoding="ascii").strip()
NAME = f"tbrsim-{VERSION}"
TAKEN = ("scripts/release.sh", "scripts/common.sh", "meson.options", "python/tbrsim/VERSION", "CHANGELOG.md", "CITATION.cff",
         "debian/changelog", "debian/control", "tests/packages/control_test.py", ".gitignore")
TARGETS = {
    "deb": f"mkdir -p build/packages; touch build/packages/tbrsim_{VERSION}~deb12_amd64.deb build/packages/tbrsim.changes",
    "wheel": f"mkdir -p build/wheel; touch build/wheel/{NAME}.tar.gz build/wheel/{NAME}-py3-none-any.whl",
    "docs": "mkdir -p build/docs/html/a; echo page >build/docs/html/index.html; touch build/docs/html/a/b.html",
}


class Release(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.checkout = self.directory / "checkout"
        wraps = [path.relative_to(SOURCE) for path in (SOURCE / "subprojects").glob("mesa-*.wrap")]
        for name in (*TAKEN, *wraps):
            (self.checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, self.checkout / name)
        self.makefile(TARGETS)
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit()

    def makefile(self, targets):
        rules = "".join(f"{name}:\n\t@echo {name} >>../built; {command}\n" for name, command in targets.items())
        (self.checkout / "Makefile").write_text(f".PHONY: {' '.join(targets)}\n{rules}", encoding="utf-8")

    def git(self, *words):
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words], cwd=self.checkout, check=True,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(self.directory)}, capture_output=True, text=True).stdout

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=all")

    def release(self):
        return subprocess.run(["scripts/release.sh"], cwd=self.checkout, capture_output=True, text=True, check=False,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(self.directory)})

    def refused(self, pattern, built=False):
        result = self.release()
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertRegex(result.stderr, f"^make release: {pattern}")
        self.assertEqual((self.directory / "built").exists(), built)
        self.assertFalse((self.checkout / "build/release" / NAME / "SHA256SUMS").exists())

    def test_files(self):
        result = self.release()
        self.assertEqual(result.returncode, 0, result.stderr)
        out = self.checkout / "build/release" / NAME
        names = {f"{NAME}-source.tar.xz", f"{NAME}.tar.gz", f"{NAME}-py3-none-any.whl", f"{NAME}-site.tar.xz", "CHANGES.md",
                 f"tbrsim_{VERSION}~deb12_amd64.deb", "SHA256SUMS"}
        self.assertEqual({path.name for path in out.iterdir()}, names)
        checked = subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=out, capture_output=True, text=True, check=True)
        self.assertEqual({line.removesuffix(": OK") for line in checked.stdout.splitlines()}, names - {"SHA256SUMS"})
        with tarfile.open(out / f"{NAME}-source.tar.xz") as archive:
            self.assertEqual({name for name in archive.getnames() if archive.getmember(name).isfile()},
                             {f"{NAME}/{name}" for name in self.git("ls-files").splitlines()})
        with tarfile.open(out / f"{NAME}-site.tar.xz") as archive:
            self.assertEqual({f"{NAME}-site/index.html", f"{NAME}-site/a/b.html"},
                             {name for name in archive.getnames() if archive.getmember(name).isfile()})
        # What was built before is not taken for this release's, and the archives are the same each time.
        (out / "old").touch()
        before = (out / "SHA256SUMS").read_bytes()
        self.assertEqual(self.release().returncode, 0)
        self.assertEqual((out / "SHA256SUMS").read_bytes(), before)
        self.assertFalse((out / "old").exists())

    def test_page(self):
        self.assertEqual(self.release().returncode, 0)
        page = (self.checkout / "build/release" / NAME / "CHANGES.md").read_text(encoding="utf-8")
        changes = (SOURCE / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")
        section = next(part for part in changes if part.startswith(f"{VERSION}, "))
        self.assertIn(f"Of {section.splitlines()[0].partition(', ')[2]}, commit {self.git('rev-parse', 'HEAD').strip()}.", page)
        # Its items, without links, and no other version's.
        said = page.partition("## What has changed\n")[2]
        self.assertEqual(said.count("\n- "), section.count("\n- "))
        self.assertNotIn("](", said)
        self.assertIn(section.splitlines()[-1].partition("](")[0].removeprefix("["), said)
        self.assertIn(f"| `tbrsim_{VERSION}~deb12_amd64.deb` | simulated tile-based GPU for OpenGL ES, OpenGL and Vulkan |", page)

    def test_refused(self):
        (self.checkout / "CHANGELOG.md").write_text("## 0.0.1, 2026-01-01\n\n- Nothing.\n", encoding="utf-8")
        self.refused("these files are not as in the commit:\n M CHANGELOG.md")
        self.commit()
        self.refused(f"CHANGELOG.md has no section '## {VERSION}, DATE'")
        shutil.copy(SOURCE / "CHANGELOG.md", self.checkout)
        (self.checkout / "CITATION.cff").write_text("version: 0.0.1\n", encoding="utf-8")
        self.commit()
        self.refused("the files that have the version differ")
        shutil.copy(SOURCE / "CITATION.cff", self.checkout)
        self.git("tag", f"v{VERSION}")
        self.commit()
        self.refused(f"v{VERSION} is the tag of another commit")
        self.git("tag", "--delete", f"v{VERSION}")
        # A folder of that name is no target.
        (self.checkout / "docs").mkdir()
        self.makefile({name: TARGETS[name] for name in ("deb", "wheel")})
        self.commit()
        self.refused("the Makefile has no target docs")

    def test_nothing_built(self):
        for missing, pattern in (("deb", r"build/packages/\*\.deb was not built"), ("wheel", f"build/wheel/{NAME}-py3"),
                                 ("docs", "build/docs/html/index.html was not built")):
            self.makefile(TARGETS | {missing: "true"})
            self.commit()
            shutil.rmtree(self.checkout / "build", ignore_errors=True)
            self.refused(pattern, built=True)
        self.makefile(TARGETS | {"wheel": "false"})
        self.commit()
        self.assertNotEqual(self.release().returncode, 0)
        self.assertFalse((self.checkout / "build/release" / NAME / "SHA256SUMS").exists())


if __name__ == "__main__":
    unittest.main()
