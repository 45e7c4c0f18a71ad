#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the rows of a C array of data/cacti-7.0-energies.csv, each with its line in that file.

Energies become zeptojoules and leakages femtowatts: whole numbers, so that nothing is rounded."""

import csv
import decimal
import sys

KINDS = {
    "cache": "CACHE",
    "tex_traditional_32b": "TEXTURE_TRADITIONAL",
    "tex_wide_128b": "TEXTURE_WIDE",
    "tex_multiport_4r_32b": "TEXTURE_MULTI_PORT",
    "tex_bank_16B_line_128b": "TEXTURE_BANK_CONTINUOUS",
    "tex_bank_16B_line_32b": "TEXTURE_BANK_INTERLEAVED",
    "ram": "RAM",
}
CELLS = {"itrs-lstp": "ITRS_LSTP", "itrs-hp": "ITRS_HP"}


def whole(text, factor):
    number = decimal.Decimal(text) * factor
    if number != int(number) or number <= 0:
        raise ValueError(f"{text} is no whole number of {1 / decimal.Decimal(factor)}")
    return int(number)


def main(source, target):
    with open(source, newline="", encoding="utf-8") as file:
        rows = list(enumerate(csv.DictReader(file), start=2))
    with open(target, "w", encoding="utf-8") as out:
        out.write("/* SPDX-License-Identifier: MIT */\n/* Made by generate_rows.py. */\n")
        for line, row in rows:
            out.write(
                f"{{{line}, CM_ARRAY_{KINDS[row['kind']]}, {row['tech_nm']}, CM_CELL_{CELLS[row['cell']]}, "
                f"{row['size_bytes']}, {row['ways']}, {row['line_bytes']}, {row['bus_bits']}, "
                f"{row['rw_ports']}, {row['read_ports']}, {row['access_ns']}, {row['cycle_ns']}, "
                f"{{{whole(row['read_nJ'], 10**12)}, {whole(row['write_nJ'], 10**12)}, "
                f"{whole(row['leak_mW'], 10**12)}}}, {row['area_mm2']}}},\n")


main(*sys.argv[1:])
