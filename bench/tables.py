"""tables.py - writes the tables that pages quote, FOLDER/*.txt, from the CSV files of the same folder.

    python3 bench/tables.py [FOLDER]      default results
"""

from __future__ import annotations

import csv
from pathlib import Path
import sys
from typing import Any, Callable, Iterable, Sequence

Rows = list[dict[str, str]]


def read(path: Path, **wanted: str) -> Rows:
    """The rows of a CSV file in which the columns have these values."""
    with path.open(newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if all(row[name] == value for name, value in wanted.items())]


def text(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table whose first column is aligned to the left and the others to the right."""
    lines = [tuple(map(str, line)) for line in (heads, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    return "".join("  ".join((line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:]))))
                   .rstrip() + "\n" for line in lines)


def routers(folder: Path) -> str:
    """Each router's extremes over patterns, c and sides, where it ran as itself, one message per node."""
    rows = []
    runs = [row for row in read(folder / "routers.csv", ran_as="", refused="0", failed="0")
            if row["parameters"] in ("", "tree=auto") and int(row["messages_per_node"]) == 1]
    for name in sorted({row["router"] for row in runs}):
        for copy in ("free", "unit"):
            own = [row for row in runs if row["router"] == name and row["copy"] == copy]
            ratios = [float(row["steps_per_sqrt_cn"]) for row in own]
            rows.append((name, copy, len(own), f"{min(ratios):.2f}", f"{max(ratios):.2f}",
                         f"{max(float(row['steps_per_lower_bound']) for row in own):.1f}",
                         max(int(float(row["buffer_peak_max"])) for row in own)))
    return text(("router", "copy", "sets", "/sqrt(cn) from", "to", "/bound, most", "buffer peak"), rows)


def exponents(folder: Path) -> str:
    """Exponents on the sets of Theorem 1; "-" where the meshes are too small for a fit."""
    return text(("router", "x, of c", "+-", "y, of n", "+-", "scatter"), [
        (row["router"], *(f"{float(row[name]):.3f}" if row[name] else "-" for name in (
            "exponent_c", "exponent_c_error", "exponent_n", "exponent_n_error", "scatter")))
        for row in read(folder / "fits.csv", workload="worst", copy="free", parameters="", ran_as="")])


def trees(folder: Path) -> str:
    """Steps of the trees where a copy costs a step."""
    kinds = ("xy", "halves", "spread", "diag", "dds", "shortest", "up-down")
    steps: dict[str, dict[str, str]] = {}
    for row in read(folder / "routers.csv", router="trees", copy="unit", rows="64", asked_congestion="16"):
        line = steps.setdefault(row["workload"], {"bound": row["lower_bound"]})
        line[row["parameters"].partition("=")[2]] = row["steps"]
    return text(("c = 16", "bound", *kinds), [
        (name, line["bound"], *(line.get(kind, "-") for kind in kinds)) for name, line in sorted(steps.items())])


def sums(folder: Path) -> str:
    """Steps and packets of multicasts and sums of the same sets."""
    names = ("trees", "replicate", "circulate")
    lines: dict[str, list[str]] = {}
    for file in ("multicasts", "sums"):
        for row in read(folder / f"{file}.csv"):
            pattern = Path(row["set"]).stem
            lines.setdefault(pattern, [f"{float(row['lower_bound']):.0f}"]).append(f"{row['steps']} ({row['buffer_peak']})")
    return text(("steps (packets)", "bound", *names, *(f"sum: {name}" for name in names)),
                [(name, *cells) for name, cells in sorted(lines.items())])


def worst(folder: Path) -> str:
    """The largest share of each promise that a set reached."""
    most: dict[tuple[str, str], float] = {}
    for row in read(folder / "worst.csv"):
        if row["promised"]:
            key = row["router"], row["objective"]
            most[key] = max(most.get(key, 0), float(row["found"]) / float(row["promised"]))
    return text(("router", "objective", "found / promised"), [(*key, f"{share:.2f}") for key, share in most.items()])


GRAPHS = ("random 1024, 16, 4", "random 4096, 256, 4", "random 4096, 256, 16", "rs 1024, 64, 4", "rs 4096, 256, 16")


def expanders(folder: Path) -> str:
    """The bracket of each graph of bench/book.sh, in its order: inputs, groups, edges per input."""
    return text(("graph: p, c, r", "certified >=", "by", "found <=", "all but 1 in a million"), [
        (name, f"{float(row['lambda_certified']):.3f}", row["lambda_certified_by"], f"{float(row['lambda_found']):.3f}",
         f"{float(row['lambda_random']):.3f}")
        for name, row in zip(GRAPHS, read(folder / "expanders.csv"))])


def place(folder: Path) -> str:
    """Placements of each matrix beside each other, a block per figure."""
    names = "row", "hilbert", "METIS", "Scotch", "place"
    runs: dict[tuple[str, str], dict[str, dict[str, str]]] = {}
    more = folder / "place-more.csv"  # of files that are not in the tree
    for row in read(folder / "place.csv") + (read(more) if more.exists() else []):
        runs.setdefault((row["file"].rsplit(".", 1)[0], row["side"]), {})[row["placement"]] = row
    return "\n".join(text((head, "mesh", *names), [
        (file, side, *(of[name][figure] if name in of else "-" for name in names)) for (file, side), of in runs.items()])
        for head, figure in (("hops", "hops"), ("busiest link", "busiest_link"), ("steps of trees", "steps")))


TABLES: tuple[Callable[[Path], str], ...] = (routers, exponents, trees, sums, worst, expanders, place)


def main() -> None:
    """Writes all tables whose rows are there."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "results")
    for table in TABLES:
        try:
            (folder / f"{table.__name__}.txt").write_text(table(folder), encoding="utf-8")
        except FileNotFoundError as missing:
            print(f"tables.py: no {missing.filename}, so no table {table.__name__}", file=sys.stderr)


if __name__ == "__main__":
    main()
