"""experiments.py - runs the experiments of the papers; each writes one CSV file of what it measures.

    python3 papers/experiments.py [--quick | --tiny] [--processes N] [--folder FOLDER] [NAME ...]

An experiment is a function measure(*point), which returns rows, and the list of its points. Times of the network are in
microseconds of 200 cycles. Every random set is uniform, unless a column `draw` says otherwise.
"""

from __future__ import annotations

import argparse
from fractions import Fraction
import os
from pathlib import Path
from random import Random
from typing import Any, Callable, NamedTuple

from study import half_width, mean, means_of, meshcast, messages, random_burst, random_messages, run, uniform, write

CYCLES = 200  # a microsecond


class Size(NamedTuple):
    """How much is measured."""

    sets: int      # random sets per point
    singles: int   # single multicasts per point
    bursts: int    # at most, until the mean is known within 5 %
    messages: int  # of an open loop, after a quarter as many that warm up
    runs: int      # of an open loop, at most
    every: int     # of how many points one is measured


SIZES = {"whole": Size(1000, 100, 20, 2000, 5, 1), "quick": Size(40, 10, 2, 400, 1, 1),
         "tiny": Size(3, 2, 2, 40, 1, 50)}

MESH = "mesh:16x16"


# ---- Libeskind-Hadas et al.: worms of a multicast ----

def pure_mean(n: int) -> Fraction:
    """A worm takes one chain downwards and one upwards, so a source has max(min(n, 2(n-1) - x - y), ceil(n/2))."""
    h = (n + 1) // 2
    return Fraction(n - 1, 2) + Fraction(n * n - 1, 3 * n) + Fraction(h * (h + 1) * (h + 2), 6 * n * n)


def minimal_mean(n: int) -> Fraction:
    """The columns north-west, the rows south-east, and the chains south-west and north-east of each source."""
    return Fraction(5 * n, 3) - 2 + Fraction(4, 3 * n)


def schl_mean(n: int) -> Fraction:
    """The worms of columns and rows, and a unicast to each leader of a row, in both halves."""
    return 2 * n + 4 - Fraction(12, n) + Fraction(4, n * n)


# Per scheme: parameters, most and mean worms in closed form, and what Table 1 of the paper prints for both
WORMS: dict[str, tuple[dict[str, str], Callable[[int], int], Callable[[int], Fraction], Any, Any]] = {
    "pure": ({}, lambda n: n, pure_mean,
             lambda n: n, lambda n: Fraction(41 * n, 48) - Fraction(3, 8) - Fraction(1, 6 * n)),
    "minimal": ({}, lambda n: 3 * n - 4, minimal_mean, lambda n: 3 * n - 2, minimal_mean),
    "minimal, printed": ({"variant": "printed"}, lambda n: 3 * n - 3,
                         lambda n: minimal_mean(n) + 1 - Fraction(2, n * n), lambda n: 3 * n - 2, minimal_mean),
    "dual": ({}, lambda n: 2, lambda n: 2 - Fraction(2, n * n), lambda n: 2, lambda n: 2 - Fraction(2, n * n)),
    "column": ({}, lambda n: 2 * n if n > 2 else 2, lambda n: Fraction(2 * n - 2),
               lambda n: 2 * n, lambda n: Fraction(2 * n - 2)),
    "schl": ({}, lambda n: 2 * n + 7 if n > 3 else 5 * n - 7, schl_mean, lambda n: 2 * n + 7, schl_mean),
}


def plan(traffic: meshcast.Set, title: str, **parameters: str) -> meshcast.Plans:
    """The plans of a scheme by its title, which is its name and, after a comma, a variant of WORMS."""
    return meshcast.plan(traffic, title.split(",")[0], **WORMS.get(title, ({},))[0], **parameters)


def broadcast_worms(n: int, title: str) -> list[tuple]:
    """Worms of an all-to-all broadcast on n x n nodes, counted, in closed form and as printed."""
    _, most, average, printed_most, printed_mean = WORMS[title]
    nodes = range(n * n)
    plans = plan(messages(f"mesh:{n}x{n}", nodes, ([to for to in nodes if to != node] for node in nodes)), title)
    counted = plans.startups_max, Fraction(plans.startups, n * n)
    if counted != (most(n), average(n)):
        raise AssertionError(f"{title}, n = {n}: {counted} counted, {most(n), average(n)} by formula")
    return [(n, title, *counted, printed_most(n), printed_mean(n))]


def printed_lists(rows: int, cols: int) -> list[tuple]:
    """Of all sets from all sources, those for which the paper's minimal lists are not the fewest."""
    nodes = rows * cols
    sources, lists = [], []
    for source in range(nodes):
        for chosen in range(1, 1 << nodes):
            if not chosen >> source & 1:
                sources.append(source)
                lists.append([node for node in range(nodes) if chosen >> node & 1])
    traffic = messages(f"mesh:{rows}x{cols}", sources, lists)
    fewest, printed = (plan(traffic, title).costs["startups"] for title in ("minimal", "minimal, printed"))
    return [(f"{rows} x {cols}", len(sources), sum(more > least for more, least in zip(printed, fewest)))]


def random_worms(destinations: int, size: Size) -> list[tuple]:
    """Worms of a random multicast."""
    traffic = random_messages(MESH, f"worms {destinations}", destinations, size.sets)
    return [(destinations, title, size.sets, *means_of(plan(traffic, title), "startups")) for title in WORMS]


# ---- Libeskind-Hadas et al.: latencies ----

def load_latency(destinations: int, rate: float, scheme: str, size: Size, *, topology: str = MESH,
                 flits: Any = "10:100", shrink: float = 1, **settings: Any) -> tuple[float, float, bool]:
    """Latency and its half width in an open loop, and whether it is saturated: then of a finite run."""
    measured = max(20, int(shrink * size.messages))
    options: dict[str, Any] = dict(
        destinations=destinations, flits=flits, startup=1000, router_delay=4, buffer=1,
        warmup=max(10, measured // 4), measure=measured, threads=1, **settings)
    point = meshcast.load(topology, scheme, rate / CYCLES, runs=size.runs, **options)
    saturated = point.saturated
    if saturated:
        point = meshcast.load(topology, scheme, rate / CYCLES, runs=1, finite=True, **options)
    return point.latency / CYCLES, point.half_width / CYCLES, saturated


def loads(destinations: int, rate: float, scheme: str, size: Size) -> list[tuple]:
    """Figures 9 and 10. Arrivals are negative binomial, of order 2."""
    return [(destinations, rate, scheme,
             *load_latency(destinations, rate, scheme, size, injection=4, consumption=4, arrivals="negative-binomial"))]


def load_points(size: Size) -> list[tuple]:
    """Of Figure 9 rates with 10, 20 and 30 destinations; of Figure 10 destinations at one rate."""
    rates = (0.001, 0.002, 0.004, 0.006, 0.008, 0.012, 0.016, 0.02, 0.025)
    counts = (1, 5, 10, 20, 30, 45, 60, 80, 100, 130, 160, 200, 255)
    points = {(count, rate) for count in (10, 20, 30) for rate in rates} | {(count, 0.006) for count in counts}
    return [(*point, scheme, size) for point in sorted(points)[::size.every]
            for scheme in ("dual", "column", "pure", "minimal")]


def bursts(sources: int, destinations: int, router: int, scheme: str, size: Size) -> list[tuple]:
    """Figure 11: all sources send one message at once."""
    means: list[float] = []
    lasts: list[float] = []
    while len(means) < size.bursts:
        if len(means) >= 4 and half_width(means) <= 0.05 * sum(means) / len(means):
            break
        traffic = random_burst(MESH, f"burst {sources} {destinations} {len(means)}", sources, destinations, 50)
        result = meshcast.network(traffic, scheme, startup=1000, router_delay=router, injection=1, consumption=4,
                                  buffer=1, threads=1)
        means.append(result.latency.mean / CYCLES)
        lasts.append(result.cycles / CYCLES)
    return [(sources, destinations, router, scheme, len(means), *mean(means), *mean(lasts))]


def burst_points(size: Size) -> list[tuple]:
    """Crossbar and injection latency are added to the router's 20 ns; some points show what they change."""
    schemes = ("schl", "pure", "minimal", "column", "dual")
    counts = (1, 5, 10, 20, 40, 60, 80, 100, 125, 150, 200, 255)[::size.every]
    return [(128, count, 1, scheme, size) for count in counts if count in (60, 125, 255) for scheme in schemes] + [
        (sources, count, 5, scheme, size) for count in counts for sources in (128, 256) for scheme in schemes]


# ---- the two-port paper ----

PORTS = {"one port": (1, "u-mesh", {"routing": "label"}), "two ports": (2, "two-port", {})}


def ports(what: str, x: float, title: str, size: Size) -> list[tuple]:
    """Steps, and latencies against destinations, rate and length, of unicast trees over one port and two."""
    count, scheme, parameters = PORTS[title]
    settings: dict[str, Any] = dict(startup_mode="per-port", injection=count, consumption=count, **parameters)
    if what == "rate":
        return [(what, x, title, *load_latency(30, x, scheme, size, flits=100, shrink=0.75, **settings))]
    destinations, flits = (30, int(x)) if what == "flits" else (int(x), 100)
    if what == "steps":
        plans = meshcast.plan(random_messages(MESH, f"ports {x}", destinations, size.singles), scheme, **parameters)
        return [(what, x, title, *means_of(plans, "steps"), False)]
    latencies = []
    for run_ in range(size.singles):
        random = Random(f"ports {x} {run_}")
        source = int(256 * random.random())
        traffic = messages(MESH, [source], [uniform(random, 256, source, destinations)], flits)
        latencies.append(meshcast.network(traffic, scheme, startup=1000, router_delay=4, buffer=1, threads=1,
                                          **settings).cycles / CYCLES)
    return [(what, x, title, *mean(latencies), False)]


def port_points(size: Size) -> list[tuple]:
    """The x of each curve."""
    curves = {"steps": range(5, 75, 5), "destinations": range(5, 75, 5),
              "flits": (10, 50, 100, 200, 400, 600, 800, 1000),
              "rate": (0.0005, 0.001, 0.0015, 0.002, 0.003, 0.004, 0.005, 0.006)}
    return [(what, x, title, size) for what, xs in curves.items() for x in list(xs)[::size.every] for title in PORTS]


# ---- Bouchitte, Cohen, Fleury ----

STARS = {"dual": {}, "multi": {}, "ocms, strict": {"port": "strict"}, "ocms, forced": {"port": "forced"},
         "otms, strict": {"port": "strict"}, "otms, forced": {"port": "forced"}}


def stars(destinations: int, size: Size) -> list[tuple]:
    """Links and longest path of multicast stars."""
    traffic = random_messages(MESH, f"stars {destinations}", destinations, size.sets)
    return [(destinations, title, size.sets, *means_of(
        meshcast.plan(traffic, title.split(",")[0], **parameters), "traffic", "longest_path"))
        for title, parameters in STARS.items()]


# ---- Wang ----

TREES = ("vh", "diag", "dds", "min")
NETWORKS = {"mesh:20x20": 380, "torus:20x20": 380, "mesh:10x10x10": 990, "torus:10x10x10": 990, "mesh:10x10": 90}


def tree_costs(network: str, draw: str, destinations: int, size: Size) -> list[tuple]:
    """Figures 4.2.1 to 4.2.20 and 2.1.1: trees from the corner. Time is of store-and-forward over one port, in hops."""
    sets = size.sets if draw == "uniform" else size.sets // 5 + 1
    options = ([{"wrap": "first"}, {"wrap": "last"}] if network.startswith("torus") else [{}])
    options += [{"order": "deepest"}] if draw == "uniform" else []
    variants = [(scheme, option) for option in options for scheme in TREES]
    if network == "mesh:20x20" and draw == "uniform":
        variants.append(("unicast", {}))
    traffic = random_messages(network, f"{network} {draw} {destinations}", destinations, sets, corner=True, draw=draw)
    return [(network, draw, scheme, " ".join("=".join(pair) for pair in option.items()), destinations, sets, *means_of(
        meshcast.plan(traffic, scheme, **option), "traffic", "one_port", "all_port")) for scheme, option in variants]


def tree_points(size: Size) -> list[tuple]:
    """K = 10, 20, ..; without any destination there is nothing to send."""
    return [(network, draw, count, size) for network, most in NETWORKS.items() for draw in ("uniform", "scan")
            for count in range(10, most + 1, 10 * size.every)]


def path_costs(draw: str, destinations: int, size: Size) -> list[tuple]:
    """Figures 4.3.1 and 4.3.2: paths from the corner of a 20 x 20 mesh. Time is the longest path and 20 flits."""
    traffic = random_messages("mesh:20x20", f"paths {draw} {destinations}", destinations, size.sets, corner=True,
                              draw=draw)
    rows = []
    for scheme in ("lin", "xy-path"):
        links, spread, longest, width = means_of(meshcast.plan(traffic, scheme), "traffic", "longest_path")
        rows.append((draw, scheme, destinations, size.sets, links, spread, longest + 20, width))
    return rows


def worst_cases() -> list[tuple]:
    """Figure 3.2.3.1: of all sets on 4 x 4 nodes from the corner, the longest wait and the traffic beyond the least."""
    lists = [[node for node in range(1, 16) if chosen >> node & 1] for chosen in range(2, 1 << 16, 2)]
    traffic = messages("mesh:4x4", [0] * len(lists), lists)
    farthest = [max(node % 4 + node // 4 for node in one) for one in lists]
    rows = []
    for scheme in TREES:
        costs = meshcast.plan(traffic, scheme).costs
        for count in range(1, 16):
            of_count = [(time - far, links - far, links - time) for one, time, links, far in
                        zip(lists, costs["one_port"], costs["traffic"], farthest) if len(one) == count]
            rows.append((scheme, count, len(of_count), max(row[0] for row in of_count),
                         min(row[1] for row in of_count), min(row[2] for row in of_count)))
    return rows


def switching(mode: str) -> list[tuple]:
    """Figure 2.1.8: latency of 20 flits over a distance, with nothing else in the network."""
    rows = []
    for distance in range(1, 39):
        y = min(distance, 19)
        traffic = messages("mesh:20x20", [0], [[20 * y + distance - y]], 20)
        rows.append((mode, distance, meshcast.network(traffic, "unicast", switching=mode, buffer=20).cycles))
    return rows


def deadlocks(sources: int, scheme: str, size: Size) -> list[tuple]:
    """Propositions 3.2.1.4 and 3.2.2.5: bursts of 20 flits to 8 random destinations on 8 x 8 nodes that deadlock."""
    modes = [("wormhole", {"buffer": 4}), ("cut-through", {"buffer": 20})]
    if scheme in ("diag", "dds"):
        modes.append(("cut-through, classes=sides", {"buffer": 20, "classes": "sides", "vcs": 2}))
    rows = []
    for mode, settings in modes:
        count = 0
        for burst in range(max(2, size.singles // 4)):
            traffic = random_burst("mesh:8x8", f"deadlock {sources} {burst}", sources, 8, 20)
            try:
                meshcast.network(traffic, scheme, switching=mode.split(",")[0], threads=1, **settings)
            except meshcast.CheckError:
                count += 1
        rows.append((sources, scheme, mode, max(2, size.singles // 4), count))
    return rows


def concurrent(network: str, share: int, scheme: str, size: Size) -> list[tuple]:
    """Future work of the thesis: trees of many messages at once, by dimension and size. One node of `share` sends one
    flit to 16 random destinations, stored at each node, over one port."""
    nodes = meshcast.Topology(network).nodes
    lasts, means, peaks = [], [], []
    for burst in range(max(2, size.singles // 20)):
        traffic = random_burst(network, f"concurrent {network} {share} {burst}", nodes // share, 16)
        result = meshcast.network(traffic, scheme, switching="store-and-forward", ports="one", threads=1)
        lasts.append(result.cycles)
        means.append(result.latency.mean)
        peaks.append(result.buffer_peak)
    return [(network, nodes // share, scheme, len(lasts), *mean(lasts), *mean(means), max(peaks))]


# ---- the table ----

class Experiment(NamedTuple):
    """The columns of an experiment's rows, what measures a point, and the points of a size."""

    columns: str
    measure: Callable[..., list[tuple]]
    points: Callable[[Size], list[tuple]]


def some(size: Size, values: Any) -> list[tuple]:
    """Points of one value and the size."""
    return [(value, size) for value in list(values)[::size.every]]


EXPERIMENTS = {
    "broadcast_worms": Experiment("n,scheme,most,mean,most printed,mean printed", broadcast_worms, lambda size: [
        (n, title) for n in range(2, 17 if size.every == 1 else 7) for title in WORMS]),
    "printed_lists": Experiment("mesh,sets,more than the fewest", printed_lists, lambda size: [
        (2, 2), (2, 3), (3, 3), (3, 4)][:4 if size.every == 1 else 3]),
    "random_worms": Experiment("destinations,scheme,sets,worms,worms +-", random_worms, lambda size: some(
        size, (5, 10, 15, 20, 30, 40, 50, 60, 80, 100, 125, 150, 175, 200, 225, 255))),
    "loads": Experiment("destinations,rate,scheme,latency,latency +-,saturated", loads, load_points),
    "bursts": Experiment("sources,destinations,router,scheme,runs,latency,latency +-,last,last +-", bursts,
                         burst_points),
    "ports": Experiment("against,x,scheme,value,value +-,saturated", ports, port_points),
    "stars": Experiment("destinations,scheme,sets,links,links +-,longest,longest +-", stars, lambda size: some(
        size, (10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 128))),
    "trees": Experiment("network,draw,scheme,option,destinations,sets,traffic,traffic +-,time,time +-,all ports,"
                        "all ports +-", tree_costs, tree_points),
    "paths": Experiment("draw,scheme,destinations,sets,traffic,traffic +-,time,time +-", path_costs, lambda size: [
        (draw, count, size) for draw in ("uniform", "scan", "replacement")
        for count in range(10, 381, 10 * size.every)]),
    "worst_cases": Experiment("scheme,destinations,sets,longest wait,least traffic beyond the farthest,"
                              "least traffic beyond the time", worst_cases, lambda size: [()]),
    "switching": Experiment("switching,distance,cycles", switching, lambda size: [
        ("store-and-forward",), ("cut-through",), ("circuit",), ("wormhole",)]),
    "deadlocks": Experiment("sources,scheme,switching,bursts,deadlocks", deadlocks, lambda size: [
        (sources, scheme, size) for sources in (2, 4, 8, 16, 64) for scheme in TREES]),
    "concurrent": Experiment("network,sources,scheme,bursts,last,last +-,latency,latency +-,most at a node", concurrent,
                             lambda size: [
        (network, share, scheme, size) for network in (
            "mesh:8x8", "mesh:4x4x4", "mesh:2x2x2x2x2x2", "mesh:16x16", "mesh:4x4x4x4", "mesh:32x32", "mesh:8x8x16",
            "mesh:4x4x4x4x4") for share in (16, 1) for scheme in TREES][::size.every]),
}


def main() -> None:
    """Runs the experiments that are named, or all."""
    parser = argparse.ArgumentParser(description="Runs the experiments of the papers.")
    parser.add_argument("--quick", dest="size", action="store_const", const="quick", help="fewer and shorter points")
    parser.add_argument("--tiny", dest="size", action="store_const", const="tiny", help="for tests")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--folder", type=Path, default=Path(__file__).with_name("results"))
    parser.add_argument("name", nargs="*", help="; ".join(EXPERIMENTS))
    options = parser.parse_args()
    unknown = [name for name in options.name if name not in EXPERIMENTS]
    if unknown:
        parser.error(f"no experiment {unknown[0]}; there are {', '.join(EXPERIMENTS)}")
    size = SIZES[options.size or "whole"]
    for name in options.name or EXPERIMENTS:
        experiment = EXPERIMENTS[name]
        rows = run(experiment.measure, experiment.points(size), options.processes)
        write(options.folder / f"{name}.csv", experiment.columns.split(","), rows)
        print(f"{name}: {len(rows)} rows", flush=True)


if __name__ == "__main__":
    main()
