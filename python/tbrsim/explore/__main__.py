# SPDX-License-Identifier: MIT
"""What `tbrsim explore` starts; and what it starts itself on the nodes of a cluster."""
import argparse
import sys

from . import cluster, explore, read, trees_of
from .store import Store
from ..errors import put, run_main


def parse():
    parser = argparse.ArgumentParser(prog="python3 -m tbrsim.explore", description=__doc__)
    parser.add_argument("--directory", required=True, help="of results")
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--retries", type=int, default=2)
    parser.add_argument("--profile")
    parser.add_argument("--list", action="store_true", help="only print the points")
    parser.add_argument("--record", help="only make this recording, of jobs.json")
    parser.add_argument("--simulate", help="only make this result, of jobs.json")
    parser.add_argument("plan", nargs="?")
    return parser.parse_args()


def main():
    arguments = parse()
    if arguments.record or arguments.simulate:
        cluster.work(Store(arguments.directory), arguments.record or arguments.simulate, bool(arguments.record))
        return 0
    if arguments.list:
        plan = read(arguments.plan)
        points = plan.points()
        trees_of(plan, points)
        for point in points:
            put(point.name)
        return 0
    outcome = explore(arguments.plan, arguments.directory, arguments.jobs, arguments.retries, arguments.profile)
    for name, reasons in outcome.failed:
        print(f"tbrsim: {name}: failed {len(reasons)} times: {reasons[-1].removeprefix('tbrsim: ')}"
              if len(reasons) > 1 else f"tbrsim: {name}: failed: {reasons[-1].removeprefix('tbrsim: ')}", file=sys.stderr)
    if outcome.problem:
        print(f"tbrsim: {outcome.problem}", file=sys.stderr)
    put(f"{len(outcome.rows)} points: {outcome.simulated} simulated, {outcome.there} there before, "
        f"{len(outcome.failed)} failed")
    for path in outcome.files:
        put(f"  {path}")
    return 1 if outcome.failed or outcome.problem else 0


if __name__ == "__main__":
    run_main(main)
