# SPDX-License-Identifier: MIT
"""What results are called has a version: where a counter gets another name or unit, this test fails until the version
(src/cachemodel/stats/schema.h) and the table of docs/statistics.md say so."""
import hashlib
import json
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests"))
from support import tbrsim  # noqa: E402

HEADER = (SOURCE / "src/cachemodel/stats/schema.h").read_text()

def counters():
    """Names and units of all presets' counters."""
    found = set()
    for preset in sorted(path.stem for path in (SOURCE / "configs").glob("*.yaml")):
        for timing in ("off", "on"):
            listed = tbrsim.run("counters", "--json", "--config", preset, "--set", f"timing={timing}",
                                 variables={"TBRSIM_CONFIG_DIR": str(SOURCE / "configs")})
            if listed.returncode and timing == "on":
                continue  # a preset without what time needs
            if listed.returncode:
                raise AssertionError(listed.stderr)
            found |= {f"{row['name']} {row['measure']}" for row in json.loads(listed.stdout)}
    return sorted(found)


class Schema(unittest.TestCase):
    def test_counters(self):
        names = counters()
        self.assertGreater(len(names), 500)
        found = hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]
        expected, = re.findall(r'^#define CM_STATS_COUNTERS "(.*)"$', HEADER, re.MULTILINE)
        self.assertEqual(
            found, expected,
            "the counters' names or units have changed. Where all that were there are still there, CM_STATS_COUNTERS of "
            f"src/cachemodel/stats/schema.h becomes {found}. Where one was renamed or removed, CM_STATS_SCHEMA (and SCHEMA "
            "of python/tbrsim/files.py) grows by 1, too, and docs/statistics.md gets a row that says what it is now")

    def test_document(self):
        """The last version of the table is the header's, and the package's."""
        version, = re.findall(r"^#define CM_STATS_SCHEMA (\d+)$", HEADER, re.MULTILINE)
        page = (SOURCE / "docs/statistics.md").read_text()
        table = page[page.index("\n| schema |"):].split("\n\n")[0]
        rows = [row.split("|")[1].strip() for row in table.strip().splitlines()[2:]]
        self.assertEqual(rows, [str(number) for number in range(1, int(version) + 1)])
        package = (SOURCE / "python/tbrsim/files.py").read_text()
        self.assertEqual(re.findall(r"^SCHEMA = (\d+)$", package, re.MULTILINE), [version])


if __name__ == "__main__":
    tbrsim.main()
