/* SPDX-License-Identifier: MIT */
/* What the run is, the totals, the charts over frames. */

/* Statistics of before schema 1 have no commits. */
function madeBy(run) {
  const simulator = run.simulator && run.simulator !== run.commit ? `simulated by commit ${run.simulator}` : null;
  return [run.tbrsim, run.commit && `commit ${run.commit}`, simulator, `Mesa ${run.mesa}`, run.recording && `recording ${run.recording}`]
    .filter(Boolean).join(", ");
}

function describeRun(run) {
  const settings = run.settings;
  const source = run.source || run.path;
  return [["Program", run.program], ["GPU", `${run.run.preset || ""}: ${settings.description || ""}`],
    ["Frames", format.count(run.num_frames)], ["Mode", `${settings.mode}, ${settings.clock_mhz} MHz, tiles of ${settings["tile.size"]} pixels`],
    ["Results", source], ["tbrsim", madeBy(run.run)]];
}

function definitionList(pairs) {
  return element("dl", {}, ...pairs.filter(([, text]) => text).map(([term, text]) =>
    element("div", {}, element("dt", {}, term), element("dd", {}, ...[text].flat()))));
}

/* ---- totals ---- */

/* Heads of the selected frame, the average and the sum, for so many columns each. */
const spans = (run, frame) => [`frame ${frame}`, run.usual.length < run.num_frames ? `per frame, of ${run.usual.length} alike` : "per frame, on average",
  `sum of ${plural(run.num_frames, "frame")}`];

/* A table with these columns for each of the three: cells(name, value): the cells of a row; value(counter): in the frame, on
 * average, or the sum. */
function totalsTable(run, frame, caption, first, heads, rows) {
  const values = [(name) => run.value(name, frame), (name) => run.mean(name), (name) => run.value(name)];
  return plainTable(caption, [first, ...spans(run, frame).flatMap(() => heads)],
    rows.map(([name, cells]) => [name, ...values.flatMap((value) => cells(value))]), { spans: spans(run, frame).map((span) => [span, heads.length]) });
}

function streamTotals(run, frame) {
  const share = (value, stream) => ["read", "write"].reduce((sum, direction) => sum + value(`dram.${stream}.${direction}_bytes`), 0);
  const cells = (stream) => (value) => [format.bytes(value(`dram.${stream}.read_bytes`)), format.bytes(value(`dram.${stream}.write_bytes`)),
    format.percent(share(value, "total") ? share(value, stream) / share(value, "total") : null)];
  return totalsTable(run, frame, "DRAM traffic by stream", "stream", ["read", "written", "share"],
    [...run.streams().map((stream) => [streamName(stream), cells(stream)]), ["all", cells("total")]]);
}

function cacheTotals(run, frame) {
  const cells = (unit) => (value) => {
    const hits = value(`${unit}.total.hits`), all = hits + value(`${unit}.total.misses`);
    return [format.count(value(`${unit}.total.reads`) + value(`${unit}.total.writes`)), format.count(all - hits), format.percent(all ? hits / all : null)];
  };
  return totalsTable(run, frame, "Caches", "cache", ["accesses", "misses", "hit rate"], run.caches().map((unit) => [cacheName(unit), cells(unit)]));
}

/* Pipeline stages: what they do with their cycles. */
function stageTotals(run, frame) {
  const stages = run.timed ? stageShares(run, frame) : [];
  if (!stages.length) return null;
  return plainTable(`Pipeline stages in frame ${frame}: what their cycles are spent on (${format.count(run.value("gpu.cycles", frame))} cycles of the GPU)`,
    ["stage", "busy", "waits for memory", "no input", "output full"], stages.map((stage) => [words(stage.name), ...STATES.map((state) => format.percent(stage[state]))]));
}

function energyTotals(run, frame) {
  if (!run.value("energy.system.total")) return null;
  const cells = (unit) => (value) => [format.energy(value(`energy.${unit}.dynamic`)), format.energy(value(`energy.${unit}.static`)),
    format.percent((value(`energy.${unit}.dynamic`) + value(`energy.${unit}.static`)) / value("energy.system.total"))];
  return totalsTable(run, frame, "Energy by unit", "unit", ["dynamic", "static", "share"], [...run.energyUnits().map((unit) => [cacheName(unit), cells(unit)]), ["all", cells("system")]]);
}

function buildTotals(page) {
  const tables = element("div", { class: "tables" });
  page.onFrame(() => {
    const parts = [streamTotals, cacheTotals, stageTotals, energyTotals].map((make) => make(page.a, page.frame));
    tables.replaceChildren(...parts.filter((part) => part));
  });
  return section("totals", "Totals", tables);
}

/* ---- over frames ---- */

function frameTable(run) {
  const counters = [["DRAM read", "dram.total.read_bytes"], ["DRAM written", "dram.total.write_bytes"], ["passes", "gpu.passes"], ["draws", "gpu.draws"],
    ["vertices", "vertex_stage.vertices"], ["primitives", "tiling_engine.primitives"], ["PMDs", "tiling_engine.pmds"], ["fragments", "fragment_stage.fragments"],
    ["cycles", "gpu.cycles"], ["energy", "energy.system.total"]].filter(([, name]) => run.value(name));
  const columns = [{ title: "frame", value: (frame) => frame },
    ...counters.map(([title, name]) => ({ title, value: (frame) => run.value(name, frame), format: formatOf(name) })),
    ...run.caches().map((unit) => ({ title: `${cacheName(unit)} hit rate`, value: (frame) => run.hitRate(unit, frame), format: format.percent, bar: false }))];
  return new SortedTable("Frames", columns, Array.from({ length: run.num_frames }, (_, frame) => frame)).element;
}

function buildFrames(page) {
  const run = page.a;
  const figures = [stackedChart("DRAM bytes by stream", run.streams().map((stream) => {
    const written = run.column(`dram.${stream}.write_bytes`);
    return { name: streamName(stream), values: run.column(`dram.${stream}.read_bytes`).map((bytes, frame) => bytes + written[frame]) };
  }), format.bytes, page)];
  figures.push(lineChart("Hit rates", run.caches().map((unit) => ({ name: cacheName(unit),
    values: Array.from({ length: run.num_frames }, (_, frame) => run.hitRate(unit, frame)) })), format.percent, page, 1));
  if (run.timed) figures.push(lineChart("Cycles", [{ name: "GPU cycles", values: run.column("gpu.cycles") }], format.short, page));
  const units = run.energyUnits();
  if (run.value("energy.system.total")) {
    const most = units.slice(0, 7), rest = units.slice(7);
    const values = (names) => Array.from({ length: run.num_frames }, (_, frame) => names.reduce((sum, unit) => sum + run.energy(unit, frame), 0));
    figures.push(stackedChart("Energy by unit", [...most.map((unit) => ({ name: cacheName(unit), values: values([unit]) })),
      ...(rest.length ? [{ name: `${rest.length} other units`, values: values(rest) }] : [])], format.energy, page));
  }
  const cut = run.num_frames - run.usual.length;
  return section("frames", "Frames", element("p", { class: "hint" }, "A click selects a frame, as do the arrow keys in a chart.",
    cut ? ` The charts are for the ${plural(run.usual.length, "frame")} that are alike; ${plural(cut, "other frame")} may be cut off at the top.` : ""),
    element("div", { class: "charts" }, ...figures), element("details", {}, element("summary", {}, "As a table"), frameTable(run)));
}
