"""tables.py - measures the tables of the pages under doc/ and prints them in Markdown, a row as it comes.

    MESHCAST_LIBRARY=build/threads python3 bench/tables.py NAME [SIDE ...]

NAME is one of

    replicate   bench.md: its steps beside S + 2 m, its buffer beside its capacity      64 128, and matrices of test/data
    random      theorem3.md: `random` and `stream` beside 6 S + 10 m l, 1.6 S + 4 m l   64; exponents also 2 m
    expander    theorem4.md: both kinds of graph, with the walk and without             64
    attempts    attempts.md: steps where nodes guess c, beside those where they know it 32 64
    several     several.md: sets in which a node sends several messages                 32
    trees       trees.md: the router's trees where copies cost a step                   64
    growth      growth.md: processor time and memory, each run in a process of its own  64 128 256 512
    threads     two threads beside one, alone and beside one and two busy loops         64 128 256 512
    expanders   expanders.md: how well graphs are known to expand

Sides are those at the right unless they are given. m is the side, n = m^2, S = sqrt(l c n). Figures are the machine's own
counts of whole runs, whose deliveries are checked. Patterns have the seed 1, those of `trees` 0. A
figure beyond a goal is followed by !.
"""

from __future__ import annotations

from math import log, sqrt
from multiprocessing import Pool, Process
from pathlib import Path
import resource
import statistics
import subprocess
import sys
from tempfile import TemporaryDirectory
import time
from typing import Any, Iterator, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

import meshcast  # noqa: E402

ONCE = "uniform worst hotspot block broadcast scan rmat column turning moe allgather".split()
PERMUTATIONS = "permutation transpose bitreverse".split()
PATTERNS = PERMUTATIONS + ONCE
MATRICES = "1138_bus.mtx G8.mtx adder_dcop_05.mtx bcsstk09.mtx delaunay_n10.mtx lp_e226.mtx p2p-Gnutella08.txt " \
           "plskz362.mtx west0479.mtx"


def row(*cells: Any) -> None:
    """Prints a row of a table."""
    print("|", *(f"{cell} |" for cell in cells), flush=True)


def head(columns: str) -> None:
    """Prints the head of a table from the names of its columns, with a bar between two."""
    print()
    names = [name.strip() for name in columns.split("|")]
    row(*names)
    row(*("---" for _ in names))


def mark(figure: float, goal: float) -> str:
    """! if the figure is beyond the goal."""
    return "!" if figure > goal else ""


def pattern(name: str, side: int, congestion: int | None = None, **more: Any) -> meshcast.Set | None:
    """A pattern's set; None if it cannot have such figures."""
    try:
        return meshcast.Set.generate(name, side=side, congestion=congestion, **{"seed": 1, **more})
    except meshcast.UsageError:
        return None


def patterns(names: list[str], side: int, congestion: int) -> Iterator[tuple[str, meshcast.Set]]:
    """The sets of the patterns that have exactly this congestion."""
    for name in names:
        traffic = pattern(name, side, congestion)
        if traffic is not None and traffic.congestion == congestion:
            yield name, traffic


def matrices() -> Iterator[tuple[str, meshcast.Set]]:
    """The sets of the matrices under test/data."""
    for name in MATRICES.split():
        yield name.split(".")[0], meshcast.Set.from_file(ROOT / "test/data" / name)


def congestions(side: int, *numbers: int) -> list[int]:
    """Those for which a tile has four nodes per side at least."""
    return [c for c in numbers if side * side >= 16 * c]


def own(result: meshcast.Result) -> int:
    """Steps without those of synchronisation."""
    return result.steps - result.sync_steps


class Worst:
    """The most of a figure, and the set that has it."""

    def __init__(self) -> None:
        self.name, self.figure = "-", 0.0

    def take(self, name: str, figure: float) -> None:
        if figure > self.figure:
            self.name, self.figure = name, figure


# ---- a router beside its goals ----

def replicate(sides: list[int]) -> None:
    head("m | set | d | c | steps, free | / S | goal | steps, unit | goal | peak | capacity | / lower bound")
    sets = [(name, traffic) for side in sides or [64, 128] for c in congestions(side, 1, 16, 64, 256)
            for name, traffic in patterns(PERMUTATIONS if c == 1 else ONCE, side, c)]
    for name, traffic in sets + list(matrices()):
        free, unit = (meshcast.route(traffic, "replicate", copy=copy) for copy in ("free", "unit"))
        side, root = traffic.rows, traffic.sqrt_cn
        goal = root + 2 * side
        row(side, name, traffic.degree, traffic.congestion, f"{free.steps}{mark(free.steps, goal)}",
            f"{free.steps / root:.2f}", f"{goal:.0f}", f"{unit.steps}{mark(unit.steps, 1.6 * goal)}",
            f"{1.6 * goal:.0f}", max(free.buffer_peak, unit.buffer_peak), unit.buffer_capacity,
            f"{free.steps / traffic.info(copy='free').lower_bound:.1f}")


GOALS = {"random": (6, 10), "stream": (1.6, 4)}


def random(sides: list[int]) -> None:
    head("m | c | router | sets | worst, free | / goal | worst, unit + sync | / goal | peak, free | peak, unit")
    for side in sides or [64]:
        for c in congestions(side, 1, 16, 64, 256):
            sets = list(patterns(PATTERNS + ["alltoall"], side, c))
            for router, (per_root, per_side) in GOALS.items():
                worst, peak = {"free": Worst(), "unit": Worst()}, {"free": 0, "unit": 0}
                for name, traffic in sets:
                    for copy, allowance in (("free", 1.0), ("unit", 1.6)):
                        result = meshcast.route(traffic, router, copy=copy)
                        goal = per_root * traffic.sqrt_cn + per_side * side * traffic.messages_per_node
                        steps = own(result) if copy == "free" else result.steps
                        worst[copy].take(f"{name}, {steps}", steps / goal / allowance)
                        peak[copy] = max(peak[copy], result.buffer_peak)
                row(side, c, router, len(sets), *(cell for one in worst.values() for cell in (
                    one.name, f"{one.figure:.2f}{mark(one.figure, 1)}")), peak["free"], peak["unit"])
    exponents(sides or [64])


def exponents(sides: list[int]) -> None:
    """Prints steps after Step 1 without synchronisation (uniform sets, d = c, free copies), and x and y of the fit
    log steps = a + x log c + y log n."""
    head("m | c | random | / S | stream | / S")
    points: dict[str, list[tuple[float, float, float]]] = {router: [] for router in GOALS}
    for side in sorted({*sides, *(2 * side for side in sides)}):
        for c in (c for c in (16, 64, 256) if side * side >= 64 * c):
            traffic = meshcast.Set.generate("uniform", side=side, degree=c, congestion=c, seed=1)
            cells: list[Any] = []
            for router in GOALS:
                steps = sum(phase.steps for phase in meshcast.route(traffic, router, copy="free").phases
                            if phase.name != "sync" and not phase.name.startswith("scatter"))
                cells += [steps, f"{steps / traffic.sqrt_cn:.3f}"]
                points[router].append((log(c), log(side * side), log(steps)))
            row(side, c, *cells)
    head("router | runs | exponent of c | of n")
    for router, point in points.items():
        if len(point) < 4:
            continue
        c, n, steps = ([value - statistics.fmean(column) for value in column] for column in zip(*point))

        def dot(a: list[float], b: list[float]) -> float:
            return sum(x * y for x, y in zip(a, b))

        whole = dot(c, c) * dot(n, n) - dot(c, n) ** 2
        row(router, len(point), f"{(dot(n, n) * dot(c, steps) - dot(c, n) * dot(n, steps)) / whole:.3f}",
            f"{(dot(c, c) * dot(n, steps) - dot(c, n) * dot(c, steps)) / whole:.3f}")


def against(folder: str, side: int, c: int, kind: str) -> Iterator[tuple[str, meshcast.Set]]:
    """Sets made against the graph of a run: blocks filled from messages with many replicas in a share of the groups."""
    inputs, q = side * side // 4, c // 4
    graph = meshcast.Expander.random(inputs, c, 4) if kind == "random" else meshcast.Expander.reed_solomon(
        -(-inputs // q) * q, 4, q)
    graph.write(f"{folder}/graph")
    for share in ("1/8", "1/4", "1/2"):
        subprocess.run([ROOT / "meshcast", "gen", "--pattern", "adversary", "--side", str(side), "--congestion", str(c),
                        "--against", f"{folder}/graph", "--share", share, "--seed", "1", "-o", f"{folder}/set"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        yield f"adversary {share}", meshcast.Set.read(f"{folder}/set")


def expander(sides: list[int]) -> None:
    head("m | c | graph | walk | sets | worst, free | / S | worst, unit + sync | / S | / proven | phases | "
         "peak, free | peak, unit")
    for side, c in ((side, c) for side in sides or [64] for c in congestions(side, 16, 64, 256)):
        for walk, kind in ((walk, kind) for walk in (True, False) for kind in ("random", "rs")):
            with TemporaryDirectory() as folder:
                sets = [*patterns(ONCE, side, c), *against(folder, side, c, kind)]
            worst, peak = {"free": Worst(), "unit": Worst()}, {"free": 0, "unit": 0}
            proven, phases = 0.0, 0
            for name, traffic in sets:
                for copy in worst:
                    result = meshcast.route(traffic, "expander", copy=copy, graph=kind, **({} if walk else {"walk": 0}))
                    steps = own(result) if copy == "free" else result.steps
                    worst[copy].take(f"{name}, {steps}", steps / traffic.sqrt_cn)
                    peak[copy] = max(peak[copy], result.buffer_peak)
                    proven = max(proven, result.steps / (result.proven_steps or 1))
                    # the machine's phases are "step (class K phase I)"
                    phases = max([phases] + [int(phase.name.split("phase ")[1].rstrip(")")) for phase in result.phases
                                             if "(class" in phase.name and "phase " in phase.name])
            row(side, c, kind, "yes" if walk else "no", len(sets), *(cell for one in worst.values() for cell in (
                one.name, f"{one.figure:.1f}")), f"{proven:.4f}", phases, peak["free"], peak["unit"])


def crowded(side: int, c: int) -> meshcast.Set:
    """c nodes send to node 0, and all to one other each, so that the first guess of the congestion is 1 or 2."""
    nodes = side * side
    pairs = [(i, (7 * i + 5) % nodes) for i in range(nodes)] + [(i, 0) for i in range(0, nodes, nodes // c)]
    return meshcast.Set.from_arrays([i for i, _ in pairs], [j for _, j in pairs], side=side)


def attempts(sides: list[int]) -> None:
    head("router | m | c | sets | most guesses | least / known | most / known | worst set | steps | peak")
    routers = ("replicate", "stream", "random", "expander")
    for router, side in ((router, side) for side in sides or [32, 64] for router in routers):
        for c in congestions(side, 4, 16, 64):
            sets = [*patterns(ONCE, side, c), ("one wanted node", crowded(side, c))]
            ratios, worst, guesses, peak = [], Worst(), 0, 0
            for name, traffic in sets:
                known, guessed = (meshcast.route(traffic, router, copy="free", unknown_congestion=unknown)
                                  for unknown in (False, True))
                ratios.append(own(guessed) / own(known))
                worst.take(name, own(guessed))
                guesses, peak = max(guesses, len(guessed.attempts)), max(peak, guessed.buffer_peak)
            row(router, side, c, len(sets), guesses, f"{min(ratios):.2f}", f"{max(ratios):.2f}", worst.name,
                f"{worst.figure:.0f}", peak)


# ---- routers and trees side by side ----

class Run(NamedTuple):
    """A run's steps, and the router that ran in its place."""

    steps: int
    ran_as: str | None


def bold(runs: list[Run | None]) -> list[str]:
    """The runs' cells, the fewest steps in bold; - where a run was refused or failed."""
    least = min(run.steps for run in runs if run is not None)
    return ["-" if run is None else f"**{run.steps}**" if run.steps == least else
            f"{run.steps}" + (f" ({run.ran_as})" if run.ran_as else "") for run in runs]


def try_route(traffic: meshcast.Set, router: str, **options: Any) -> Run | None:
    try:
        result = meshcast.route(traffic, router, **options)
    except (meshcast.UsageError, meshcast.CheckError):
        return None
    return Run(own(result), result.ran_as)


def several(sides: list[int]) -> None:
    routers = meshcast.routers()
    head(" | ".join(["side | pattern | l | c | lower bound", *(f"`{router}`" for router in routers)]))
    for side, name, l in ((side, name, l) for side in sides or [32] for name in PATTERNS for l in (4, 16)):
        arrays: tuple[list[int], list[int], list[int]] = ([], [0], [])
        for seed in range(1, l + 1):
            one = pattern(name, side, 4, seed=seed)
            for source, destinations in one or ():
                arrays[0].append(source)
                arrays[2].extend(destinations)
                arrays[1].append(len(arrays[2]))
        if not arrays[0]:
            continue
        traffic = meshcast.Set.from_arrays(arrays[0], arrays[2], offsets=arrays[1], side=side)
        row(side, f"`{name}`", l, traffic.congestion, traffic.info(copy="free").lower_bound,
            *bold([try_route(traffic, router, copy="free") for router in routers]))


def trees(sides: list[int]) -> None:
    def made(name: str, side: int, congestion: int | None = None, **more: Any) -> meshcast.Set | None:
        return pattern(name, side, congestion, seed=0, **more)

    names = "xy halves spread diag dds auto".split()
    head(" | ".join(["set | d | c | bound", *(f"`{tree}`" for tree in names)]))
    for side in sides or [64]:
        sets = [(f"`{name}`", made(name, side)) for name in PATTERNS if name not in ("broadcast", "allgather")]
        sets += [("`broadcast`, m / 2", made("broadcast", side // 2)),
                 ("`uniform`, d = 4", made("uniform", side, 4, degree=4)),
                 ("`uniform`, d = 64", made("uniform", side, 64, degree=64)),
                 ("`rmat`, c = 256", made("rmat", side, 256, degree=16)),
                 ("`worst`, d = 16", made("worst", side, 64, degree=16)),
                 ("`alltoall`, m / 2", made("alltoall", side // 2, groups=64)),
                 ("`allgather`", made("allgather", side, groups=64, stride=64)),
                 ("`moe`, 256 experts", made("moe", side, degree=8, experts=256, layer=30,
                                                skew=str(ROOT / "test/data/deepseek-v3.counts"))),
                 ("`uniform`, l = 4, m / 2", made("uniform", side // 2, 32, degree=8, per_node=4))]
        for name, traffic in sets + list(matrices()):
            if traffic is not None:
                row(name, traffic.degree, traffic.congestion, traffic.lower_bound,
                    *bold([try_route(traffic, "trees", tree=tree) for tree in names]))


# ---- time and memory ----

def grow(router: str, side: int, c: int) -> tuple[float, float, int]:
    """Processor seconds of a run, nanoseconds per hop, and bytes per node beyond those of Python."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    traffic = meshcast.Set.generate("uniform", side=side, degree=c, congestion=c, seed=1)
    start = time.process_time()
    result = meshcast.route(traffic, router, threads=1)
    seconds = time.process_time() - start
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return seconds, 1e9 * seconds / (result.packet_hops + result.word_hops), (most - before) * 1024 // side ** 2


def growth(sides: list[int]) -> None:
    points = [(side, 16) for side in sides or [64, 128, 256, 512]] + [(256, c) for c in (1, 4, 64)]
    columns = " | ".join(["router", *(f"m = {side}, c = {c}" for side, c in points)])
    figures = {}
    with Pool(1, maxtasksperchild=1) as pool:
        for router in meshcast.routers():
            figures[router] = pool.starmap(grow, [(router, *point) for point in points], chunksize=1)
    for title, text in (("Seconds of processor time", "{0:.2g}"), ("Nanoseconds per hop", "{1:.2g}"),
                        ("Bytes per node", "{2}")):
        print(f"\n{title}:")
        head(columns)
        for router, runs in figures.items():
            row(f"`{router}`", *(text.format(*run) for run in runs))


def timed(router: str, side: int, c: int, threads: int) -> tuple[float, float]:
    """Seconds of a run, and processor seconds of all its threads."""
    traffic = meshcast.Set.generate("uniform", side=side, degree=c, congestion=c, seed=1)
    start = time.process_time()
    seconds = meshcast.route(traffic, router, threads=threads).wall_seconds
    return seconds, time.process_time() - start


def spin() -> None:
    while True:
        pass


def threads(sides: list[int]) -> None:
    """Medians of five pairs of runs; goals beside loops are 1.2 times the seconds and twice the processor seconds of one."""
    head("busy loops | router | m | c | 1 thread, s | 2 threads, s | ratio | most | "
         "processor, 1 thread, s | 2 threads, s | ratio")
    for loops in range(3):
        busy = [Process(target=spin, daemon=True) for _ in range(loops)]
        for process in busy:
            process.start()
        with Pool(1, maxtasksperchild=1) as pool:
            for router, side in ((router, side) for router in meshcast.routers() for side in sides or [64, 128, 256, 512]):
                c = 8
                while c > 1 and pool.apply(timed, (router, side, c, 1))[0] > 2:
                    c //= 2
                runs = [[pool.apply(timed, (router, side, c, number)) for number in (1, 2)] for _ in range(5)]
                (one, work), (two, works) = ([statistics.median(column) for column in zip(*column)]
                                             for column in zip(*runs))
                row(loops, f"`{router}`", side, c, f"{one:.3f}", f"{two:.3f}", f"{two / one:.2f}{mark(two, 1.2 * one)}",
                    f"{max(second[0] / first[0] for first, second in runs):.2f}", f"{work:.3f}", f"{works:.3f}",
                    f"{works / work:.2f}{mark(works, 2 * work) if loops else ''}")
        for process in busy:
            process.kill()


# ---- graphs ----

def bounds(graph: meshcast.Expander) -> list[float | None]:
    """What a graph certainly expands by, by each theorem, and at most; what a random one does; seconds of the check."""
    start = time.perf_counter()
    bracket = meshcast.expander_check(graph)
    proven = {certificate.name: certificate["lambda"] for certificate in bracket.certificates}
    return [*(proven.get(name) for name in CERTIFICATES), bracket.lambda_found, bracket.lambda_random, time.perf_counter() - start]


CERTIFICATES = "exact counted spectral codegree polynomials".split()


def expanders(_: list[int]) -> None:
    head(" | ".join(["graph | p, c, r", *(f"{name} >=" for name in CERTIFICATES),
                     "search <= | union, P < 1e-6 | seconds"]))

    def show(name: str, sizes: str, graphs: list[meshcast.Expander]) -> None:
        """Prints the median of each figure by itself."""
        columns = [[value for value in column if value is not None] for column in zip(*map(bounds, graphs))]
        row(name, sizes, *(f"{statistics.median(column):.4f}" if column else "-" for column in columns))

    medians = [(p, 32, r) for r in range(3, 9) for p in (64, 256, 1024)] + [(341, 256, 12), (4096, 256, 16)]
    single = [(1024, 1 << bits, 4) for bits in range(4, 11)]
    single += [(131072, 256, 16), (131072, 4096, 4), (131072, 4096, 16)]
    for p, r, q, k in ((4096, 16, 16, 3), (2048, 8, 8, 4), (4096, 16, 64, 2)):
        show(f"RS q={q} k={k}", f"{p}, {r * q}, {r}", [meshcast.Expander.reed_solomon(p, r, q, k=k)])
    for seeds, sizes in ((range(1, 6), medians), (range(1, 2), single)):
        for p, c, r in sizes:
            show(f"random, {'seed 1' if len(seeds) == 1 else 'median of seeds 1 to 5'}", f"{p}, {c}, {r}",
                 [meshcast.Expander.random(p, c, r, seed=seed) for seed in seeds])


TABLES = {table.__name__: table for table in (replicate, random, expander, attempts, several, trees, growth, threads, expanders)}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in TABLES or not all(word.isdigit() for word in sys.argv[2:]):
        sys.exit(f"usage: tables.py {'|'.join(TABLES)} [SIDE ...]")
    TABLES[sys.argv[1]]([int(word) for word in sys.argv[2:]])
