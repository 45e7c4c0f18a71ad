# SPDX-License-Identifier: MIT
"""How people read what is counted and what is set: units that suit a value, sizes, policies that no hardware has."""
import difflib
import re

# Policies that know the accesses to come (cm_policy_needs_future): bounds for what hardware can do.
ORACLES = ("opt", "optpt")
# One that is a bound, too, where a study chooses it; in a preset it is what a paper leaves out.
PERFECT = "perfect"

_SIZES = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")]
_SCALES = {"bytes": _SIZES, "pJ": [(1e12, "J"), (1e9, "mJ"), (1e6, "µJ"), (1e3, "nJ")], "ns": [(1e9, "s"), (1e6, "ms"), (1e3, "µs")]}
_COUNTS = [(1e9, "billion"), (1e6, "million"), (1e3, "thousand")]
_FACTORS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "MHz": 1e6, "GHz": 1e9}


def unit_for(largest, measure):
    """(factor, unit) in which values up to this one are read: 12e6, "bytes" gives 1048576, "MiB". measure: a counter's;
    "": none."""
    scales = _SCALES.get(measure)
    for factor, name in scales or _COUNTS:
        if abs(largest) >= factor:
            return factor, name if scales else f"{name} {measure}".rstrip()
    return 1, measure


def text(value, measure):
    """A value as people read it: 12.3 MiB; of counts all digits."""
    if measure not in _SCALES:
        return f"{value:,.0f} {measure}".rstrip()
    factor, unit = unit_for(value, measure)
    return f"{value / factor:,.{0 if factor == 1 else 2 if abs(value) < 10 * factor else 1}f} {unit}"


def number(word):
    """What a value of a setting is as a number, "256K" 262144; None where it is none."""
    if isinstance(word, (int, float)) and not isinstance(word, bool):
        return word
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?(MHz|GHz|[KMG]?)(?:i?B)?", str(word))
    return float(found[1]) * _FACTORS[found[2]] if found else None


def setting_text(key, value):
    """A value of a setting as a label: 256K of a size, on."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if key.endswith("size") and isinstance(value, int):
        for factor, name in _SIZES:
            if value and not value % factor:
                return f"{value // factor}{name[0]}"
    return str(value)


def oracles(values, chosen=()):
    """Which caches have a policy that is an oracle, as text ("l2"; of none ""). values: {key: value} of all keys; chosen:
    (key, value) of those that a study sets."""
    found = [key for key, value in values.items() if key.endswith(".policy") and value in ORACLES]
    found += [key for key, value in chosen if key.endswith(".policy") and value == PERFECT]
    return "+".join(key.split(".")[-2] for key in found)


def varied(rows, names):
    """Of these members of the rows those that differ between them, {name: its values in their order}."""
    found = {}
    for name in names:
        values = list(dict.fromkeys(row.get(name, "") for row in rows))
        if len(values) > 1:
            numbers = [number(one) for one in values]
            found[name] = values if None in numbers else [one for _, one in sorted(zip(numbers, values))]
    return found


# Short names, as report --fail-above has them (src/tools/output/regression.c), of one counter or a sum.
SHORT = {"dram": ["dram.total.read_bytes", "dram.total.write_bytes"], "cycles": ["gpu.cycles"], "energy": ["energy.system.total"]}


def names_of(counter):
    """The counters that one is, or that "a+b" is the sum of."""
    parts = [part.strip() for part in counter.removeprefix("-").split("+")]
    return [name for part in parts for name in SHORT.get(part, [part])]


def no_counter(name, there):
    """What to say of a name that is no counter of a run that has these."""
    is_known = any(name in counters for counters in SHORT.values())
    near = [] if is_known else difflib.get_close_matches(name, [*SHORT, *there], 1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    hint = "" if "gpu.cycles" in there else "; those of cycles and energy need timing: --timing on, timing: on in a plan's settings"
    return f"no counter '{name}'{meant}{hint}; tbrsim counters lists the counters"


def axis(counter, largest, measures):
    """By what values per frame are divided in a plot, and the axis' text: "dram.total.read_bytes, MiB per frame". measures:
    {counter: its unit}."""
    if names_of(counter) == ["fps"]:
        return 1, "frames per second"
    units = {measures.get(name, "") for name in names_of(counter)}
    factor, unit = unit_for(largest, units.pop() if len(units) == 1 else "")
    return factor, f"{counter}, {unit} per frame" if unit else f"{counter} per frame"
