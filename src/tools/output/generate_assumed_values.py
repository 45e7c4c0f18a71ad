#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the rows of a C array of data/assumptions.csv: each with the largest change of cycles and of energy that
data/sensitivity.csv has of it, in per cent; 0 where it was not varied."""
import csv
import sys


def main(assumptions, sensitivity, target):
    with open(sensitivity, newline="", encoding="utf-8") as file:
        results = {(row["preset"], row["key"]): row for row in csv.DictReader(file)}
    with open(assumptions, newline="", encoding="utf-8") as file, open(target, "w", encoding="utf-8") as out:
        out.write("/* SPDX-License-Identifier: MIT */\n/* Made by generate_assumed_values.py. */\n")
        for row in csv.DictReader(file):
            found = results.get((row["preset"], row["key"]), {})
            cycles, energy = (abs(float(found.get(f"{measure}_most") or 0)) for measure in ("cycles", "energy"))
            out.write(f'{{"{row["preset"]}.yaml", "{row["key"]}", {{{cycles}, {energy}}}}},\n')


main(*sys.argv[1:])
