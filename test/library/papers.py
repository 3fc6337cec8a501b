"""papers.py - the experiments of the papers: closed forms, formulas of latency, the same bytes, the page's tables.

Experiments run at their tiny size. broadcast_worms fails by itself where a count is not its closed form.
MESHCAST_LIBRARY names the library.
"""

import filecmp
from pathlib import Path
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, "papers")

import experiments  # noqa: E402
import page  # noqa: E402
import study  # noqa: E402


def run(folder, processes, *names):
    """Runs experiments as `make papers` does."""
    subprocess.run([sys.executable, "papers/experiments.py", "--tiny", "--folder", folder,
                    "--processes", str(processes), *names], check=True, stdout=subprocess.DEVNULL)


class Papers(unittest.TestCase):
    """Each test begins with a line that says what it checks."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_same_bytes(self):
        """Every experiment writes the same bytes with one process and with three."""
        one, three = Path(self.folder.name, "one"), Path(self.folder.name, "three")
        run(one, 1)
        run(three, 3)
        self.assertEqual([file.stem for file in sorted(one.iterdir())], sorted(experiments.EXPERIMENTS))
        for file in one.iterdir():
            self.assertTrue(filecmp.cmp(file, three / file.name, shallow=False), file.name)

    def test_closed_forms(self):
        """The worms of all-to-all broadcasts are those of the closed forms, and where Table 1 holds, its own."""
        for n in range(2, 8):
            for title in experiments.WORMS:
                (_, _, most, mean, printed_most, printed_mean), = experiments.broadcast_worms(n, title)
                if title == "pure":
                    self.assertEqual((most, mean == printed_mean), (printed_most, n % 2 == 0))
                    self.assertEqual(mean - printed_mean, experiments.Fraction(
                        n * n + 5 * n + 5, 16 * n * n) if n % 2 else 0)
                if title == "minimal":
                    self.assertEqual((most, mean), (printed_most - 2, printed_mean))

    def test_latencies(self):
        """A worm takes its distance and its flits; a message that is stored at each node, their product."""
        for _, distance, cycles in experiments.switching("wormhole"):
            self.assertEqual(cycles, distance + 21)
        for _, distance, cycles in experiments.switching("store-and-forward"):
            self.assertEqual(cycles, 20 * (distance + 2))

    def test_bounds(self):
        """On 4 x 4 nodes no tree waits longer than the thesis allows."""
        for scheme, count, _, wait, _, beyond_time in experiments.worst_cases():
            if scheme == "vh":
                self.assertLessEqual(wait, 1)
            elif scheme != "min":
                self.assertLessEqual(wait, count - 1)
            self.assertGreaterEqual(beyond_time, 0)

    def test_draws(self):
        """Draws are of distinct nodes but the source, as many as are wanted; a walk prefers low numbers."""
        for name, draw in study.DRAWS.items():
            high = every = 0
            for seed in range(100):
                taken = draw(study.Random(seed), 400, 7 * seed % 400, 190)
                self.assertEqual(len(set(taken)), len(taken))
                self.assertTrue(len(taken) <= 190 if name == "replacement" else len(taken) == 190)
                self.assertTrue(all(0 <= node < 400 and node != 7 * seed % 400 for node in taken))
                high += sum(node >= 360 for node in taken)
                every += len(taken)
            self.assertEqual(high < 0.08 * every, name == "scan", name)

    def test_half_widths(self):
        """Half widths are those of Student's tables, within a thousandth."""
        for count, student in ((2, 12.706), (11, 2.228), (31, 2.042), (32, 2.040), (61, 2.000), (121, 1.980)):
            values = [0.0, 1.0] * (count // 2) + [0.5] * (count % 2)
            spread = study.statistics.stdev(values) / count ** 0.5
            self.assertAlmostEqual(study.half_width(values) / spread / student, 1, delta=0.002)

    def test_page(self):
        """The tables of doc/papers.md are those of papers/results; one changed figure is found."""
        self.assertEqual(subprocess.run([sys.executable, "papers/page.py", "--check"], check=False).returncode, 0)
        for file in page.PAGE.parents[1].joinpath("papers/results").iterdir():
            text = file.read_text(encoding="utf-8")
            if file.stem == "broadcast_worms":
                text = text.replace("16,dual,2,", "16,dual,3,")
            Path(self.folder.name, file.name).write_text(text, encoding="utf-8")
        self.assertEqual(subprocess.run([sys.executable, "papers/page.py", "--check", "--folder", self.folder.name],
                                        check=False, stderr=subprocess.DEVNULL).returncode, 1)


if __name__ == "__main__":
    unittest.main()
