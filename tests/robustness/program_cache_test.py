# SPDX-License-Identifier: MIT
"""Mesa's cache of compiled programs with garbage in its files: cut off, zeros, other bits, other bytes. Images, statistics and
recording are as without, and afterwards the cache is used again."""

import os
import shutil

import whole
from support import tbrsim


def damaged(content, how, chance):
    """The bytes of a file after something went wrong."""
    if how == "cut":
        return content[:chance.randrange(len(content))]
    if how == "zeros":
        at = chance.randrange(len(content))
        return content[:at] + bytes(len(content) - at)
    if how == "bits":
        content = bytearray(content)
        for _ in range(1 + len(content) // 4096):
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        return bytes(content)
    return chance.randbytes(len(content))


class ProgramCache(whole.TestCase):
    def test_garbage(self):
        files = [path for path in self.programs.rglob("*") if path.is_file()]
        self.assertTrue(files, "Mesa has written no cache")
        kept = self.directory / "kept"
        shutil.copytree(self.programs, kept)
        for number in range(self.times):
            how = ("bits", "cut", "garbage", "zeros")[number % 4]
            shutil.rmtree(self.programs)
            shutil.copytree(kept, self.programs)
            # All of the files, or one.
            chosen = files if self.random.random() < 0.3 else [self.random.choice(files)]
            for path in chosen:
                path.write_bytes(damaged(path.read_bytes(), how, self.random) if path.stat().st_size else b"\1")
            with self.subTest(number=number, how=how, files=[path.name for path in chosen]):
                out, recording = self.directory / f"{number}", self.directory / f"{number}.tbr"
                result = self.run_command("replay", *(["--check"] if number % 4 == 0 else []),
                                          *self.replay(out, recording)[1:])
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(self.check_statistics(out), len(self.whole))
                self.assertEqual(recording.read_bytes(), self.recording.read_bytes())

    def test_no_cache(self):
        """A folder that is none, and one that cannot be used."""
        for name, make in (("file", lambda path: path.write_text("a file")), ("absent/below", lambda path: None),
                           ("locked", lambda path: path.mkdir(mode=0o000))):
            path = self.directory / name
            make(path)
            out, recording = self.directory / "out", self.directory / "out.tbr"
            result = self.run_command(*self.replay(out, recording), variables={"MESA_SHADER_CACHE_DIR": str(path)})
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(self.check_statistics(out), len(self.whole))
            if path.is_dir():
                os.chmod(path, 0o700)


if __name__ == "__main__":
    tbrsim.main(times="2", seed="1")
