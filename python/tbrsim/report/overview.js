/* SPDX-License-Identifier: MIT */
/* The head of the page, the totals, the charts over frames. */

function describeRun(run) {
  const settings = run.settings;
  const source = run.source || run.path;
  return [["Program", run.command || run.run.program], ["GPU", `${run.run.preset || ""}: ${settings.description || ""}`],
    ["Frames", format.count(run.num_frames)], ["Mode", `${settings.mode}, ${settings.clock_mhz} MHz, tiles of ${settings["tile.size"]} pixels`],
    ["Results", source], ["tbrsim", `${run.run.tbrsim}, Mesa ${run.run.mesa}`]];
}

function definitionList(pairs) {
  return element("dl", {}, ...pairs.filter(([, text]) => text).map(([term, text]) =>
    element("div", {}, element("dt", {}, term), element("dd", {}, text))));
}

function buildHead(page) {
  const { a, b } = page;
  const figures = [["DRAM read a frame", format.bytes(a.bytes("total", "read") / a.num_frames)],
    ["DRAM written a frame", format.bytes(a.bytes("total", "write") / a.num_frames)]];
  if (a.timed) {
    figures.push(["cycles a frame", format.short(a.value("gpu.cycles") / a.num_frames)],
      ["frames a second", format.short(a.value("fps"))]);
  }
  if (a.value("energy.system.total")) figures.push(["energy a frame", format.energy(a.value("energy.system.total") / a.num_frames)]);
  document.getElementById("head").append(
    element("h1", {}, `${a.title} `, element("small", {}, `on ${a.run.preset || "a GPU"}`)),
    element("ul", { class: "figures" }, ...figures.map(([what, value]) => element("li", {}, element("b", {}, value), ` ${what}`))),
    definitionList(describeRun(a)),
    b ? element("p", {}, `Compared with ${b.title} on ${b.run.preset} (${b.path}): `, element("a", { href: "#compare" }, "the differences"), ".") : "");
}

/* ---- totals ---- */

function streamTotals(run, frame) {
  const all = run.bytes("total", "read") + run.bytes("total", "write");
  const row = (stream, name) => [name, format.bytes(run.bytes(stream, "read")), format.bytes(run.bytes(stream, "write")),
    format.percent(all ? (run.bytes(stream, "read") + run.bytes(stream, "write")) / all : null),
    format.bytes((run.bytes(stream, "read") + run.bytes(stream, "write")) / run.num_frames),
    format.bytes(run.bytes(stream, "read", frame)), format.bytes(run.bytes(stream, "write", frame))];
  return plainTable("DRAM traffic by stream", ["stream", "read", "written", "share", "a frame", `frame ${frame} read`, `frame ${frame} written`],
    run.streams().map((stream) => row(stream, streamName(stream))), [row("total", "all")]);
}

function cacheTotals(run, frame) {
  return plainTable("Caches", ["cache", "accesses", "misses", "hit rate", `frame ${frame} accesses`, `frame ${frame} misses`, `frame ${frame} hit rate`],
    run.caches().map((unit) => [cacheName(unit), format.count(run.accesses(unit)), format.count(run.value(`${unit}.total.misses`)),
      format.percent(run.hitRate(unit)), format.count(run.accesses(unit, frame)),
      format.count(run.value(`${unit}.total.misses`, frame)), format.percent(run.hitRate(unit, frame))]));
}

/* Pipeline stages: what they do with their cycles. */
function stageTotals(run, frame) {
  const states = ["busy", "starved", "blocked", "memory"];
  const stages = Object.keys(run.total).map((name) => /^(\w+)\.busy_cycles$/.exec(name))
    .filter((match) => match && match[1] !== "dram_system").map((match) => match[1]);
  if (!run.timed || !stages.length) return null;
  const rate = (stage, state) => {
    const all = states.reduce((sum, one) => sum + run.value(`${stage}.${one}_cycles`, frame), 0);
    return format.percent(all ? run.value(`${stage}.${state}_cycles`, frame) / all : null);
  };
  return plainTable(`Pipeline stages in frame ${frame}: what their cycles are spent on (${format.count(run.value("gpu.cycles", frame))} cycles of the GPU)`,
    ["stage", "busy", "no input", "output full", "memory"], stages.map((stage) => [words(stage), ...states.map((state) => rate(stage, state))]));
}

function energyTotals(run, frame) {
  const whole = run.value("energy.system.total");
  if (!whole) return null;
  const row = (name, unit, total) => [name, format.energy(run.value(`energy.${unit}.dynamic`)), format.energy(run.value(`energy.${unit}.static`)),
    format.percent(total() / whole), format.energy(run.energy(unit, frame))];
  return plainTable("Energy by unit", ["unit", "dynamic", "static", "share", `frame ${frame}`],
    run.energyUnits().map((unit) => row(cacheName(unit), unit, () => run.energy(unit))), [row("all", "system", () => run.energy("system"))]);
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
  return section("frames", "Frames", element("p", { class: "hint" }, "A click selects a frame, as do the arrow keys in a chart."),
    element("div", { class: "charts" }, ...figures), element("details", {}, element("summary", {}, "As a table"), frameTable(run)));
}
