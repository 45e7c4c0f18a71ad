# SPDX-License-Identifier: MIT
"""The commands that answer with a table, as data frames. Options are keyword arguments: warm_up=1
is --warm-up 1, lists have commas; `tbrsim COMMAND --help` has them all."""
import io
import json
import tempfile

from . import files, notebook, quantities
from .command import call, configuration_words, option_words
from .errors import need


def _read(text):
    return need("pandas").read_csv(io.StringIO(text))


def _no_format(options):
    for name in ("csv", "json", "format"):
        if name in options:
            raise TypeError(f"{name}: the answer is a data frame")


def counters(config=None, settings=None, timing=None):
    """The counters of a configuration (default: tcor-baseline-64k's) by name: measure, which is
    the unit they are counted in, and description."""
    words = configuration_words(config, settings, timing)
    return _read(call("counters", "--csv", *words)).set_index("name")


def table(recording, config=None, settings=None, timing=None, vary=None, out=None, **options):
    """`tbrsim sim --csv`: a row for each configuration: configuration, preset, statistics (the
    directory), a column for each varied key, frames, and the counters' sums over the frames.

    vary: {key: list of values}; all combinations are simulated. out: the directory that keeps each
    one's statistics (default: none does, and there is no column for it)."""
    _no_format(options)
    words = configuration_words(config, settings, timing, vary)
    with tempfile.TemporaryDirectory(prefix="tbrsim-") as scratch:
        answer = _read(call("sim", "--csv", *option_words(out=out or scratch, **options), *words,
                            "--", recording))
    return answer if out else answer.drop(columns="statistics")


def sweep(recording, size, ways, policy, stream=None, unit=None, config=None, settings=None,
          **options):
    """`tbrsim sweep`: one cache of many sizes (bytes, or "64K"), ways and policies; a row for each
    combination. Columns: docs/sweeps.md; accesses and misses are of blocks.

        sweep("game.tbr", ["16K", "64K"], [4, "full"], ["lru", "opt"], stream="texture")
    """
    _no_format(options)
    words = configuration_words(config, settings)
    return _read(call("sweep", "--csv", *words, *option_words(
        size=size, ways=ways, policy=policy, stream=stream, unit=unit, **options), "--", recording))


def llc(recordings, config=None, settings=None, **options):
    """`tbrsim llc`: the policies of a last-level cache on one recording or a list of them; a row
    for each recording, cache and stream. Columns: docs/llc.md; counts are of blocks."""
    _no_format(options)
    if not isinstance(recordings, (list, tuple)):
        recordings = [recordings]
    words = configuration_words(config, settings)
    return _read(call("llc", "--csv", *words, *option_words(**options), "--", *recordings))


def select(recording, out, **options):
    """`tbrsim select`: chooses the frames that represent all of a recording, writes them to the file
    `out`, for sim(selected=out), and returns a row for each: frame (the program's number), weight,
    spread. `.attrs` has frames (of the recording), expected_error, represented_by."""
    call("select", *option_words(out=out, **options), "--", recording)
    answer = files.read_json(out)
    chosen = answer.pop("selected")
    table = need("pandas").DataFrame(chosen, columns=["frame", "weight", "spread"])
    table.attrs = answer
    return table


class Analysis:
    """What `tbrsim analyze` says (docs/analysis.md): `summary`, all of it as a dictionary, and data
    frames: `streams` (accesses of blocks and their reuse by traversal and stream), `histograms`
    (accesses by reuse distance), `traffic` (misses, memory accesses by stream)."""

    def __init__(self, summary):
        """summary: of `tbrsim analyze --json`."""
        pandas = need("pandas")
        self.summary = summary
        histograms, streams, traffic = [], [], []
        for traversal, simulation in summary["simulations"].items():
            for name, stream in simulation["streams"].items():
                key = {"traversal": traversal, "stream": name}
                bins = {kind: stream[kind] for kind in ("intra_distances", "inter_distances", "tile_accesses")}
                streams.append(key | {column: value for column, value in stream.items() if column not in bins})
                histograms += [key | {"kind": kind} | one for kind, found in bins.items() for one in found]
            counts = {kind: simulation.get(kind, {}) for kind in ("misses", "memory_accesses")}
            traffic += [{"traversal": traversal, "stream": name} | {kind: counts[kind].get(name, 0) for kind in counts}
                        for name in dict.fromkeys([*counts["misses"], *counts["memory_accesses"]])]
        self.streams = pandas.json_normalize(streams)
        self.histograms = pandas.DataFrame(histograms)
        self.traffic = pandas.DataFrame(traffic)

    def __repr__(self):
        return f"<tbrsim.Analysis of {self.summary['file']}>"

    def _repr_html_(self):
        rows = [{name: quantities.text(value, "") if isinstance(value, int) else value for name, value in row.items()}
                for row in self.streams[["traversal", "stream", "accesses", "blocks"]].to_dict("records")]
        return notebook.page(self.summary["file"], ["accesses of blocks, by stream"], rows)


def analyze(recording, config=None, settings=None, **options):
    """`tbrsim analyze`: reuse within and between frames, an Analysis."""
    _no_format(options)
    words = configuration_words(config, settings)
    return Analysis(json.loads(call("analyze", "--json", *words, *option_words(**options), "--", recording)))


def advise(recording, config=None, settings=None, timing=None, **options):
    """`tbrsim advise`: a row for each finding, the most worth first: title, rule, problem, remedy, where
    (frame, pass, draw, call, group; of a broken pass break.reason, break.end_call, …), what it is
    about (resource.id, resource.label, …, all of them in `resources`; vertex_shader.hash,
    fragment_shader.hash), `evidence` as a dictionary, and what it saves per frame: saves.dram_bytes,
    saves_percent.dram_bytes and so on, and or.saves.dram_bytes under or.condition. `.attrs` has the
    rest of the answer: a_frame_has, frames, loading_frames, together, hidden_overdraw, save_less,
    not_simulated, overdraw_known."""
    _no_format(options)
    words = configuration_words(config, settings, timing)
    answer = json.loads(call("advise", "--json", *words, *option_words(**options), "--", recording))
    findings = answer.pop("findings")
    evidence = [finding.pop("evidence") for finding in findings]
    for finding in findings:
        for key in ("resource", "vertex_shader", "fragment_shader", "break", "or"):
            finding[key] = finding[key] or {}
    frame = need("pandas").json_normalize(findings)
    frame["evidence"] = evidence
    frame.attrs = answer
    return frame


def cache(trace, size, ways, **options):
    """`tbrsim cache`: one cache, any address trace; a row for each stream that the trace names, and
    `total`: accesses, hits, misses, bypasses, writebacks, in blocks; attrs["run"]: what made it. trace_format: --format."""
    if "trace_format" in options:
        options["format"] = options.pop("trace_format")
    counts = json.loads(call("cache", "--json", *option_words(size=size, ways=ways, **options),
                             "--", trace))
    streams, run = counts.pop("streams", {}), counts.pop("run")
    table = need("pandas").DataFrame.from_dict(streams | {"total": counts}, orient="index") \
        .rename_axis(index="stream")
    table.attrs["run"] = run
    return table
