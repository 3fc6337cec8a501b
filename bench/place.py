"""place.py PROGRAM [FILE SIDE]... - placements beside each other, as rows of CSV.

Of each file on a mesh: the orders row and hilbert, METIS's own parts (gpmetis, part i on node i; by bisections, as its
other way puts hundreds of items into one part), Scotch's mapping onto the mesh (scotch_gmap, by one thread, as it is
not deterministic with more), and the result of `place`, which must not be worse than any start; of expert routes also
the default, spread, and the result for the busiest link. Neither program is linked; where one is missing, so are its
rows. The hops are those that `plan --schemes vh` counts. METIS and Scotch see an edge between the source and each
destination of a message, or between each two experts of a token, and may give a node more items than an even share:
per_node is the most.

Without files: those of the tree, and two that are made, the expert routes and the spikes of doc/workloads.md.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from itertools import combinations
from pathlib import Path
from shutil import which

CASES = ("test/data/1138_bus.mtx 34x34 test/data/west0479.mtx 22x22 test/data/lp_e226.mtx 22x22 "
         "test/data/plskz362.mtx 20x20 test/data/delaunay_n10.mtx 32x32 test/data/G8.mtx 29x29 "
         "test/data/bcsstk09.mtx 16x16 test/data/p2p-Gnutella08.txt 80x80 test/data/adder_dcop_05.mtx 43x43 "
         "routes.jsonl 64x64 spikes.mcast 32x32").split()
SPIKES = "gen --side 32 --pattern populations --matrix doc/microcircuit.txt --per-node 80 --active 0.01 --seed 1 -q".split()
MOVES = {"spikes.mcast": ("--moves", 1000)}  # a move changes hundreds of trees of hundreds of destinations


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def report(*words):
    return json.loads(run(PROGRAM, *words, "--json"))


def write_routes(path):
    """Writes the log of doc/workloads.md."""
    state = 1
    with path.open("w") as file:
        for token in range(4096):
            experts = []
            while len(experts) < 4:
                state = state * 16807 % 2147483647
                expert = int(60 * (state / 2147483647) ** 1.2)
                experts += [expert] if expert not in experts else []
            print(json.dumps({"token": token, "topk_ids": experts}), file=file)


def messages(path):
    return [list(map(int, line.split())) for line in path.read_text().splitlines() if line[0].isdigit()]


def graph(sent, items, are_experts):
    """Returns each item's neighbours, with the number of messages that join them."""
    edges = [Counter() for _ in range(items)]
    for source, *others in sent:
        for one, other in combinations(others, 2) if are_experts else ((source, other) for other in others):
            if one != other:
                edges[one][other] += 1
                edges[other][one] += 1
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


def order(name):
    """Returns a maker of the nodes of items in an order, which the set of a path shows."""
    def make(edges, rows, cols, folder):
        (folder / "path.txt").write_text("".join(f"{i} {i + 1}\n" for i in range(rows * cols - 1)))
        run(PROGRAM, "import", folder / "path.txt", "--side", f"{rows}x{cols}", "--map", name, "-q", "-o", folder / "path")
        after = dict(messages(folder / "path"))
        nodes = list(set(after) - set(after.values()))
        while nodes[-1] in after:
            nodes.append(after[nodes[-1]])
        per_node = -(-len(edges) // len(nodes))
        return [nodes[i // per_node] for i in range(len(edges))]
    return make


def metis(edges, rows, cols, folder):
    arcs = sum(map(len, edges))
    (folder / "graph").write_text(text_of(edges, 1, f"{len(edges)} {arcs // 2} 001", False))
    run("gpmetis", "-ptype=rb", folder / "graph", rows * cols)
    return [int(word) for word in (folder / f"graph.part.{rows * cols}").read_text().split()]


def scotch(edges, rows, cols, folder):
    arcs = sum(map(len, edges))
    (folder / "scotch.grf").write_text(text_of(edges, 0, f"0\n{len(edges)} {arcs}\n0 010", True))
    run("amk_m2", cols, rows, folder / "scotch.tgt")
    run("scotch_gmap", folder / "scotch.grf", folder / "scotch.tgt", folder / "scotch.map")
    pairs = [line.split() for line in (folder / "scotch.map").read_text().splitlines()[1:]]
    return [node for _, node in sorted((int(item), int(node)) for item, node in pairs)]


MAKERS = {"row": order("row"), "hilbert": order("hilbert"), **({"METIS": metis} if which("gpmetis") else {}),
          **({"Scotch": scotch} if which("scotch_gmap") else {})}


def measure(set_file, figures, per_node):
    hops = report("plan", set_file, "--schemes", "vh")[0]["traffic"]
    assert figures.get("hops", hops) == hops
    return {"per_node": per_node, "hops": hops, **{key: figures.get(key) for key in ("busiest_link", "lower_bound")},
            "steps": report("route", set_file, "--router", "trees", "--copy", "free")["steps"],
            "cycles": report("network", set_file, "--scheme", "u-mesh", "--flits", 8)["cycles"]}


def figures_of(placed, name):
    return next(row for row in placed["placements"] if row["name"] == name)


def rows_of(path, side, folder):
    rows, cols = map(int, side.split("x"))
    files = {name: folder / name for name in ("set", "part", "placed")}
    are_experts, is_set = path.suffix == ".jsonl", path.suffix == ".mcast"
    with_part, where = "--place" if are_experts else "--part", () if is_set else ("--side", side)

    def place(*options):
        placed = report("place", path, "--side", side, *options)
        figure = "busiest_link" if "busiest-link" in options else "hops"
        assert placed[figure] == min(row[figure] for row in placed["placements"])
        return placed

    def imported(how, figures, per_node):
        run(PROGRAM, "import", path, *where, *how, "-q", "-o", files["set"])
        return measure(files["set"], figures, per_node)
    placed = place("-o", files["placed"], *MOVES.get(path.name, ()))
    if not is_set:
        run(PROGRAM, "import", path, "-q", "-o", files["set"], *(("--place", "block") if are_experts else ()))
    edges = graph(messages(path if is_set else files["set"]), placed["items"], are_experts)
    for name, maker in MAKERS.items():
        part = maker(edges, rows, cols, folder)
        most = max(Counter(part).values())
        files["part"].write_text("\n".join(map(str, part)) + "\n")
        figures = {}
        if most == 1 or not are_experts:  # `place` lets no node have several experts
            room = ("--per-node", most) if most > 1 else ()
            figures = figures_of(place(*room, "--part", files["part"], "--moves", 1), str(files["part"]))
        yield name, imported((with_part, files["part"]), figures, most)
    if are_experts:
        yield "spread", imported(("--place", "spread"), figures_of(placed, "spread"), placed["per_node"])
    yield "place", {**imported((with_part, files["placed"]), placed, placed["per_node"]), "least_hops": placed["least_hops"]}
    if are_experts:
        placed = place("-o", files["placed"], "--objective", "busiest-link")
        yield "place busiest-link", imported((with_part, files["placed"]), placed, placed["per_node"])


def main():
    words = sys.argv[2:] or CASES
    writer = csv.DictWriter(sys.stdout, ["file", "side", "placement", "per_node", "hops", "busiest_link", "lower_bound",
                                         "steps", "cycles", "least_hops"], lineterminator="\n")
    writer.writeheader()
    for path, side in zip(words[::2], words[1::2]):
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / path
            if path == "routes.jsonl":
                write_routes(made)
            elif path == "spikes.mcast":
                run(PROGRAM, *SPIKES, "-o", made)
            for name, row in rows_of(made if made.exists() else Path(path), side, Path(folder)):
                writer.writerow({"file": Path(path).name, "side": side, "placement": name, **row})
                sys.stdout.flush()


PROGRAM = sys.argv[1]
os.environ["SCOTCH_PTHREAD_NUMBER"] = "1"
main()
