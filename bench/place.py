"""place.py PROGRAM [FILE SIDE]... - placements beside each other, as rows of CSV.

Of each file on a mesh: the orders row and hilbert, METIS's own parts (gpmetis, part i on node i), Scotch's mapping
onto the mesh (scotch_gmap, by one thread, as it is not deterministic with more), and the result of `place`. Neither is linked; where one is missing, so are its rows. The
hops are those that `plan --schemes vh` counts. METIS and Scotch see an edge between the source and each destination of a
message, and may give a node more items than an even share: per_node is the most.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from shutil import which

CASES = ("test/data/1138_bus.mtx 34x34 test/data/west0479.mtx 22x22 test/data/lp_e226.mtx 22x22 "
         "test/data/plskz362.mtx 20x20 test/data/delaunay_n10.mtx 32x32 test/data/G8.mtx 29x29 "
         "test/data/bcsstk09.mtx 16x16").split()


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def report(*words):
    return json.loads(run(PROGRAM, *words, "--json"))


def graph(path, items):
    """Returns each item's neighbours, with the number of messages that have one as source, one as destination."""
    edges = [Counter() for _ in range(items)]
    for line in path.read_text().splitlines():
        if line[0].isdigit():
            source, *destinations = map(int, line.split())
            for other in destinations:
                if other != source:
                    edges[source][other] += 1
                    edges[other][source] += 1
    return edges


def text_of(edges, first, head, weight_first):
    lines = [head]
    for own in edges:
        words = [] if first else [str(len(own))]
        for other, weight in sorted(own.items()):
            pair = [str(other + first), str(weight)]
            words += pair[::-1] if weight_first else pair
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def metis(edges, rows, cols, folder):
    arcs = sum(map(len, edges))
    (folder / "graph").write_text(text_of(edges, 1, f"{len(edges)} {arcs // 2} 001", False))
    run("gpmetis", folder / "graph", rows * cols)
    return [int(word) for word in (folder / f"graph.part.{rows * cols}").read_text().split()]


def scotch(edges, rows, cols, folder):
    arcs = sum(map(len, edges))
    (folder / "scotch.grf").write_text(text_of(edges, 0, f"0\n{len(edges)} {arcs}\n0 010", True))
    run("amk_m2", cols, rows, folder / "scotch.tgt")
    run("scotch_gmap", folder / "scotch.grf", folder / "scotch.tgt", folder / "scotch.map")
    pairs = [line.split() for line in (folder / "scotch.map").read_text().splitlines()[1:]]
    return [node for _, node in sorted((int(item), int(node)) for item, node in pairs)]


def measure(set_file, figures, per_node):
    assert report("plan", set_file, "--schemes", "vh")[0]["traffic"] == figures["hops"]
    return {"per_node": per_node, **{key: figures[key] for key in ("hops", "busiest_link", "lower_bound")},
            "steps": report("route", set_file, "--router", "trees", "--copy", "free")["steps"],
            "cycles": report("network", set_file, "--scheme", "u-mesh", "--flits", 8)["cycles"]}


def figures_of(placed, name):
    return next(row for row in placed["placements"] if row["name"] == name)


def rows_of(path, side, folder):
    rows, cols = map(int, side.split("x"))
    files = {name: folder / name for name in ("set", "part", "placed")}
    placed = report("place", path, "--side", side, "-o", files["placed"])
    items, per_node = placed["items"], placed["per_node"]
    run(PROGRAM, "import", path, "-q", "-o", files["set"])
    edges = graph(files["set"], items)
    for order in "row", "hilbert":
        run(PROGRAM, "import", path, "--side", side, "--per-node", per_node, "--map", order, "-q", "-o", files["set"])
        yield order, measure(files["set"], figures_of(placed, order), per_node)
    makers = {"METIS": metis if which("gpmetis") else None, "Scotch": scotch if which("scotch_gmap") else None}
    for name, maker in makers.items():
        if maker is not None:
            part = maker(edges, rows, cols, folder)
            most = max(Counter(part).values())
            files["part"].write_text("\n".join(map(str, part)) + "\n")
            run(PROGRAM, "import", path, "--side", side, "--part", files["part"], "-q", "-o", files["set"])
            other = report("place", path, "--side", side, "--per-node", most, "--part", files["part"], "--moves", 1)
            yield name, measure(files["set"], figures_of(other, str(files["part"])), most)
    run(PROGRAM, "import", path, "--side", side, "--part", files["placed"], "-q", "-o", files["set"])
    yield "place", {**measure(files["set"], placed, per_node), "least_hops": placed["least_hops"]}


def main():
    words = sys.argv[2:] or CASES
    writer = csv.DictWriter(sys.stdout, ["file", "side", "placement", "per_node", "hops", "busiest_link", "lower_bound",
                                         "steps", "cycles", "least_hops"], lineterminator="\n")
    writer.writeheader()
    for path, side in zip(words[::2], words[1::2]):
        with tempfile.TemporaryDirectory() as folder:
            for name, row in rows_of(path, side, Path(folder)):
                writer.writerow({"file": Path(path).name, "side": side, "placement": name, **row})
                sys.stdout.flush()


PROGRAM = sys.argv[1]
os.environ["SCOTCH_PTHREAD_NUMBER"] = "1"
main()
