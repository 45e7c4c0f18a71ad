/* SPDX-License-Identifier: MIT */
/* Two runs side by side: the other run against this one. */

/* A change of a share, as text: "+1.1". */
function points(change) {
  const text = (100 * change).toFixed(1);
  return /^-?0\.0$/.test(text) ? "0.0" : `${change > 0 ? "+" : ""}${text.replace("-", "−")}`;
}

/* Of costs less is better; neither is of hits, which there are fewer of where there are fewer accesses. */
const tone = (change, name = "") => (Math.abs(change) < 5e-4 || /hits$/.test(name) ? "" : change < 0 ? "better" : "worse");

/* By how much the other run has more than this one, with an arrow. */
function relative(mine, other, name) {
  if (!mine) return other ? "new" : "–";
  const change = other / mine - 1, how = tone(change, name);
  return element("span", { class: how, title: how || null }, `${how ? (change < 0 ? "▼ " : "▲ ") : ""}${points(change)} %`);
}

/* The means of both, over the frames that both have, but for those that look like loading in this run, as for
   report --fail-above. */
function commonMeans({ a, b }) {
  const both = a.usual.filter((frame) => frame < b.num_frames);
  const frames = both.length ? [both, both] : [a.usual, b.usual];
  const mean = (run, number) => (name) => frames[number].reduce((sum, frame) => sum + run.value(name, frame), 0) / frames[number].length;
  return { frames: both, values: [a, b].map(mean) };
}

const dramOf = (value) => value("dram.total.read_bytes") + value("dram.total.write_bytes");

/* The changes at the top of the page. */
function buildChange(page) {
  const { a, b } = page, [mine, other] = commonMeans(page).values;
  const parts = [["DRAM traffic", dramOf], ...(a.timed && b.timed ? [["cycles", (value) => value("gpu.cycles")], ["energy", (value) => value("energy.system.total")]] : []),
    ["fragments", (value) => value("fragment_stage.fragments")], ["vertices", (value) => value("vertex_stage.vertices")]].filter(([, of]) => of(mine) || of(other));
  return [element("p", { class: "change" }, element("a", { href: "#compare" }, "The other run"), ` (${b.title} on ${b.run.preset}) against this one, per frame: `,
    ...parts.flatMap(([what, of], number) => [number ? ", " : "", `${what} `, relative(of(mine), of(other))]), ".")];
}

function compareTotals(page) {
  const { a, b } = page, { values: [mine, other] } = commonMeans(page);
  const rows = [];
  /* there: whether a run has what is counted. */
  const add = (title, of, write, there = () => true) => {
    const values = [of(mine), of(other)];
    if (!values[0] && !values[1]) return;
    const both = there(a) && there(b);
    rows.push([title, ...[a, b].map((run, number) => (there(run) ? write(values[number]) : "–")),
      both ? `${values[1] > values[0] ? "+" : ""}${write(values[1] - values[0])}` : "–", both ? relative(...values) : "–"]);
  };
  const counter = (name) => (value) => value(name);
  add("DRAM", dramOf, format.bytes);
  for (const stream of ["total", ...new Set([...a.streams(), ...b.streams()])]) {
    const name = stream === "total" ? "DRAM" : `DRAM, ${streamName(stream)}`;
    add(`${name}: read`, counter(`dram.${stream}.read_bytes`), format.bytes);
    add(`${name}: written`, counter(`dram.${stream}.write_bytes`), format.bytes);
  }
  const caches = [...new Set([...a.caches(), ...b.caches()])];
  caches.forEach((unit) => add(`${cacheName(unit)}: misses`, counter(`${unit}.total.misses`), format.count, (run) => run.caches().includes(unit)));
  add("cycles", counter("gpu.cycles"), format.count, (run) => run.timed);
  add("energy", counter("energy.system.total"), format.energy, (run) => run.timed);
  [["vertices", "vertex_stage.vertices"], ["primitives", "tiling_engine.primitives"], ["PMDs", "tiling_engine.pmds"],
    ["fragments", "fragment_stage.fragments"]].forEach(([title, name]) => add(title, counter(name), format.count));
  const rate = (value, unit) => {
    const hits = value(`${unit}.total.hits`), all = hits + value(`${unit}.total.misses`);
    return all ? hits / all : null;
  };
  const rates = caches.map((unit) => {
    const [x, y] = [rate(mine, unit), rate(other, unit)];
    const known = x !== null && y !== null;
    return [cacheName(unit), format.percent(x), format.percent(y), known ? element("span", { class: tone(x - y) }, `${points(y - x)} points`) : "–"];
  });
  return [plainTable("What a frame takes", ["per frame, on average", "this run", "the other", "change", "in %"], rows),
    plainTable("Hit rates", ["cache", "this run", "the other", "change"], rates)];
}

function compareSettings({ a, b }) {
  const keys = [...new Set([...Object.keys(a.settings), ...Object.keys(b.settings)])].filter((key) => key !== "description" && a.settings[key] !== b.settings[key]);
  if (!keys.length) return element("p", {}, "Both runs have the same settings.");
  const table = plainTable("Settings that differ", ["key", "this run", "the other"],
    keys.map((key) => [key, format.text(a.settings[key] ?? "–"), format.text(b.settings[key] ?? "–")]), { kind: "text" });
  return element("details", { open: keys.length <= 20 }, element("summary", {}, `${plural(keys.length, "setting differs", "settings differ")}`), table);
}

const MOST_CHANGES = 15; /* that are shown at first */
const MOST_PAIRS = 4e6; /* of elements that are looked at */

/* Pairs two lists, each in its order, so that the sum of weights is the largest: [[a or null, b or null], …]. weight(a, b): 0:
 * they are no pair. */
function align(a, b, weight) {
  const pairs = [], width = b.length + 1;
  if (a.length * b.length > MOST_PAIRS) return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => [a[at] ?? null, b[at] ?? null]);
  const weights = a.map((one) => b.map((other) => weight(one, other)));
  const best = new Float64Array((a.length + 1) * width);
  for (let x = a.length - 1; x >= 0; x--) {
    for (let y = b.length - 1; y >= 0; y--) {
      const pair = weights[x][y] ? weights[x][y] + best[(x + 1) * width + y + 1] : 0;
      best[x * width + y] = Math.max(pair, best[(x + 1) * width + y], best[x * width + y + 1]);
    }
  }
  for (let x = 0, y = 0; x < a.length || y < b.length;) {
    const here = best[x * width + y];
    if (x < a.length && y < b.length && weights[x][y] && here === weights[x][y] + best[(x + 1) * width + y + 1]) pairs.push([a[x++], b[y++]]);
    else if (x < a.length && (y === b.length || here === best[(x + 1) * width + y])) pairs.push([a[x++], null]);
    else pairs.push([null, b[y++]]);
  }
  return pairs;
}

/* How alike two counts are, up to 1/2. */
const alike = (x, y) => (x || y ? Math.min(x, y) / Math.max(x, y) / 2 : 0.5);

/* What a frame has of each pass, by which it is found again: [{number, row, size, title, draws}]. */
function passesOf(tables, frame) {
  const { passes } = tables, get = (name, row) => passes.value(name, row);
  return passes.rows().filter((row) => get("pass_frame", row) === frame).sort((x, y) => get("pass", x) - get("pass", y)).map((row) => ({
    number: get("pass", row), row, size: `${get("width", row)} × ${get("height", row)}`, draws: get("draws", row), title: passTitle(tables, get("pass", row)) }));
}

/* Passes of both frames that are one another's, as pairs: names first, then sizes, then how much is drawn. */
function pairPasses(mine, other, frame) {
  return align(passesOf(mine, frame), passesOf(other, frame), (a, b) => {
    if (a.title && b.title ? a.title !== b.title : a.size !== b.size) return 0;
    return 1 + (a.title && a.title === b.title ? 1 : 0) + (a.size === b.size ? 0.5 : 0) + alike(a.draws, b.draws);
  });
}

/* The draws of a pair of passes: [{number, row}], the row of no draw first. */
function pairDraws(mine, other, frame, [a, b]) {
  const of = (table, pass) => (pass === null ? [] : table.rows().filter((row) => table.value("pass_frame", row) === frame && table.value("pass", row) === pass.number)
    .sort((x, y) => (table.value("draw", x) ?? -1) - (table.value("draw", y) ?? -1)).map((row) => ({ number: table.value("draw", row), row })));
  return align(of(mine, a), of(other, b), (x, y) => {
    if (x.number === null || y.number === null) return x.number === y.number ? 1 : 0;
    const same = (name) => mine.value(name, x.row) === other.value(name, y.row);
    const shaders = same("vertex_shader") && same("fragment_shader"), group = mine.value("group", x.row) && same("group");
    if (!shaders && !group) return 0;
    return 1 + (group ? 0.5 : 0) + (shaders ? 0.5 : 0) + alike(mine.value("vertex_stage.vertices", x.row), other.value("vertex_stage.vertices", y.row));
  });
}

/* A number here, and there, where that is another one. */
function bothNumbers(a, b) {
  const text = (one) => (one.number === null ? "none" : `${one.number}`);
  if (a === null) return `– (other: ${text(b)})`;
  if (b === null) return `${text(a)} (other: –)`;
  return a.number === b.number ? text(a) : `${text(a)} (other: ${text(b)})`;
}

/* A table of one counter for the pairs of passes, or of draws, of both frames. */
class ComparedTable {
  constructor(page, what) {
    Object.assign(this, { page, what, element: element("div"), counter: "dram.total.read_bytes", sort: { column: 4, down: true } });
  }

  /* [{pass: [a, b], draw: [a, b]}], of elements that have the rows. */
  pairs(mine, other) {
    const passes = pairPasses(mine, other, this.page.frame);
    if (this.what === "passes") return passes.map((pass) => ({ pass, rows: pass }));
    return passes.flatMap((pass) => pairDraws(mine.draws, other.draws, this.page.frame, pass).map((draw) => ({ pass, draw, rows: draw })));
  }

  draw(mine, other) {
    const needs = ["passes", this.what];
    if (!mine || !other || !needs.every((name) => mine[name] && other[name])) {
      this.element.replaceChildren(element("p", { class: "none" }, `One of the runs has no ${this.what} of frame ${this.page.frame} in this page.`));
      return;
    }
    const [a, b] = [mine[this.what], other[this.what]];
    const names = [...new Set([...a.names(), ...b.names()])].filter((name) => name.includes("."));
    if (!names.includes(this.counter)) this.counter = names[0];
    const write = formatOf(this.counter), { counter } = this;
    const first = ({ rows: [x] }) => (x === null ? 0 : a.value(counter, x.row)), second = ({ rows: [, y] }) => (y === null ? 0 : b.value(counter, y.row));
    const change = (pair) => second(pair) - first(pair);
    const text = (title, value) => ({ title, number: false, wrap: true, value });
    const columns = [text("pass", ({ pass }) => bothNumbers(...pass)), this.what === "passes" ? text("name", ({ pass: [x, y] }) => (x || y).title || (x || y).size)
      : text("draw", ({ draw }) => bothNumbers(...draw)),
    { title: "this run", value: first, format: write }, { title: "the other", value: second, format: write },
    { title: "change", value: change, order: (pair) => Math.abs(change(pair)), hint: "sorted by size, whatever the sign", bar: false, tone: (value) => tone(value, counter), format: (cell) => `${cell > 0 ? "+" : ""}${write(cell)}` },
    { title: "in %", bar: false, value: (pair) => (first(pair) ? change(pair) / first(pair) : null), none: () => "new", format: (_, pair) => relative(first(pair), second(pair), counter) }];
    const pairs = this.pairs(mine, other).filter((pair) => first(pair) || second(pair));
    columns.slice(2, 5).forEach((column) => { column.sum = pairs.reduce((sum, pair) => sum + column.value(pair), 0); });
    const table = new SortedTable(`${this.what === "draws" ? "Draws" : "Passes"} of frame ${this.page.frame} in both runs: ${counter}`, columns, pairs,
      { sort: { ...this.sort }, foot: "all", most: MOST_CHANGES, sorts: (column, down) => { this.sort = { column: columns.indexOf(column), down }; } });
    this.element.replaceChildren(choice("Counter", names.map((name) => [name, name]), counter, (name) => {
      this.counter = name;
      this.draw(mine, other);
    }), table.element);
  }
}

function buildComparison(page) {
  const parts = [new ComparedTable(page, "passes"), new ComparedTable(page, "draws")];
  page.onTables(async (tables) => {
    const frame = page.frame;
    const other = frame < page.b.num_frames ? await page.b.attribution(frame) : null;
    if (frame === page.frame) parts.forEach((part) => part.draw(tables, other));
  });
  const { a, b } = page, { frames } = commonMeans(page);
  const left = a.usual.length < a.num_frames;
  return section("compare", "Two runs", definitionList([["This run", `${a.title} on ${a.run.preset}, ${plural(a.num_frames, "frame")} (${a.source || a.path})`],
    ["The other", `${b.title} on ${b.run.preset}, ${plural(b.num_frames, "frame")} (${b.source || b.path})`]]),
  a.num_frames === b.num_frames ? "" : element("p", { class: "note", role: "note" },
    "The runs have different numbers of frames. Averages are of the frames that both have, and what is below compares frames with the same number."),
  left && frames.length ? element("p", { class: "hint" }, `Averages are of ${plural(frames.length, "frame")}: those that look like loading in this run are left out.`) : "",
  element("div", { class: "tables" }, ...compareTotals(page)), compareSettings(page), ...parts.map((part) => part.element));
}
