# SPDX-License-Identifier: MIT
"""What objects of the package look like in a notebook: HTML for their _repr_html_."""
import html
import statistics

from . import quantities

# What is shown of each run: title, counters whose sum it is, their unit.
HEADLINES = (
    ("DRAM read", ("dram.total.read_bytes",), "bytes"), ("DRAM written", ("dram.total.write_bytes",), "bytes"),
    ("cycles", ("gpu.cycles",), ""), ("energy", ("energy.system.total",), "pJ"),
    ("vertices", ("vertex_stage.vertices",), ""), ("primitives", ("tiling_engine.primitives",), ""),
    ("fragments", ("fragment_stage.fragments",), ""),
)
MOST_ROWS = 24


def table(rows, most=MOST_ROWS):
    """Rows, {column: text} each, as a table; of more than `most` the first ones."""
    columns = list(dict.fromkeys(name for row in rows for name in row))

    def line(cells, tag):
        return f"<tr>{''.join(f'<{tag}>{html.escape(str(cell))}</{tag}>' for cell in cells)}</tr>"
    more = f"<p>and {len(rows) - most} more</p>" if len(rows) > most else ""
    body = "".join(line([row.get(name, "") for name in columns], "td") for row in rows[:most])
    return f"<table><thead>{line(columns, 'th')}</thead><tbody>{body}</tbody></table>{more}"


def page(title, facts, rows, most=MOST_ROWS):
    """A title, facts after it, a table."""
    said = "".join(f" · {html.escape(str(fact))}" for fact in facts if fact)
    return f"<div><p><b>{html.escape(str(title))}</b>{said}</p>{table(rows, most) if rows else ''}</div>"


def means(frames):
    """Rows with the means of the columns of a data frame of counts."""
    return [{"": name, "per frame": quantities.text(frames[name].mean(), "")} for name in frames if frames[name].any()]


def headlines(runs):
    """Rows with the headlines per frame of runs: (what comes before them, totals, number of frames) each."""
    there = [(title, names, measure) for title, names, measure in HEADLINES
             if any(totals.get(name) for _, totals, _ in runs for name in names)]
    return [before | {f"{title} per frame": quantities.text(sum(totals.get(name) or 0 for name in names) / max(frames, 1), measure)
                      for title, names, measure in there} for before, totals, frames in runs]


def results(one):
    """Rows of a run: its headlines with their standard deviations over the frames, hit rates of its caches."""
    frames, rows = one.frames, []
    for title, names, measure in HEADLINES:
        values = frames[[name for name in names if name in frames]].sum(axis="columns").tolist()
        if any(values):
            spread = quantities.text(statistics.stdev(values), measure) if len(values) > 1 else "–"
            rows.append({"": title, "per frame": quantities.text(statistics.fmean(values), measure), "deviation": spread})
    total = one.total
    for name in total.index:
        if name.endswith(".total.hits") and name.count(".") == 2:
            unit = name.split(".")[0]
            hits, misses = total[name], total.get(f"{unit}.total.misses", 0)
            if hits + misses:
                rows.append({"": f"{unit} hit rate", "per frame": f"{100 * hits / (hits + misses):.1f} %", "deviation": ""})
    if "fps" in total.index:
        rows.append({"": "frames per second", "per frame": f"{total['fps']:.1f}", "deviation": ""})
    return rows
