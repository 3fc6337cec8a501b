"""broken.py - what multicasts cost on broken meshes, against the share of faults: results/broken.csv, doc/broken.svg.

    python3 bench/broken.py PROGRAM RESULTS PICTURES [quick]

Each row is a burst of whole runs on the network, the mean over SEEDS draws of faults: SHARE of the nodes are dead, and half that
share of the pairs of neighbours are apart. Every message has 4 flits, and buffers hold it (cut-through), so nothing deadlocks.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
import subprocess
import sys

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "papers"))
from page import draw  # noqa: E402

SHARES, SEEDS, FLITS = (0, 0.01, 0.02, 0.04, 0.08), (1, 2), 4
SCHEMES = {"unicast": "routing=up-down", "u-mesh": "routing=up-down", "vh": "paths=up-down"}
GRAPH, ITEMS = "test/data/p2p-Gnutella08.txt", 6301
WORKLOADS = {"expert routes": ["gen", "--pattern", "moe"], "uniform": ["gen", "--pattern", "uniform", "--degree", "4"],
             "matrix": ["import", GRAPH]}
FIGURES = ("cycles", "lower_bound", "channel_crossings", "deliveries", "missing_nodes", "missing_links")


def run(program: str, *words: str) -> str:
    """What the program prints."""
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


def make_set(program: str, workload: str, side: int, without: list[str]) -> None:
    """Makes the set of a workload for the nodes that remain."""
    words = WORKLOADS[workload]
    if words[0] == "import":
        lines = Path(without[1]).read_text(encoding="utf-8").splitlines() if without else []
        dead = {int(line.split()[1]) for line in lines if line.startswith("node ")}
        live = [node for node in range(side * side) if node not in dead]
        Path("build/broken.part").write_text("".join(f"{live[i * len(live) // ITEMS]}\n" for i in range(ITEMS)),
                                             encoding="utf-8")
        run(program, *words, "--side", str(side), "--part", "build/broken.part", "-q", "-o", "build/broken.mcast")
    else:
        run(program, *words, *without, "--side", str(side), "--seed", "1", "-q", "-o", "build/broken.mcast")


def measure(program: str, side: int, share: float, seed: int) -> list[dict[str, object]]:
    """A row for each workload and scheme."""
    without = ["--without", "build/broken.txt"] if share else []
    if share:
        run(program, "gen", "--side", str(side), "--faults", f"nodes={share:g},links={share / 2:g}", "--seed", str(seed),
            "-q", "-o", "build/broken.txt")
    rows: list[dict[str, object]] = []
    for workload in WORKLOADS:
        make_set(program, workload, side, without)
        for scheme, parameter in SCHEMES.items():
            result = json.loads(run(program, "network", "build/broken.mcast", *without, "--scheme", scheme, "--param",
                                    parameter, "--switching", "cut-through", "--buffer", str(FLITS), "--flits",
                                    str(FLITS), "--json"))
            rows.append({"workload": workload, "side": side, "share": share, "seed": seed, "scheme": scheme,
                         **{name: result.get(name, 0) for name in FIGURES}})
    return rows


def mean(rows: list[dict], workload: str, side: int, share: float, scheme: str) -> float:
    """The mean cycles of a point over its seeds."""
    cycles = [row["cycles"] for row in rows if (row["workload"], row["side"], row["share"], row["scheme"]) ==
              (workload, side, share, scheme)]
    return sum(cycles) / len(cycles)


def main() -> None:
    """Runs all points, and writes the rows and the picture."""
    program, results, pictures = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    sides = (16, 32) if "quick" in sys.argv else (32, 64)
    rows = [row for side in sides for share in SHARES for seed in (SEEDS if share else SEEDS[:1])
            for row in measure(program, side, share, seed)]
    with (results / "broken.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    draw(pictures / "broken.svg", 2, [
        (f"{workload}, {side} x {side}", "nodes that are dead, %", "cycles",
         [(scheme, [(100 * share, mean(rows, workload, side, share, scheme), 0, False) for share in SHARES])
          for scheme in SCHEMES]) for workload in WORKLOADS for side in sides])


if __name__ == "__main__":
    main()
