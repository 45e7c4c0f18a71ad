#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the rows of a C array of data/validation-summary.csv: what of each preset was compared with a GPU, as text."""
import csv
import sys


def main(summary, target):
    found = {}
    with open(summary, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            settings = f" with {row['settings']}" if row["settings"] else ""
            found.setdefault(row["preset"], []).append(f"{row['scenes']} scenes of {row['device']} at {row['width']}x{row['height']}"
                                                       f"{settings}: mean error {float(row['error']):.0f} %")
    with open(target, "w", encoding="utf-8") as out:
        out.write("/* SPDX-License-Identifier: MIT */\n/* Made by generate_validation.py. */\n")
        for preset, runs in found.items():
            out.write(f'{{"{preset}", "{"; ".join(runs)}"}},\n')


main(*sys.argv[1:])
