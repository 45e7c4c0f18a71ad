# SPDX-License-Identifier: MIT
"""Makes the C table of DRAM devices from data/dram-devices.csv.

Usage: generate_devices.py DEVICES.csv TABLE.h

Each line becomes an X(number, name, …) of CM_DRAM_DEVICES, whose arguments are those of struct
cm_dram_device in its order (dram/device.h), in whole picoseconds and nanowatts. A power is that of all supplies:
current times voltage, of VDD and where there is one of VDD1.
"""
import csv
import sys
from decimal import Decimal

GEOMETRY = "bankgroups banks_per_group rows columns device_width BL beats_per_clock refresh_banks".split()
TIMING = ("CL CWL tRCD tRP tRPab tRAS tRFC tRFCpb tREFI tRRD_S tRRD_L tWTR_S tWTR_L tFAW tWR tRTP tCCD_S tCCD_L "
          "tCCD_L_WR tPBR2ACT tXP tRTRS").split()
CURRENTS = "IDD0 IDD2P IDD2N IDD3P IDD3N IDD4W IDD4R IDD5AB".split()


def thousandths(text, line, key):
    value = Decimal(text) * 1000
    if value != value.to_integral_value():
        sys.exit(f"{sys.argv[1]}:{line}: {key}: {text} has more than three decimals")
    return int(value)


def power(row, line, key):
    supplies = (("VDD_V", f"{key}_mA"), ("VDD1_V", f"{key}_1_mA"))
    return sum(thousandths(row[voltage], line, voltage) * thousandths(row[current], line, current)
               for voltage, current in supplies)


def main():
    entries = []
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        for line, row in enumerate(csv.DictReader(file), 2):
            if None in row or None in row.values():
                sys.exit(f"{sys.argv[1]}:{line}: the line has not as many fields as the first one")
            values = [f"{row[key]}u" for key in GEOMETRY]
            values += [f"{thousandths(row['tCK_ns'], line, 'tCK_ns')}u"]
            values += ["{" + ", ".join(f"{int(row[key])}u" for key in TIMING) + "}"]
            values += [f"{power(row, line, key)}u" for key in CURRENTS]
            entries.append(f"   X({line - 1}, {row['device']}, \"{row['protocol']}\", {', '.join(values)})")
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write("/* SPDX-License-Identifier: MIT */\n/* Made from data/dram-devices.csv. */\n")
        out.write("#define CM_DRAM_DEVICES(X) \\\n" + " \\\n".join(entries) + "\n")


main()
