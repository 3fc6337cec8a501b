"""page.py - puts the results of the experiments into doc/papers.md, and draws its pictures.

    python3 papers/page.py [--check] [--folder FOLDER] [--out FOLDER]

The page holds the prose; the lines between `<!-- table NAME -->` and `<!-- end -->` are those that the function NAME
of TABLES makes of the CSV files in FOLDER. --check only says whether the page's tables are these.
"""

from __future__ import annotations

import argparse
import csv
from fractions import Fraction
from pathlib import Path
import re
import subprocess
import sys
from typing import Any, Callable, Iterable, Sequence

PAGE = Path(__file__).resolve().parents[1] / "doc" / "papers.md"
Rows = list[dict[str, Any]]


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of a CSV file: numbers where a text is one, None where there is none."""
    def value(text: str) -> Any:
        try:
            return float(text) if text else None
        except ValueError:
            return text
    with path.open(newline="", encoding="utf-8") as file:
        return [{name: value(text) for name, text in row.items()} for row in csv.DictReader(file)]


class Results:
    """The rows of the experiments in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, Rows] = {}

    def __call__(self, name: str, **wanted: Any) -> Rows:
        """Rows in which the columns have these values."""
        if name not in self.known:
            self.known[name] = read(self.folder / f"{name}.csv")
        return [row for row in self.known[name] if all(row[column] == value for column, value in wanted.items())]

    def one(self, name: str, column: str, **wanted: Any) -> Any:
        """A column of the only such row."""
        (row,) = self(name, **wanted)
        return row[column]

    def distinct(self, name: str, column: str, **wanted: Any) -> list[Any]:
        """The values of a column, ascending."""
        return sorted({row[column] for row in self(name, **wanted)})


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], texts: int = 1) -> list[str]:
    """A table whose first `texts` columns hold text."""
    lines = ["| " + " | ".join(map(str, line)) + " |" for line in (heads, *rows)]
    return [lines[0], "|" + "---|" * texts + "---:|" * (len(heads) - texts), *lines[1:]]


# ---- tables ----

def worms(results: Results) -> list[str]:
    """Table 1 of Libeskind-Hadas et al., beside the closed forms that every count of the experiment agrees with."""
    forms = {
        "pure": ("n", "n", "41n/48 - 3/8 - 1/(6n)", "the same if n is even, + (n^2 + 5n + 5)/(16n^2) if it is odd"),
        "minimal": ("3n - 2", "3n - 4", "5n/3 - 2 + 4/(3n)", "the same"),
        "minimal, printed": ("3n - 2", "3n - 3", "5n/3 - 2 + 4/(3n)", "that + 1 - 2/n^2"),
        "dual": ("2", "2", "2 - 2/n^2", "the same"),
        "column": ("2n", "2n (2 if n = 2)", "2n - 2", "the same"),
        "schl": ("2n + 7", "2n + 7 from n = 4 on", "2n + 4 - 12/n + 4/n^2", "the same")}
    last = max(results.distinct("broadcast_worms", "n"))
    rows = []
    for scheme, (most, our_most, mean, our_mean) in forms.items():
        (counted,) = results("broadcast_worms", n=last, scheme=scheme)
        title = scheme.replace(", printed", "`, `variant=printed")
        rows.append((f"`{title}`", most, our_most, mean, our_mean,
                     f"{counted['most']:.0f}, {float(Fraction(counted['mean'])):.2f}"))
    return table(("scheme", "most: printed", "counted", "mean: printed", "counted", f"n = {last:.0f}"), rows, 5)


def star_costs(results: Results) -> list[str]:
    """Links and longest paths, relative to those of dual."""
    counts = results.distinct("stars", "destinations")[::len(results.distinct("stars", "destinations")) - 1]
    rows = []
    for scheme in dict.fromkeys(row["scheme"] for row in results("stars")):
        name, _, port = scheme.partition(", ")
        cells = []
        for cost in ("links", "longest"):
            for count in counts:
                own, dual = (results.one("stars", cost, destinations=count, scheme=one) for one in (scheme, "dual"))
                cells.append(f"{own / dual:.2f}")
        rows.append((f"`{name}`" + (f", `port={port}`" if port else ""), *cells))
    return table(("", *(f"{cost}, {count:.0f}" for cost in ("links", "longest path") for count in counts)), rows)


def deadlock(results: Results) -> list[str]:
    """Bursts that deadlock."""
    sources = (2, 8, 64)
    rows = []
    for scheme in ("vh", "diag", "dds"):
        for mode in dict.fromkeys(row["switching"] for row in results("deadlocks", scheme=scheme)):
            counts = [results.one("deadlocks", "deadlocks", scheme=scheme, switching=mode, sources=count)
                      for count in sources]
            rows.append((f"`{scheme}`", mode, *(f"{count:.0f}" for count in counts)))
    bursts = results("deadlocks")[0]["bursts"]
    return table(("", f"deadlocks of {bursts:.0f} bursts", *(f"{count} sources" for count in sources)), rows, 2)


TABLES: dict[str, Callable[[Results], list[str]]] = {
    function.__name__: function for function in (worms, star_costs, deadlock)}


# ---- pictures ----

M2, T2, M3 = "mesh:20x20", "torus:20x20", "mesh:10x10x10"
Curve = tuple[str, list[tuple[float, float, float, bool]]]  # x, y, half width, whether the point is saturated
DRAWN = ("dual", "column", "pure", "minimal", "schl", "vh", "diag", "dds", "min", "lin", "xy-path")


PALETTE = Path("chart/palette.c")


def look(scheme: str) -> str:
    """A scheme's colour and mark, those of PALETTE."""
    palette = PALETTE.read_text(encoding="utf-8")
    colours, marks, names = (re.findall(pattern, re.search(rf"{table}\[\] = {{(.*?)}};", palette, re.DOTALL)[1])
                             for table, pattern in (("COLOURS", r"0x(\w+)"), ("MARKS", r"\d+"), ("NAMES", r'"(.+?)"')))
    place, count = names.index(scheme), len(colours)
    return f"lc rgb '#{colours[place % count]}' pt {marks[(place + place // count) % count]}"


def darkened(picture: str) -> str:
    """The SVG with the style of dark pages, that of PALETTE."""
    quoted = re.search("<style>.*</style>", PALETTE.read_text(encoding="utf-8"), re.DOTALL)
    style = re.sub(r'"\s*"', "", quoted[0])
    return re.sub("<svg.*?>", lambda root: f"{root[0]}\n{style}", picture, count=1, flags=re.DOTALL)


def network_name(network: str) -> str:
    """The name of a network in a picture."""
    kind, sides = network.split(":")
    return f"{kind} {sides.replace('x', ' x ')}"


def curves(rows: Rows, x: str, y: str) -> list[Curve]:
    """A curve for each scheme that is drawn."""
    return [(scheme, [(row[x], row[y], row[f"{y} +-"] or 0, row.get("saturated") == "True") for row in rows
                      if row["scheme"] == scheme])
            for scheme in dict.fromkeys(row["scheme"] for row in rows) if scheme in DRAWN]


def draw(path: Path, columns: int, panels: list[tuple[str, str, str, list[Curve]]]) -> None:
    """Draws panels (title, x, y, curves) by gnuplot. Saturated points are open; the picture ends at four times the
    highest of the others."""
    lines = -(-len(panels) // columns)
    script = [f"set terminal svg noenhanced size {440 * columns},{345 * lines} font 'sans-serif,12' background 'white'",
              "set encoding utf8", "set tics nomirror scale 0.5", "set key below horizontal Left reverse samplen 2",
              "set grid xtics ytics lc rgb 'gray85' dt solid lw 0.5", f"set multiplot layout {lines},{columns}"]
    for title, x, y, shown in panels:
        points = [point for _, of_curve in shown for point in of_curve]
        steady = max([point[1] + point[2] for point in points if not point[3]], default=float("inf"))
        top = 1.05 * min(4 * steady, max(point[1] + point[2] for point in points))
        plots = []
        for i, (name, of_curve) in enumerate(shown):
            script += [f"$c{i} << END", *(f"{a:.10g} {b:.10g} {c:.10g} {d:d}" for a, b, c, d in of_curve), "END"]
            colour = look(name).partition(" pt")[0]
            plots += [f"$c{i} using 1:($2-$3):(0):(2*$3) with vectors heads size screen 0.004,90 fixed {colour} notitle",
                      f"$c{i} using 1:2 with linespoints {look(name)} ps 0.6 title '{name}'",
                      f"$c{i} using ($4 == 1 ? $1 : NaN):2 with points lc rgb 'white' pt 7 ps 0.25 notitle"]
        script += [f"set title '{title}'", f'set xlabel "{x}\\n" offset 0,0.5', f"set ylabel '{y}'",
                   f"set xrange [0:{1.05 * max(point[0] for point in points):.10g}]", f"set yrange [0:{top:.10g}]",
                   "plot " + ", ".join(plots)]
    try:
        drawn = subprocess.run(["gnuplot"], input="\n".join(script), capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        sys.exit("page.py: gnuplot draws the pictures; install it (Debian: gnuplot-nox)")
    path.write_text(darkened(drawn), encoding="utf-8")


def pictures(results: Results, folder: Path) -> None:
    """The pictures of the page."""
    rate = ("messages per node and µs", "latency, µs")
    draw(folder / "papers-loads.svg", 2, [
        (f"{count} destinations", *rate, curves(results("loads", destinations=count), "rate", "latency"))
        for count in (10, 20, 30)] + [
        ("0.006 messages per node and µs", "destinations", rate[1],
         curves(results("loads", rate=0.006), "destinations", "latency"))])
    draw(folder / "papers-bursts.svg", 2, [
        (f"bursts of {count} sources", "destinations", rate[1],
         curves(results("bursts", sources=count, router=5), "destinations", "latency")) for count in (128, 256)])
    for name, networks in (("papers-plane", (M2, T2)), ("papers-cube", (M3, "torus:10x10x10"))):
        draw(folder / f"{name}.svg", 2, [
            (f"{network_name(network)}, {cost}", "destinations K", unit,
             curves([row for row in results("trees", network=network, draw="uniform",
                                            option="wrap=last" if "torus" in network else None)
                     if row["destinations"] % 30 == 0], "destinations", cost))
            for network in networks for cost, unit in (("traffic", "links"), ("time", "hops"))])
    draw(folder / "papers-paths.svg", 2, [
        (f"mesh 20 x 20, {cost}", "destinations K", unit,
         curves([row for row in results("paths", draw="replacement") if row["destinations"] % 30 == 0],
                "destinations", cost))
        for cost, unit in (("traffic", "links"), ("time", "hops and flits"))])


def main() -> None:
    """Remakes the page, or checks it."""
    parser = argparse.ArgumentParser(description="Puts the measured tables into doc/papers.md.")
    parser.add_argument("--check", action="store_true", help="end with status 1 if a table differs")
    parser.add_argument("--folder", type=Path, default=Path(__file__).with_name("results"))
    parser.add_argument("--out", type=Path, default=PAGE.parent)
    options = parser.parse_args()
    results, old = Results(options.folder), PAGE.read_text(encoding="utf-8")

    def fill(part: re.Match[str]) -> str:
        return "\n".join((f"<!-- table {part[1]} -->", *TABLES[part[1]](results), "<!-- end -->"))
    new = re.sub(r"<!-- table (\w+) -->\n.*?<!-- end -->", fill, old, flags=re.S)
    unused = TABLES.keys() - set(re.findall(r"<!-- table (\w+) -->", new))
    if unused:
        sys.exit(f"page.py: doc/papers.md has no place for {', '.join(sorted(unused))}")
    if options.check:
        sys.exit(new != old and "page.py: the tables of doc/papers.md are not those of the results; `make papers`")
    (options.out / PAGE.name).write_text(new, encoding="utf-8")
    pictures(results, options.out)


if __name__ == "__main__":
    main()
