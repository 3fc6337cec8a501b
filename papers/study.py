"""study.py - what the experiments of the papers share: random sets, means, processes and CSV files.

All randomness is random() of a generator that is seeded by the point's name, so the same bytes come out for any number
of processes and any version of Python.
"""

from __future__ import annotations

import csv
from multiprocessing import Pool
from pathlib import Path
from random import Random
import statistics
import sys
from typing import Any, Callable, Iterable, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
sys.modules["numpy"] = None  # type: ignore  # so that the module gives lists of Python's numbers everywhere

import meshcast  # noqa: E402

# Student's t with 1 to 30 degrees of freedom, for two-sided intervals of 95 %
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
           2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)


# ---- random sets ----

def uniform(random: Random, nodes: int, source: int, count: int) -> list[int]:
    """`count` of the nodes but the source, all sets being equally likely."""
    others = [node for node in range(nodes) if node != source]
    for i in range(count):
        other = i + int(random.random() * (len(others) - i))
        others[i], others[other] = others[other], others[i]
    return others[:count]


def scan(random: Random, nodes: int, source: int, count: int) -> list[int]:
    """Walks over the nodes and takes each with probability count / nodes, until there are `count`; a walk that ends
    with fewer starts afresh. Prefers low numbers."""
    while True:
        taken: list[int] = []
        for node in range(nodes):
            if len(taken) == count:
                return taken
            if node != source and random.random() * nodes < count:
                taken.append(node)
        if len(taken) == count:
            return taken


def replacement(random: Random, nodes: int, source: int, count: int) -> list[int]:
    """`count` draws of any node but the source; one drawn again counts once more."""
    return sorted({(source + 1 + int(random.random() * (nodes - 1))) % nodes for _ in range(count)})


DRAWS = {"uniform": uniform, "scan": scan, "replacement": replacement}


def messages(topology: str, sources: Sequence[int], lists: Iterable[Sequence[int]],
             flits: int | None = None) -> meshcast.Set:
    """The set in which sources[i] sends to the i-th list; a source may come again."""
    destinations: list[int] = []
    offsets = [0]
    for one in lists:
        destinations += one
        offsets.append(len(destinations))
    return meshcast.Set.from_arrays(sources, destinations, offsets=offsets, topology=topology,
                                    flits=flits and [flits] * len(sources))


def random_messages(topology: str, name: str, destinations: int, count: int, *, corner: bool = False,
                    draw: str = "uniform") -> meshcast.Set:
    """`count` messages from random nodes, or from node 0, to random destinations."""
    random, nodes = Random(name), meshcast.Topology(topology).nodes
    sources = [0 if corner else int(random.random() * nodes) for _ in range(count)]
    return messages(topology, sources, [DRAWS[draw](random, nodes, source, destinations) for source in sources])


def random_burst(topology: str, name: str, senders: int, destinations: int, flits: int = 1) -> meshcast.Set:
    """One message from each of `senders` random nodes to random destinations."""
    random, nodes = Random(name), meshcast.Topology(topology).nodes
    chosen = sorted(uniform(random, nodes + 1, nodes, senders))
    return messages(topology, chosen, [uniform(random, nodes, sender, destinations) for sender in chosen], flits)


# ---- means ----

def half_width(values: Sequence[float]) -> float | None:
    """Half the width of Student's 95 % interval of the mean; None of a single value."""
    freedom = len(values) - 1
    if freedom == 0:
        return None
    student = STUDENT[freedom - 1] if freedom <= len(STUDENT) else 1.96 + 2.4 / freedom
    return student * statistics.stdev(values) / len(values) ** 0.5


def mean(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean and its half width."""
    return statistics.fmean(values), half_width(values)


def means_of(plans: meshcast.Plans, *costs: str) -> list[float | None]:
    """Of each cost the mean and its half width, one after the other; None of a cost that the scheme has not."""
    return [number for cost in costs for number in (
        mean(plans.costs[cost]) if cost in plans.costs else (None, None))]


# ---- running and writing ----

def run(measure: Callable[..., list[tuple]], points: Sequence[tuple], processes: int) -> list[tuple]:
    """The rows that measure(*point) returns for each point, in order. The last points take longest and start first."""
    with Pool(processes) as pool:
        return [row for rows in reversed(pool.starmap(measure, points[::-1], chunksize=1)) for row in rows]


def as_text(value: Any) -> str:
    """Four decimals of a fraction, without zeros at the end; nothing of None."""
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return "" if value is None else str(value)


def write(path: Path, columns: Sequence[str], rows: Iterable[tuple]) -> None:
    """Writes a CSV file; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(map(as_text, row) for row in rows)
