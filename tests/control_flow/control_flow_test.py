# SPDX-License-Identifier: MIT
"""Instructions of shaders with control flow (control_flow.c) are those that ran: closed forms by hand, and what the shaders count
themselves. A frame is 32 x 32 quads of one primitive; a quad runs a loop as often as the pixel that runs it most often."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

QUADS = 32 * 32
# color * color + bias: four multiply-adds.
BODY = 4
# A loop adds to its counter, compares it, and jumps out or not; the last time it does nothing but compare and jump.
LOOP = 3


class ControlFlow(tbrsim.DisplayTestCase):
    def run_case(self, name, p, q=0, *options, out="live", variables=None):
        """A case's frame, and what its shaders counted, a list a quad, a vertex or four invocations."""
        result = tbrsim.run("run", *options, "--config", "tcor-64k", "--timing", "on", "--out", self.directory / out, "--",
                            tbrsim.arguments.control_flow, name, p, q, check=True, variables=variables)
        frame, = tbrsim.frames(self.directory / out)
        return frame, [[int(word) for word in line.split()[1:]] for line in result.stdout.splitlines()
                       if line.startswith("counted")]

    def instructions(self, name, p, q=0, counter="quad"):
        return self.run_case(name, p, q)[0][f"operations.{counter}_instructions"]

    def test_loop(self):
        """So many iterations cost so many times as much, unrolled or not; a loop that is not unrolled has its own instructions."""
        found = {n: self.instructions("loop", n) for n in (4, 8, 16, 64, 128, 256)}
        self.assertEqual(found[8] - found[4], 4 * BODY * QUADS)
        self.assertEqual(found[16] - found[8], 8 * BODY * QUADS)
        self.assertEqual(found[128] - found[64], 64 * (BODY + LOOP) * QUADS)
        self.assertEqual(found[256] - found[128], 128 * (BODY + LOOP) * QUADS)
        # Cycles follow, on four processors.
        frames = {n: self.run_case("loop", n)[0] for n in (128, 256)}
        cycles = frames[256]["gpu.cycles"] - frames[128]["gpu.cycles"]
        self.assertAlmostEqual(cycles, 128 * (BODY + LOOP) * QUADS / 4, delta=0.01 * cycles)
        energy = frames[256]["energy.fragment_stage.dynamic"] / frames[128]["energy.fragment_stage.dynamic"]
        self.assertAlmostEqual(energy, found[256] / found[128], places=3)

    def test_unknown_number(self):
        found = {n: self.instructions("loop_unknown", n) for n in (0, 1, 4, 5, 32, 256)}
        per_iteration = (BODY + LOOP) * QUADS
        for n, count in found.items():
            self.assertEqual(count, found[0] + n * per_iteration, n)

    def test_per_pixel(self):
        """What each quad costs, with what the shader counted as reference, and by hand."""
        for first in 3, 40:
            frame, counted = self.run_case("loop_per_pixel", first)
            by_hand = [[first + x + i % 2 + 2 * (y + i // 2) for i in range(4)] for y in range(0, 64, 2) for x in range(0, 64, 2)]
            self.assertEqual(counted, by_hand)
            found = frame["operations.quad_instructions"], sum(max(quad) for quad in counted)
            if first == 3:
                before = found
        # One instruction more an iteration: it counts.
        self.assertEqual(found[0] - before[0], (found[1] - before[1]) * (BODY + LOOP + 1))

    def test_nested(self):
        """Second differences are those of the inner loop."""
        found = {(p, q): self.instructions("nested", p, q) for p in (0, 3, 40) for q in (0, 7, 50)}
        inner = BODY + LOOP
        for p, q in found:
            self.assertEqual(found[p, q] - found[p, 0] - found[0, q] + found[0, 0], p * q * inner * QUADS)
        # Of the outer one: an addition of four components, what a loop has, and the inner one's last comparison and jump, and
        # what sets its counter, which is no instruction.
        self.assertEqual(found[40, 0] - found[3, 0], 37 * (4 + LOOP + 2) * QUADS)

    def test_jumps(self):
        """An inner loop that breaks, by pixel, and an outer one that continues: what runs is the union of a quad's pixels."""
        def runs(left, top, limit):
            """Heads of the inner loop, and its bodies."""
            heads = bodies = 0
            pixels = [(left + i % 2, top + i // 2) for i in range(4)]
            for i in range(max(x // 4 for x, _ in pixels)):
                inside = [(x, y) for x, y in pixels if i < x // 4 and i != y % 5]
                for j in range(limit + 1):
                    heads += bool(inside)
                    inside = [(x, y) for x, y in inside if j < limit and j <= i + y % 3]
                    bodies += bool(inside)
            return heads, bodies
        quads = [(x, y) for y in range(0, 64, 2) for x in range(0, 64, 2)]
        found, by_hand = {}, {}
        for limit in 40, 50, 2, 3, 7:
            frame, counted = self.run_case("nested_per_pixel", limit)
            by_quad = [runs(x, y, limit) for x, y in quads]
            self.assertTrue(all(max(pixels) <= quad[1] for pixels, quad in zip(counted, by_quad)))
            found[limit] = frame["operations.quad_instructions"]
            # Two comparisons, of which one jump is made; what is in the body, with both counters.
            by_hand[limit] = sum(4 * heads + (BODY + 2) * bodies for heads, bodies in by_quad)
        self.assertEqual(found[40], found[50])  # no loop gets there
        for limit in 3, 7, 40:
            self.assertEqual(found[limit] - found[2], by_hand[limit] - by_hand[2], limit)

    def test_branch(self):
        """Each side costs by the number of columns of quads of which a pixel takes it."""
        for case, has_else in ("branch", False), ("both_sides", True):
            found = {p: self.instructions(case, p, 5) for p in (0, 1, 2, 3, 32, 63, 64)}
            # Of 32 columns of quads: those with pixels to the left of column p, and to the right.
            taken = {p: (-(-p // 2), 32 - p // 2) for p in found}
            then = (found[1] - found[0]) / 32
            other = (found[63] - found[64]) / 32 if has_else else 0
            self.assertGreaterEqual(then, 5 * (BODY + LOOP))
            self.assertGreaterEqual(other, 10 * (BODY + LOOP) * has_else)
            for p, count in found.items():
                self.assertEqual(count - found[0], 32 * (then * taken[p][0] + other * (taken[p][1] - 32)), (case, p))

    def test_leaves(self):
        """Quads whose pixels are all discarded, or have returned, run nothing more."""
        for case in "discard", "early_return":
            found = {p: self.instructions(case, p, 5) for p in (0, 1, 2, 3, 16, 64)}
            rest = (found[0] - found[64]) / 32
            self.assertGreaterEqual(rest, 32 * (5 * (BODY + LOOP) if case == "early_return" else 4))
            for p in 1, 2, 3, 16:
                self.assertEqual(found[0] - found[p], rest * (p // 2), (case, p))

    def test_function(self):
        """A function that is called twice."""
        found = {(p, q): self.instructions("function", p, q) for p, q in ((0, 0), (9, 0), (0, 33), (9, 33))}
        self.assertEqual(found[9, 0] - found[0, 0], 9 * (BODY + LOOP) * QUADS)
        self.assertEqual(found[9, 33] - found[0, 0], (9 + 33) * (BODY + LOOP) * QUADS)

    def test_vertex(self):
        """Each vertex as often as it says; the shader counts, which is an instruction more."""
        found = {}
        for first in 40, 90:
            frame, counted = self.run_case("vertex", first)
            self.assertEqual(counted, [[first + 3 * n] for n in range(50)])
            self.assertEqual(frame["vertex_stage.vertices"], 50)
            found[first] = frame["operations.vertex_instructions"]
        self.assertEqual(found[90] - found[40], 50 * 50 * (BODY + LOOP + 1))

    def test_compute(self):
        """Four invocations as often as the one that runs most often; what is behind the barrier as often as it runs there."""
        found = {}
        for first, second in (40, 0), (90, 0), (40, 1), (40, 4), (40, 5), (40, 40):
            frame, counted = self.run_case("compute", first, second)
            self.assertEqual([value for line in counted for value in line], [first + n % 40 % 7 for n in range(160)])
            found[first, second] = frame["operations.quad_instructions"]
        self.assertEqual(found[90, 0] - found[40, 0], 50 * 40 * (BODY + LOOP + 1))
        behind = found[40, 4] - found[40, 0]
        self.assertGreater(behind, 0)
        self.assertEqual(found[40, 1], found[40, 4])
        self.assertEqual(found[40, 5] - found[40, 0], 2 * behind)
        self.assertEqual(found[40, 40] - found[40, 0], 10 * behind)

    def test_recordings_and_threads(self):
        """Live, from a recording, in both modes, and with any number of threads, to the byte."""
        for case, p in ("nested_per_pixel", 40), ("discard", 31), ("vertex", 9), ("compute", 9):
            recording = self.directory / f"{case}.tbr"
            self.run_case(case, p, 7, "--record", recording)
            live = (self.directory / "live" / "frames.csv").read_bytes()
            for threads in "1", "4":
                self.run_case(case, p, 7, "--set", f"threads={threads}", out="threads")
                self.assertEqual((self.directory / "threads" / "frames.csv").read_bytes(), live)
            for threads in "1", "3":
                tbrsim.run("sim", "--model-threads", threads, "--timing", "on", "--config", "tcor-64k",
                           "--out", self.directory / "sim", recording, check=True)
                self.assertEqual((self.directory / "sim" / "frames.csv").read_bytes(), live)
            tbrsim.run("info", "--check", recording)
            self.run_case(case, p, 7, "--set", "mode=tbdr", out="deferred")
            deferred = (self.directory / "deferred" / "frames.csv").read_bytes()
            tbrsim.run("sim", "--timing", "on", "--config", "tcor-64k", "--set", "mode=tbdr", "--out", self.directory / "sim",
                       recording, check=True)
            self.assertEqual((self.directory / "sim" / "frames.csv").read_bytes(), deferred)


if __name__ == "__main__":
    tbrsim.main("control-flow")
