# SPDX-License-Identifier: MIT
"""What each draw call caused, as glretrace --pdrawcalls prints it: the rows of draws.csv by call, without a change of what is
counted; and what is said where there is no answer."""

import collections
import csv
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

COUNTERS = ("fragment_stage.fragments", "gpu.draws", "vertex_stage.vertices", "dram.total.read_bytes",
            "dram.total.write_bytes", "l2.total.misses")
# Zero in all captures, and so without a column.
ZERO = "vertex_stage.texture_reads"
AMD = "GL_AMD_performance_monitor: "


def printed_rows(text, kind):
    """The rows of a table of glretrace's, "call" or "frame", in its own order: fields, and values by counter."""
    rows, head = [], None
    for line in text.splitlines():
        fields = line.split("\t")
        if fields[0] == "#":
            head = fields
        elif fields[0] == kind:
            rows.append(dict(zip(head, fields)))
    return rows


def by_call(directory, counters):
    """Sums of draws.csv: of each call, of what is of no draw."""
    with open(pathlib.Path(directory, "draws.csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    numbers = {(row["pass_frame"], row["pass"], row["draw"]): row["call"] for row in rows if row["call"]}
    sums = collections.defaultdict(lambda: dict.fromkeys(counters, 0))
    for row in rows:
        call = numbers[row["pass_frame"], row["pass"], row["draw"]] if row["draw"] else None
        for counter in counters:
            sums[call][counter] += int(row.get(counter, 0))
    return sums


class DrawMetrics(tbrsim.DisplayTestCase):
    def setUp(self):
        super().setUp()
        self.trace = tbrsim.CAPTURES / "glmark2_shadow.trace"

    def attributed(self, *options):
        """The directory of an attributed replay of the shadow capture."""
        out = self.shared / "-".join(("attributed", *options)).replace("=", "")
        if not out.exists():
            self.fine("replay", "--attribute", "draw", *options, "--out", out, self.trace)
        return out

    def glretrace(self, *words, results, options=(), trace=None):
        """eglretrace by hand, with the results of an earlier run."""
        return tbrsim.run("run", "--out", self.directory, *options, "--", "eglretrace", "--headless", "--benchmark", *words,
                          trace or self.trace, variables={"TBRSIM_DRAW_RESULTS": str(results)})

    def check(self, capture, *options, counters=COUNTERS):
        out = self.shared / f"{capture}{'-'.join(options)}"
        printed = self.fine("replay", "--out", out, *options, "--pdrawcalls", ",".join(counters),
                            tbrsim.CAPTURES / f"{capture}.trace")
        wanted = by_call(out, counters)
        rows = printed_rows(printed, "call")
        calls = {row["call no"] for row in rows}
        self.assertEqual(len(calls), len(rows))
        self.assertLessEqual({call for call in wanted if call}, calls)
        total = tbrsim.total(out)
        for counter in counters:
            values = {row["call no"]: int(row[counter]) for row in rows}
            self.assertEqual(values, {call: wanted[call][counter] if call in wanted else 0 for call in values}, counter)
            self.assertEqual(sum(values.values()) + wanted[None][counter], total[counter], counter)
        self.assertGreater(sum(int(row["fragment_stage.fragments"]) > 0 for row in rows), 8)
        return rows

    def test_several_passes(self):
        rows = self.check("glmark2_shadow", counters=(*COUNTERS, ZERO))
        self.assertEqual({row[ZERO] for row in rows}, {"0"})

    def test_many_draws_a_pass(self):
        self.check("glmark2_desktop")

    def test_written_back_in_a_later_frame(self):
        """The LLC of imr-8m keeps what draws have written beyond their frame; the energy is of the same events."""
        self.check("glmark2_shadow", "--config", "imr-8m",
                   counters=("fragment_stage.fragments", "dram.total.write_bytes", "llc.total.writebacks"))
        self.check("glmark2_ideas", "--timing", "on",
                   counters=("fragment_stage.fragments", "operations.color_writes", "energy.vertex_stage.dynamic"))

    def test_frames(self):
        """--frames A-B: the draws before A are not simulated."""
        rows = self.check("glmark2_desktop", "--frames", "1-3")
        self.assertEqual(int(rows[4]["fragment_stage.fragments"]), 0)

    def test_counts_do_not_change(self):
        """Nor do the values of frames, which glretrace asks for in a replay before that of the draws."""
        results, plain = self.attributed(), self.shared / "plain"
        self.fine("replay", "--out", plain, self.trace)
        draws = "--pdrawcalls=" + AMD + ", ".join(COUNTERS)
        done = self.glretrace("--markers", draws, results=results)
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("tbrsim:", done.stderr)
        self.assertEqual((self.directory / "frames.csv").read_bytes(), (plain / "frames.csv").read_bytes())
        self.assertEqual(tbrsim.total(self.directory), tbrsim.total(plain))

        frames = "--pframes=" + AMD + "fragment_stage.fragments, gpu.passes"
        alone = tbrsim.run("run", "--out", self.directory, "--", "eglretrace", "--headless", "--benchmark", frames,
                           self.trace, check=True)
        both = self.glretrace("--markers", frames, draws, results=results)
        self.assertEqual(printed_rows(both.stdout, "frame"), printed_rows(alone.stdout, "frame"))
        self.assertEqual(printed_rows(both.stdout, "call"), printed_rows(done.stdout, "call"))
        self.assertEqual([int(row["fragment_stage.fragments"]) for row in printed_rows(both.stdout, "frame")[1:]],
                         [frame["fragment_stage.fragments"] for frame in tbrsim.frames(plain)])

    def test_results_that_cannot_be_read(self):
        nothing = self.directory / "nothing"
        self.assertIn(f"TBRSIM_DRAW_RESULTS: {nothing}/draws.csv: No such file or directory",
                      self.glretrace("--markers", results=nothing).stderr)
        nothing.mkdir()
        (nothing / "draws.csv").write_text("frame,pass_frame\n")
        self.assertIn("draws.csv: not a table of draws, or damaged",
                      self.glretrace("--markers", results=nothing).stderr)
        tbrsim.run("run", "--attribute", "draw", "--out", nothing, "--", "eglretrace", "--headless", "--benchmark",
                   self.trace, check=True)
        self.assertIn("draws.csv: its draws have no numbers of calls",
                      self.glretrace("--markers", results=nothing).stderr)

    def test_draws_that_are_not_known(self):
        draws = f"--pdrawcalls={AMD}gpu.draws"
        self.assertIn("a draw has no call number; they come from glretrace --markers",
                      self.glretrace(draws, results=self.attributed()).stderr)
        done = self.glretrace("--markers", draws, results=self.attributed(),
                              trace=tbrsim.CAPTURES / "glmark2_desktop.trace")
        self.assertEqual(done.stderr.count("has no draw of call 2786: it is of another trace, or of other frames"), 1)

    def test_counters_that_draws_have_not(self):
        done = self.glretrace("--markers", f"--pdrawcalls={AMD}gpu.frames, gpu.draws", results=self.attributed())
        self.assertEqual(done.stderr.count("gpu.frames is not attributed to draws; each gets 0"), 1)
        done = self.glretrace("--markers", f"--pdrawcalls={AMD}operations.color_writes", results=self.attributed(),
                              options=("--timing", "on"))
        self.assertEqual(done.stderr.count("not of a run that has the counter operations.color_writes"), 1)

    def test_options(self):
        for counters, message in (("gpu.draws,gpu.drawn", "has no counter 'gpu.drawn'"), ("", "has no counter ''"),
                                  ("gpu.frames", "gpu.frames is not attributed to draws"),
                                  ("texture_cache.0.total.reads", "is not attributed to draws")):
            done = tbrsim.run("replay", "--out", self.directory, "--pdrawcalls", counters, self.trace)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"--pdrawcalls: {'the configuration ' if 'no counter' in message else ''}", done.stderr)
            self.assertIn(message, done.stderr)
        done = tbrsim.run("replay", "--no-model", "--pdrawcalls", "gpu.draws", self.trace)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--pdrawcalls: draws have no counters with --no-model", done.stderr)


if __name__ == "__main__":
    tbrsim.main()
