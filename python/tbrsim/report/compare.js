/* SPDX-License-Identifier: MIT */
/* Two runs side by side. */

/* A change of a share, as text: "+1.1". */
function points(change) {
  const text = (100 * change).toFixed(1);
  return /^-?0\.0$/.test(text) ? "0.0" : `${change > 0 ? "+" : ""}${text.replace("-", "−")}`;
}

/* Of two values: the difference, and by how much the second is more than the first. */
function difference(a, b, write) {
  const plus = b > a ? "+" : "";
  return [`${plus}${write(b - a)}`, a ? `${points((b - a) / a)} %` : (b ? "new" : "–")];
}

function compareTotals({ a, b }) {
  const frames = (run, name) => run.value(name) / run.num_frames;
  const rows = [];
  /* there: whether a run has what is counted. */
  const add = (title, name, write, there = () => true) => {
    if (!a.value(name) && !b.value(name)) return;
    const cells = [a, b].map((run) => (there(run) ? write(frames(run, name)) : "–"));
    rows.push([title, ...cells, ...(there(a) && there(b) ? difference(frames(a, name), frames(b, name), write) : ["–", "–"])]);
  };
  for (const stream of ["total", ...new Set([...a.streams(), ...b.streams()])]) {
    const name = stream === "total" ? "DRAM" : `DRAM, ${streamName(stream)}`;
    add(`${name}: read`, `dram.${stream}.read_bytes`, format.bytes);
    add(`${name}: written`, `dram.${stream}.write_bytes`, format.bytes);
  }
  const caches = [...new Set([...a.caches(), ...b.caches()])];
  caches.forEach((unit) => add(`${cacheName(unit)}: misses`, `${unit}.total.misses`, format.count, (run) => run.caches().includes(unit)));
  add("cycles", "gpu.cycles", format.count, (run) => run.timed);
  add("energy", "energy.system.total", format.energy, (run) => run.timed);
  [["vertices", "vertex_stage.vertices"], ["primitives", "tiling_engine.primitives"], ["PMDs", "tiling_engine.pmds"],
    ["fragments", "fragment_stage.fragments"]].forEach(([title, name]) => add(title, name, format.count));
  const rates = caches.map((unit) => {
    const [x, y] = [a.hitRate(unit), b.hitRate(unit)];
    return [cacheName(unit), format.percent(x), format.percent(y), x === null || y === null ? "–" : `${points(y - x)} points`];
  });
  const heads = ["a frame, on average", "this run", "the other", "difference", "in per cent"];
  return [plainTable("What a frame takes", heads, rows), plainTable("Hit rates", ["cache", "this run", "the other", "difference"], rates)];
}

function compareSettings({ a, b }) {
  const keys = [...new Set([...Object.keys(a.settings), ...Object.keys(b.settings)])].filter((key) => key !== "description" && a.settings[key] !== b.settings[key]);
  const table = plainTable("Settings that differ", ["key", "this run", "the other"],
    keys.map((key) => [key, format.text(a.settings[key] ?? "–"), format.text(b.settings[key] ?? "–")]), [], "text");
  return element("details", { open: keys.length <= 20 }, element("summary", {}, `${keys.length || "No"} settings differ`), table);
}

/* Rows of both with the same keys, as [row of a or null, row of b or null]. */
function match(a, b, keys) {
  const pairs = new Map();
  const name = (table, row) => keys.map((key) => (key === "pass_frame" ? table.value("frame", row) - table.value(key, row) : table.value(key, row))).join("/");
  a.rows().forEach((row) => pairs.set(name(a, row), [row, null]));
  b.rows().forEach((row) => pairs.set(name(b, row), [(pairs.get(name(b, row)) || [null])[0], row]));
  return [...pairs.values()];
}

/* A table of one counter, or of its differences, for what both frames have. */
class ComparedTable {
  constructor(page, what, keys) {
    Object.assign(this, { page, what, keys, element: element("div"), counter: "dram.total.read_bytes", sort: { column: keys.length + 2, down: true } });
  }

  draw(mine, other) {
    this.tables = [mine, other];
    if (!mine || !other) {
      this.element.replaceChildren(element("p", { class: "none" }, `One of the runs has no ${this.what} of frame ${this.page.frame} on this page.`));
      return;
    }
    const [a, b] = this.tables;
    const value = (table, name, row) => (row === null ? 0 : table.value(name, row));
    const names = [...new Set([...a.names(), ...b.names()])].filter((name) => name.includes("."));
    if (!names.includes(this.counter)) this.counter = names[0];
    const write = formatOf(this.counter);
    const keyColumns = this.keys.map(([key, title]) => ({ title, bar: false, number: key !== "pass", none: "none", format: format.text,
      value: ([x, y]) => {
        const table = x === null ? b : a, row = x === null ? y : x;
        return key === "pass" ? passName(table.value("frame", row), table.value("pass_frame", row), table.value("pass", row)) : table.value(key, row);
      } }));
    const change = ([x, y]) => value(b, this.counter, y) - value(a, this.counter, x);
    const columns = [...keyColumns, { title: "this run", value: ([x]) => value(a, this.counter, x), format: write },
      { title: "the other", value: ([, y]) => value(b, this.counter, y), format: write },
      { title: "difference", value: change, order: (pair) => Math.abs(change(pair)), hint: "sorted by size, whatever the sign", bar: false, format: (cell) => `${cell > 0 ? "+" : ""}${write(cell)}` },
      { title: "in per cent", bar: false, value: (pair) => (value(a, this.counter, pair[0]) ? change(pair) / value(a, this.counter, pair[0]) : null),
        format: (cell) => (cell === null ? "–" : `${points(cell)} %`) }];
    const pairs = match(a, b, ["pass_frame", ...this.keys.map(([key]) => key)])
      .filter(([x, y]) => value(a, this.counter, x) || value(b, this.counter, y));
    columns.slice(-4, -1).forEach((column) => { column.sum = pairs.reduce((sum, pair) => sum + column.value(pair), 0); });
    const table = new SortedTable(`${this.what === "draws" ? "Draws" : "Passes"} of frame ${this.page.frame} in both runs: ${this.counter}`, columns, pairs, { sort: this.sort, foot: "all" });
    this.element.replaceChildren(choice("Counter", names.map((name) => [name, name]), this.counter, (name) => {
      this.counter = name;
      this.draw(mine, other);
    }), table.element);
  }
}

function buildComparison(page) {
  const parts = [new ComparedTable(page, "passes", [["pass", "pass"]]), new ComparedTable(page, "draws", [["pass", "pass"], ["draw", "draw"]])];
  page.onTables(async (tables) => {
    const frame = page.frame;
    const other = frame < page.b.num_frames ? await page.b.attribution(frame) : null;
    if (frame === page.frame) parts.forEach((part) => part.draw(tables && tables[part.what], other && other[part.what]));
  });
  const { a, b } = page;
  return section("compare", "Two runs", definitionList([["This run", `${a.title} on ${a.run.preset}, ${a.num_frames} frames (${a.source || a.path})`],
    ["The other", `${b.title} on ${b.run.preset}, ${b.num_frames} frames (${b.source || b.path})`]]),
  a.num_frames === b.num_frames ? "" : element("p", { class: "note", role: "note" },
    "The runs have different numbers of frames: the averages may be of different pictures. Below, frames with the same number are compared."),
  element("div", { class: "tables" }, ...compareTotals(page)), compareSettings(page), ...parts.map((part) => part.element));
}
