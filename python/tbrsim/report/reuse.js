/* SPDX-License-Identifier: MIT */
/* How far apart accesses to the same block are: the hit rates of fully associative LRU caches of all sizes. */

/* The parts of accesses that a cache of so many bytes hits, [[bytes, …], [rate, …]]: at the ends of bins, where they are
 * exact. */
function hitCurve(stream, block, count) {
  const sizes = [], rates = [];
  let hits = 0;
  for (const bin of stream.bins) {
    hits += count(bin);
    sizes.push((bin.last + 1) * block);
    rates.push(hits / stream.accesses);
  }
  return [sizes, rates];
}

/* Curves with different sizes as columns over all of them: a curve keeps its value up to its next size. */
function joinCurves(curves) {
  const sizes = [...new Set(curves.flatMap(([one]) => one))].sort((a, b) => a - b);
  return [sizes, ...curves.map(([own, rates]) => {
    let at = -1;
    return sizes.map((size) => {
      while (at + 1 < own.length && own[at + 1] <= size) at++;
      return at < 0 ? 0 : rates[at];
    });
  })];
}

class ReuseChart {
  constructor(unit) {
    this.unit = unit;
    this.streams = Object.entries(unit.streams).sort(([, a], [, b]) => b.accesses - a.accesses);
    const title = `${cacheName(unit.unit)}: hit rate by size, fully associative LRU`;
    this.box = element("figure", { class: "chart", role: "group", "aria-label": `${title}; the numbers are in the table below.` });
    this.data = joinCurves(this.streams.map(([, stream]) => hitCurve(stream, unit.block, (bin) => bin.intra + bin.inter)));
    const axis = chartAxis();
    this.options = {
      title, width: 600, height: 260,
      scales: { x: { time: false, distr: 3, log: 2 }, y: { range: () => [0, 1] } },
      axes: [{ ...axis, values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : format.bytes(tick))), space: 56 },
        { ...axis, size: 64, values: (_, ticks) => ticks.map(format.percent) }],
      cursor: { drag: { x: false, y: false }, y: false },
      series: [{ label: "size", value: (_, value) => (value ? format.bytes(value) : "–") },
        ...this.streams.map(([name], number) => ({ label: streamName(name), stroke: COLOURS[number % COLOURS.length], width: 2,
          dash: DASHES[number % DASHES.length], points: { show: false }, paths: uPlot.paths.stepped({ align: 1 }),
          value: (_, value) => (value === null || value === undefined ? "–" : format.percent(value)) }))],
      hooks: { draw: [(plot) => this.mark(plot)] },
    };
  }

  /* The configuration's sizes. */
  mark(plot) {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = colour("--text");
    ctx.lineWidth = devicePixelRatio;
    ctx.font = `${11 * devicePixelRatio}px sans-serif`;
    this.unit.sizes.forEach(([bytes, what], number) => {
      const x = plot.valToPos(bytes, "x", true);
      if (x < bbox.left || x > bbox.left + bbox.width) return;
      const near = x > bbox.left + 0.7 * bbox.width;
      ctx.textAlign = near ? "right" : "left";
      ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.fillText(what, x + (near ? -5 : 5) * devicePixelRatio, bbox.top + (14 + 14 * number) * devicePixelRatio);
    });
    ctx.restore();
  }

  draw() {
    const width = Math.max(280, this.box.clientWidth);
    if (!this.plot) this.plot = new uPlot({ ...this.options, width }, this.data, this.box);
    else this.plot.setSize({ width, height: this.options.height });
  }

  table() {
    const { unit } = this;
    const tables = this.streams.map(([name, stream]) => {
      let hits = 0;
      const rows = stream.bins.map((bin) => {
        hits += bin.intra + bin.inter;
        return [bin.first === bin.last ? format.count(bin.first) : `${format.count(bin.first)} – ${format.count(bin.last)}`, format.count(bin.intra), format.count(bin.inter),
          format.bytes((bin.last + 1) * unit.block), format.percent(hits / stream.accesses)];
      });
      return plainTable(`${streamName(name)}: ${format.count(stream.accesses)} accesses, ${format.count(stream.first)} of them the first to their block (${format.percent(stream.first / stream.accesses)})`,
        ["distance in blocks", "within a frame", "from frame to frame", "cache of that size", "hits"], rows);
    });
    return element("details", {}, element("summary", {}, `${cacheName(unit.unit)}: reuse distances as tables`), element("div", { class: "tables" }, ...tables));
  }
}

function buildReuse(page) {
  const { reuse } = page.a;
  if (reuse.problem) return section("reuse", "Reuse distances", element("p", { class: "none" }, `They could not be found: ${reuse.problem}`));
  const parts = reuse.units.filter((unit) => Object.keys(unit.streams).length).map((unit) => new ReuseChart(unit));
  charts.push(...parts);
  return section("reuse", "Reuse distances", element("p", { class: "about" },
    `How many other blocks a stream accesses before it comes back to one: what arrives at a cache, all its instances together, in ${plural(reuse.frames, "frame")} from ${reuse.begin + reuse.warm_up} on` +
    `${reuse.warm_up ? `, after ${plural(reuse.warm_up, "frame")} of warm-up` : ""}. ` +
    "A stream's curve is that of a cache for it alone; between its steps a cache hits no less than at the step before. Dashed lines: the cache as it is configured."),
  element("div", { class: "charts" }, ...parts.map((part) => part.box)), ...parts.map((part) => part.table()));
}
