"""soak.py - random small runs of a router, each traced and audited.

    python3 bench/soak.py [ROUTER [RUNS [FIRST-SEED]]]      default stream 1000 1; MESHCAST is the program, ./meshcast

Everything about a run comes from its seed: sides, the pattern, degree and congestion (of every magnitude alike), messages
per node, copies free or unit, threads, parameters, and the capacity: none, the least that the router accepts, or up to 40
more. A run is good if it ends, delivers everything once, stays within the capacity, and leaves a trace whose audit finds
no broken rule and counts what the result says. The first bad one ends the program with its seed and status 1.
"""

import json
import os
from random import Random
import re
import subprocess
import sys
from tempfile import TemporaryDirectory

PROGRAM = os.environ.get("MESHCAST", "./meshcast")
PARAMETERS = {"stream": ["slots=1", "slots=2", "slots=5"], "trees": ["slots=1"], "replicate": ["variant=paper"],
              "random": ["variant=paper"]}
AUDITED = ["delivered", "packet_hops", "word_hops", "copies", "buffer_peak"]


def run(*words):
    """The JSON, or None, and the errors of a command."""
    done = subprocess.run([PROGRAM, *map(str, words), "--json"], capture_output=True, text=True)
    return (json.loads(done.stdout) if done.returncode == 0 else None), done.stderr


def make_set(random, path):
    """Draws sets until one is not refused."""
    patterns = [word for word in subprocess.run([PROGRAM, "complete", "--", "gen", "--pattern", ""], capture_output=True,
                                                text=True).stdout.split() if word != "adversary"]
    figures = None
    while figures is None or not 0 < figures["deliveries"] <= 60000:
        rows, cols = (1 if random.random() < 0.06 else random.randint(2, 24) for _ in range(2))
        options = [f"--{name}={min(rows * cols, int(2 ** random.uniform(0, 10)))}" for name in ("degree", "congestion")
                   if random.random() < 0.7]
        figures, _ = run("gen", "--rows", rows, "--cols", cols, "--pattern", random.choice(patterns), "--seed",
                         random.getrandbits(32), *options, "-o", path)


def soak(router, seed, folder):
    """What is wrong with the run of a seed, and its buffer peak."""
    random, path, trace = Random(seed), f"{folder}/set", f"{folder}/trace"
    make_set(random, path)
    options = ["route", path, "--router", router, "--seed", random.getrandbits(32), "--threads", random.randint(1, 3),
               "--copy", random.choice(["free", "unit"])]
    if router in PARAMETERS and random.random() < 0.5:
        options += ["--param", random.choice(PARAMETERS[router])]
    least = re.search(r"the least is (\d+)", run(*options, "--buffer", 1)[1])
    if least and random.random() < 0.7:
        options += ["--buffer", int(least[1]) + random.choice([0, random.randint(0, 40)])]
    result, error = run(*options, "--trace", trace)
    audit, audit_error = run("audit", path, trace) if result else (None, "")
    if not result or not audit:
        return error + audit_error, 0
    same = all(result[key] == audit[key] for key in AUDITED) and audit["steps"] <= result["steps"]
    fits = result["buffer_peak"] <= (result["buffer_capacity"] or result["buffer_peak"])
    return "" if same and fits and result["missing"] == 0 else "result and audit differ", result["buffer_peak"]


def main(router="stream", runs="1000", first="1"):
    """Runs the seeds."""
    peak = 0
    with TemporaryDirectory() as folder:
        for seed in range(int(first), int(first) + int(runs)):
            wrong, buffer = soak(router, seed, folder)
            peak = max(peak, buffer)
            if wrong:
                sys.exit(f"soak: {router}, seed {seed}: {wrong}")
    print(f"{router}: {runs} runs from seed {first} good, at most {peak} packets per node")


main(*sys.argv[1:])
