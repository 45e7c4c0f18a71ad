/* SPDX-License-Identifier: MIT */
/* Draws, textures and passes of the selected frame. */

/* A column of a counter; its sum is that of all rows. */
function counterColumn(table, name, title, rows) {
  return { title, hint: name, value: (row) => table.value(name, row), format: formatOf(name), name,
    sum: rows.reduce((sum, row) => sum + table.value(name, row), 0) };
}

const passName = (frame, passFrame, pass) => (passFrame === frame ? `${pass}` : `${pass} of frame ${passFrame}`);

function passColumn(table) {
  return { title: "pass", number: false, value: (row) => passName(table.value("frame", row), table.value("pass_frame", row), table.value("pass", row)) };
}

/* Columns of texts or names that some rows have. */
function nameColumns(table, names) {
  return names.filter(([name]) => (table.columns[name] || []).some((value) => value !== null && value !== 0))
    .map(([name, title]) => ({ title, number: false, wrap: true, value: (row) => table.value(name, row) }));
}

/* The sum of the units' dynamic energy, where the table has it. */
function energyColumns(table, rows) {
  const names = table.names().filter((name) => /^energy\.\w+\.dynamic$/.test(name) && !/^energy\.(memory_hierarchy|gpu|system)\./.test(name));
  const value = (row) => names.reduce((sum, name) => sum + table.value(name, row), 0);
  return names.length ? [{ title: names.includes("energy.dram.dynamic") ? "dynamic energy" : "energy without DRAM", hint: `the sum of ${names.join(", ")}`, value, format: format.energy,
    sum: rows.reduce((sum, row) => sum + value(row), 0) }] : [];
}

/* [title, counter] of misses in each cache. */
function missCounters(run, table) {
  return run.caches().map((unit) => [`${cacheName(unit)} misses`, `${unit}.total.misses`]).filter(([, name]) => table.has(name));
}

/* With timing: cycles in which the Fragment Processors ran what a row is of, and in which they waited for its data. */
const fragmentCycles = [["cycles of shading", "fragment_processors.busy_cycles"], ["cycles of waiting for data", "fragment_processors.memory_cycles"]];

/* A select that adds a column of any counter that the table has. */
function columnChoice(table, shown, page, add) {
  const names = table.names().filter((name) => name.includes(".") && !shown.includes(name));
  return choice("Another column", [["", "choose a counter …"], ...names.map((name) => [name, name])], "", (name) => name && add(name));
}

/* A table of the frame's rows of an attribution with columns of counters, and more of them as chosen. */
class CounterTable {
  constructor(page, options) {
    Object.assign(this, { page, added: [], element: element("div"), sort: null, prepare: (table) => table, tools: () => [] }, options);
  }

  draw(frame) {
    this.whole = frame;
    if (!frame || !frame.length) {
      this.element.replaceChildren(element("p", { class: "none" }, missing(this.page, ...this.none)));
      return;
    }
    const table = this.prepare(frame);
    const used = table.names().filter((name) => name.includes("."));
    const rows = table.rows().filter((row) => used.some((name) => table.value(name, row)));
    const keys = this.keys(table);
    const counters = [...this.counters(table).filter(([, name]) => table.has(name)), ...this.added.map((name) => [name, name])];
    const columns = [...keys, ...energyColumns(table, rows), ...counters.map(([title, name]) => counterColumn(table, name, title, rows))];
    if (!this.sort) {
      const column = columns.findIndex((one) => one.name === this.first);
      this.sort = { column: Math.max(0, column), down: column >= 0 };
    }
    const sorted = new SortedTable(this.caption(this.page.frame, rows, table), columns, rows, { sort: this.sort, foot: "all" });
    const chooser = columnChoice(table, counters.map(([, name]) => name), this.page, (name) => {
      this.added.push(name);
      this.sort.column = columns.length;
      this.sort.down = true;
      this.draw(this.whole);
    });
    this.element.replaceChildren(...this.tools(), chooser, sorted.element);
  }
}

function missing(page, what, option) {
  return `The page has no ${what} of this frame: simulate with --attribute ${option}` +
    (page.a.left_out.length ? `, or select frames with --frames (${page.a.left_out.length} frames are left out).` : ".");
}

function buildDraws(page) {
  const draws = new CounterTable(page, {
    none: ["draws", "draw"], first: "dram.total.read_bytes",
    caption: (frame, rows, table) => `${format.count(rows.filter((row) => table.value("draw", row) !== null).length)} draws of frame ${frame}; none: loads and stores of tiles, and what else is of no draw`,
    keys: (table) => [passColumn(table), { title: "draw", value: (row) => table.value("draw", row), bar: false, none: "none", format: format.text },
      ...nameColumns(table, [["group", "group"], ["marker", "marker"], ["call", "call"]])],
    counters: (table) => [["DRAM read", "dram.total.read_bytes"], ["DRAM written", "dram.total.write_bytes"], ["texture DRAM read", "dram.texture.read_bytes"],
      ...missCounters(page.a, table), ["vertices", "vertex_stage.vertices"], ["primitives", "tiling_engine.primitives"], ["PMDs", "tiling_engine.pmds"],
      ["quads", "fragment_stage.quads"], ["fragments", "fragment_stage.fragments"], ...fragmentCycles],
  });
  page.onTables((tables) => draws.draw(tables && tables.draws));
  return section("draws", "Draws", draws.element);
}

/* Bytes that a row's accesses ask for where they arrive first: so many blocks, or what DRAM transfers. */
function touchedBytes(run, table, row) {
  let bytes = 0;
  for (const stream in Object.fromEntries(Object.keys(run.settings).filter((key) => key.startsWith("streams.")).map((key) => [key.slice(8), 0]))) {
    const unit = run.firstUnit(stream);
    bytes += unit === "dram" ? table.value(`dram.${stream}.read_bytes`, row) + table.value(`dram.${stream}.write_bytes`, row)
      : run.block(unit) * (table.value(`${unit}.${stream}.reads`, row) + table.value(`${unit}.${stream}.writes`, row));
  }
  return bytes;
}

function sizeOf(table, row) {
  const get = (name) => table.value(name, row);
  if (!get("width")) return "";
  const extent = [get("width"), get("height"), ...(get("depth") > 1 ? [get("depth")] : [])].join(" × ");
  return extent + (get("layers") > 1 ? `, ${get("layers")} layers` : "") + (get("levels") > 1 ? `, ${get("levels")} levels` : "") +
    (get("samples") > 1 ? `, ${get("samples")} samples` : "");
}

/* The rows of each resource as one: counters are added up, the passes listed. */
function byResource(table) {
  const columns = Object.fromEntries(table.names().map((name) => [name, []]));
  const places = new Map();
  table.rows().forEach((row) => {
    const resource = table.value("resource", row);
    const place = places.get(resource);
    const pass = passName(table.value("frame", row), table.value("pass_frame", row), table.value("pass", row));
    if (place === undefined) {
      places.set(resource, columns.frame.length);
      for (const name in columns) columns[name].push(name === "pass" ? pass : table.value(name, row));
      return;
    }
    columns.pass[place] += `, ${pass}`;
    for (const name in columns) if (name.includes(".")) columns[name][place] += table.value(name, row);
  });
  return new Table(columns);
}

function buildTextures(page) {
  let apart = false;
  const textures = new CounterTable(page, {
    prepare: (table) => (apart ? table : byResource(table)),
    tools: () => [element("label", { class: "choice" }, element("input", { type: "checkbox", checked: apart, change: (event) => {
      apart = event.target.checked;
      textures.draw(textures.whole);
    } }), " each pass by itself")],
    none: ["textures", "texture"], first: "dram.total.read_bytes",
    caption: (frame) => `Textures, buffers and windows of frame ${frame}; none: shaders, the Parameter Buffer, and what else is no resource`,
    keys: (table) => [{ title: "resource", value: (row) => table.value("resource", row), none: "none", format: format.text, bar: false },
      apart ? passColumn(table) : { title: "passes", number: false, wrap: true, value: (row) => String(table.value("pass", row)) }, { title: "kind", number: false, value: (row) => table.value("kind", row) },
      ...nameColumns(table, [["label", "label"], ["format", "format"]]),
      { title: "size", number: false, value: (row) => sizeOf(table, row) },
      { title: "memory", value: (row) => table.value("bytes", row), format: (value) => (value === null ? "–" : format.bytes(value)), bar: false },
      { title: "asked for", hint: "accesses where they arrive first, times the block", value: (row) => touchedBytes(page.a, table, row), format: format.bytes }],
    counters: (table) => [["DRAM read", "dram.total.read_bytes"], ["DRAM written", "dram.total.write_bytes"], ["footprints", "fragment_stage.footprints"], ...missCounters(page.a, table),
      ...fragmentCycles],
  });
  page.onTables((tables) => textures.draw(tables && tables.textures));
  return section("textures", "Textures and other resources", textures.element);
}

function buildPasses(page) {
  const attachment = (direction) => ["color", "depth", "stencil"].map((stream) =>
    [`${streamName(stream)} ${direction === "read" ? "loads" : "stores"}`, `dram.${stream}.${direction}_bytes`]);
  let current = null;
  const pictureColumn = (table) => (current.thumbnails ? [{ title: "picture", number: false, value: (row) => table.value("pass", row),
    format: (pass, row) => (table.value("pass_frame", row) === page.frame && thumbnail(current, page.frame, pass)) || "" }] : []);
  const passes = new CounterTable(page, {
    none: ["passes", "pass"], first: "none",
    caption: (frame) => `Render passes of frame ${frame}; those of earlier frames: what they left in the caches`,
    keys: (table) => [passColumn(table), ...pictureColumn(table), { title: "size", number: false, value: (row) => {
      const width = table.value("width", row);
      return width ? `${width} × ${table.value("height", row)}` : "";
    } }, { title: "tiles", number: false, value: (row) => {
      const across = table.value("tiles_x", row);
      return across ? `${across} × ${table.value("tiles_y", row)}` : "";
    } }, { title: "draws", value: (row) => table.value("draws", row) }, { title: "primitives", value: (row) => table.value("primitives", row) }],
    counters: (table) => [...attachment("read"), ...attachment("write"), ["DRAM read", "dram.total.read_bytes"], ["DRAM written", "dram.total.write_bytes"],
      ["PMDs", "tiling_engine.pmds"], ["fragments", "fragment_stage.fragments"], ...missCounters(page.a, table), ...fragmentCycles],
  });
  page.onTables((tables) => {
    current = tables;
    passes.draw(tables && tables.passes);
  });
  return section("passes", "Render passes", passes.element);
}
