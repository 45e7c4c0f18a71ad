/* SPDX-License-Identifier: MIT */
/* Draws, textures and passes of the selected frame. */

/* A column of a counter; its sum is that of all rows. shown: before anybody chooses. */
function counterColumn(table, name, title, rows, shown = true) {
  return { title, id: name, shown, hint: name, value: (row) => table.value(name, row), format: formatOf(name),
    sum: rows.reduce((sum, row) => sum + table.value(name, row), 0) };
}

const passName = (frame, passFrame, pass) => (passFrame === frame ? `${pass}` : `${pass} of frame ${passFrame}`);

function passColumn(table) {
  return { title: "pass", number: false, value: (row) => passName(table.value("frame", row), table.value("pass_frame", row), table.value("pass", row)) };
}

/* Columns of texts or names that some rows have. */
function nameColumns(table, names) {
  return names.filter(([name]) => (table.columns[name] || []).some((value) => value !== null && value !== 0))
    .map(([name, title, shown]) => ({ title, id: name, shown, number: false, wrap: true, value: (row) => table.value(name, row) }));
}

/* The sum of the units' dynamic energy, where the table has it; the title says what is not in it. */
function energyColumns(page, table, rows) {
  const names = table.names().filter((name) => /^energy\.\w+\.dynamic$/.test(name) && !/^energy\.(memory_hierarchy|gpu|system)\./.test(name));
  if (!names.length) return [];
  const value = (row) => names.reduce((sum, name) => sum + table.value(name, row), 0);
  const sum = rows.reduce((all, row) => all + value(row), 0);
  const whole = page.a.value("energy.system.total", page.frame);
  return [{ title: `energy (${format.percent(whole ? sum / whole : null)} of the frame's)`, id: "energy", value, format: format.energy, sum,
    hint: `dynamic energy, the sum of ${names.join(", ")}; that of DRAM, of the mesh and leakage are of the whole GPU, and not attributed` }];
}

/* Columns of misses in each cache. */
function missColumns(page, table, rows) {
  return counters(table, rows, page.a.caches().map((unit) => [`${cacheName(unit)} misses`, `${unit}.total.misses`, false]));
}

/* With timing: cycles in which the Fragment Processors ran what a row is of, and in which they waited for its data. */
const fragmentCycles = [["cycles of shading", "fragment_processors.busy_cycles"], ["cycles of waiting for data", "fragment_processors.memory_cycles"]];

/* Columns of [title, counter, shown] that the table has. */
function counters(table, rows, list) {
  return list.filter(([, name]) => table.has(name)).map(([title, name, shown]) => counterColumn(table, name, title, rows, shown));
}

/* Why the page does not have these tables of the selected frame. */
function missing(page, names, option) {
  const run = page.a;
  if (!names.every((name) => run.attributions.includes(name))) return `This run has no ${names.join(" and ")}: simulate it with --attribute ${option}.`;
  const left = page.leftOut.get(page.frame);
  if (left) return left.say;
  if (page.frame < run.first || page.frame > run.last) return `Frame ${page.frame} is not among those of --frames ${run.first}-${run.last}.`;
  return `Frame ${page.frame} has no ${names.join(" and ")}.`;
}

/* Whether a text has all words of a filter; #7 is a texture, and not the beginning of #70. */
function matchesFilter(text, filter) {
  const tokens = text.toLowerCase().split(/\s+/);
  return filter.toLowerCase().split(/\s+/).every((word) => (/^#\d+$/.test(word) ? tokens.includes(word) : text.toLowerCase().includes(word)));
}

const FILTERED_ROWS = 8; /* a table with more rows has a filter */

/* A table of the frame's rows of an attribution. columns(table, rows): those with shown true or false can be chosen, and any
 * counter besides. */
class CounterTable {
  constructor(page, options) {
    Object.assign(this, { page, added: [], chosen: new Map(), filter: "", sort: null, prepare: (table) => table, tools: () => [],
      words: () => "", tables: null }, options);
    this.head = element("div", { class: "tools" });
    this.body = element("div");
    this.element = element("div", {}, this.head, this.body);
    this.input = element("input", { type: "search", placeholder: this.hint || "words of the row", input: () => {
      this.filter = this.input.value.trim();
      this.drawRows();
    } });
  }

  draw(tables) {
    this.tables = tables;
    const whole = tables && tables[this.what];
    this.table = whole && whole.length ? this.prepare(whole) : null;
    this.drawTools();
    this.drawRows();
  }

  isShown(column) {
    return column.shown === undefined || (this.chosen.get(column.id) ?? column.shown);
  }

  allColumns(rows) {
    const { table } = this;
    return [...this.columns(table, rows), ...this.added.filter((name) => table.has(name)).map((name) => ({ ...counterColumn(table, name, name, rows), shown: undefined }))];
  }

  drawTools() {
    const { table } = this;
    if (!table) {
      this.head.replaceChildren();
      return;
    }
    const columns = this.allColumns([]);
    const boxes = columns.filter((column) => column.shown !== undefined).map((column) => element("label", { class: "choice" },
      element("input", { type: "checkbox", checked: this.isShown(column), change: (event) => {
        this.chosen.set(column.id, event.target.checked);
        this.drawRows();
      } }), ` ${column.title}`));
    const others = table.names().filter((name) => name.includes(".") && !columns.some((column) => column.id === name));
    const more = choice("Another column", [["", "choose a counter …"], ...others.map((name) => [name, name])], "", (name) => {
      if (!name) return;
      this.added.push(name);
      this.sort = { id: name, down: true };
      this.drawTools();
      this.drawRows();
    });
    const open = this.head.querySelector("details")?.open || false;
    this.head.replaceChildren(...this.tools(table), element("label", { class: "choice", hidden: table.length <= FILTERED_ROWS }, "Filter ", this.input),
      element("details", { class: "columns", open }, element("summary", {}, "Columns"), ...boxes, more));
  }

  drawRows() {
    const { table } = this;
    if (!table) {
      this.body.replaceChildren(element("p", { class: "none" }, missing(this.page, [this.what], this.option)));
      return;
    }
    const used = table.names().filter((name) => name.includes("."));
    const rows = table.rows().filter((row) => used.some((name) => table.value(name, row)));
    const keys = this.allColumns([]).filter((column) => column.number === false || column.none);
    const text = (row) => [...keys.map((column) => (column.text || column.value)(row) ?? "none"), this.words(table, row)].join(" ");
    const found = this.filter && table.length > FILTERED_ROWS ? rows.filter((row) => matchesFilter(text(row), this.filter)) : rows;
    const columns = this.allColumns(found).filter((column) => this.isShown(column));
    const sort = this.sort || { id: this.first, down: true };
    const at = columns.findIndex((column) => (column.id || column.title) === sort.id);
    this.sorted = new SortedTable(this.caption(this.page.frame, found, table), columns, found,
      { sort: { column: Math.max(0, at), down: at >= 0 && sort.down }, foot: found.length < rows.length ? `${format.count(found.length)} of ${format.count(rows.length)} rows` : "all",
        /* The next frame's are sorted by the same column. */
        sorts: (column, down) => { this.sort = { id: column.id || column.title, down }; } });
    this.body.replaceChildren(this.sorted.element);
  }

  /* Marks the row that matches, whatever was filtered. */
  reveal(matches) {
    if (!this.table) return false;
    this.setFilter("");
    return this.sorted.reveal((row) => matches(this.table, row));
  }

  setFilter(text) {
    this.input.value = this.filter = text;
    this.drawRows();
  }
}

/* ---- draws ---- */

const OF_NO_DRAW = "none: traffic of no draw, such as tile loads and stores";

/* Rows of draws that share a key as one: keys(table, row) are those that the row counts for. */
function sumDraws(table, keys) {
  const names = table.names().filter((name) => name.includes("."));
  const columns = Object.fromEntries([...names, "frame", "key", "draws"].map((name) => [name, []]));
  const places = new Map();
  table.rows().forEach((row) => keys(table, row).forEach((key) => {
    if (!places.has(key)) {
      places.set(key, columns.frame.length);
      columns.frame.push(table.value("frame", row));
      columns.key.push(key);
      columns.draws.push(0);
      names.forEach((name) => columns[name].push(0));
    }
    const place = places.get(key);
    columns.draws[place] += table.value("draw", row) !== null && table.value("frame", row) === table.value("pass_frame", row) ? 1 : 0;
    names.forEach((name) => { columns[name][place] += table.value(name, row); });
  }));
  return new Table(columns);
}

/* "0e7240004c1db631 \"wall\", 18 instructions": of a shader that the recording has. */
function shaderText(run, hash) {
  const known = run.shaders && run.shaders[hash];
  if (!known) return hash;
  return `${hash}${known[0] ? ` "${known[0]}"` : ""}, ${plural(known[1], "instruction")}`;
}

const textureLabels = remembered(({ textures }) => new Map(textures && textures.has("label")
  ? textures.rows().map((row) => [textures.value("resource", row), textures.value("label", row)]) : []));

/* "#7 wall": of a texture of the frame. */
function textureText(tables, resource) {
  const label = textureLabels(tables).get(resource);
  return `#${resource}${label ? ` ${label}` : ""}`;
}

function buildDraws(page) {
  let by = "draw";
  const none = (table, row) => (table.value("draw", row) === null ? [OF_NO_DRAW] : null);
  const name = (column) => (table, row) => none(table, row) || [table.value(column, row) || `no ${words(column)}`];
  const sums = {
    "debug group": name("group"),
    "fragment shader": (table, row) => none(table, row) || [shaderText(page.a, table.value("fragment_shader", row)) || "none"],
    "vertex shader": (table, row) => none(table, row) || [shaderText(page.a, table.value("vertex_shader", row)) || "none"],
    texture: (table, row) => {
      const used = table.value("textures", row);
      return none(table, row) || (used && used.length ? used.map((resource) => textureText(draws.tables, resource)) : ["no texture"]);
    },
  };
  const has = { "debug group": "group", "fragment shader": "fragment_shader", "vertex shader": "vertex_shader", texture: "textures" };
  const keyColumns = (table) => (by === "draw" ? [passColumn(table),
    { title: "draw", value: (row) => table.value("draw", row), bar: false, none: () => element("span", { class: "aside" }, OF_NO_DRAW), format: format.text },
    ...nameColumns(table, [["group", "group", true], ["marker", "marker", true], ["call", "call", true], ["vertex_shader", "vertex shader", false], ["fragment_shader", "fragment shader", false]]),
    ...(table.has("textures") ? [{ title: "textures", id: "textures", shown: true, number: false, wrap: true, value: (row) => (table.value("textures", row) || []).length,
      text: (row) => (table.value("textures", row) || []).map((resource) => textureText(draws.tables, resource)).join(" "),
      format: (_, row) => (table.value("textures", row) || []).flatMap((resource, number) => [number ? ", " : "",
        placeLink(page, `#${resource}`, { frame: page.frame, texture: resource }, textureText(draws.tables, resource))]) }] : [])]
    : [{ title: by, number: false, wrap: true, value: (row) => table.value("key", row) }, { title: "draws", value: (row) => table.value("draws", row), bar: false }]);
  const draws = new CounterTable(page, {
    what: "draws", option: "draw", first: "dram.total.read_bytes", hint: "group, shader, call, #texture",
    prepare: (table) => (by === "draw" ? table : sumDraws(table, sums[by])),
    tools: (table) => {
      const whole = draws.tables.draws, kinds = Object.keys(sums).filter((kind) => (whole.columns[has[kind]] || []).some((value) => value && value.length));
      return kinds.length ? [choice("Rows", [["draw", "each draw"], ...kinds.map((kind) => [kind, `sums by ${kind}`])], by, (kind) => {
        by = kind;
        draws.draw(draws.tables);
      })] : [];
    },
    caption: (frame, rows, table) => {
      const whole = draws.tables.draws;
      const count = whole.rows().filter((row) => whole.value("draw", row) !== null && whole.value("pass_frame", row) === frame).length;
      return `${plural(count, "draw")} in frame ${frame}${by === "draw" ? "" : `, summed by ${by}${by === "texture" ? "; a draw counts for each of its textures" : ""}`}. Row "none": traffic of no draw, such as tile loads and stores.`;
    },
    columns: (table, rows) => [...keyColumns(table), ...energyColumns(page, table, rows),
      ...counters(table, rows, [["DRAM read", "dram.total.read_bytes", true], ["DRAM written", "dram.total.write_bytes", true], ["texture DRAM read", "dram.texture.read_bytes", false],
        ["vertices", "vertex_stage.vertices", true], ["primitives", "tiling_engine.primitives", false], ["PMDs", "tiling_engine.pmds", false],
        ["quads", "fragment_stage.quads", false], ["fragments", "fragment_stage.fragments", true], ...fragmentCycles.map((one) => [...one, true])]),
      ...missColumns(page, table, rows)],
    words: (table, row) => (by === "draw" ? `${table.value("vertex_shader", row)} ${table.value("fragment_shader", row)} draw ${table.value("draw", row) ?? "none"}` : ""),
  });
  page.onTables((tables) => draws.draw(tables));
  page.shows("draw", (place) => {
    by = "draw";
    draws.draw(draws.tables);
    return draws.reveal((table, row) => table.value("draw", row) === place.draw && table.value("pass", row) === place.pass && table.value("pass_frame", row) === place.frame);
  });
  page.filterDraws = (text) => {
    by = "draw";
    draws.draw(draws.tables);
    draws.setFilter(text);
    draws.element.closest("section").scrollIntoView();
  };
  return section("draws", "Draws", draws.element);
}

/* ---- textures ---- */

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

/* {resource: how many draws of the frame use it as a texture}; null: it is not known. */
function countUsers(tables) {
  const { draws } = tables;
  if (!draws || !draws.has("textures")) return null;
  const users = new Map();
  draws.rows().forEach((row) => (draws.value("textures", row) || []).forEach((resource) => users.set(resource, (users.get(resource) || 0) + 1)));
  return users;
}

function buildTextures(page) {
  let apart = false, users = null;
  const drawsColumn = (table) => (users ? [{ title: "draws", value: (row) => users.get(table.value("resource", row)) || null, bar: false, hint: "that use it as a texture",
    format: (count, row) => element("a", { href: "#draws", click: (event) => {
      event.preventDefault();
      page.filterDraws(`#${table.value("resource", row)}`);
    } }, format.count(count)) }] : []);
  const textures = new CounterTable(page, {
    what: "textures", option: "texture", first: "dram.total.read_bytes", hint: "label, format, kind",
    prepare: (table) => (apart ? table : byResource(table)),
    tools: () => [element("label", { class: "choice" }, element("input", { type: "checkbox", checked: apart, change: (event) => {
      apart = event.target.checked;
      textures.draw(textures.tables);
    } }), " a row for each pass")],
    caption: (frame) => `Textures, buffers and windows in frame ${frame}. Row "none": shaders, the Parameter Buffer, and what else is no resource.`,
    columns: (table, rows) => [{ title: "resource", value: (row) => table.value("resource", row), none: () => "none", format: format.text, bar: false },
      apart ? passColumn(table) : { title: "passes", number: false, wrap: true, value: (row) => String(table.value("pass", row)) }, ...drawsColumn(table),
      { title: "kind", number: false, value: (row) => table.value("kind", row) },
      ...nameColumns(table, [["label", "label"], ["format", "format"]]),
      { title: "size", number: false, value: (row) => sizeOf(table, row) },
      { title: "memory", id: "memory", shown: true, value: (row) => table.value("bytes", row), format: (value) => (value === null ? "–" : format.bytes(value)), bar: false },
      { title: "asked for", id: "asked for", shown: true, hint: "accesses where they arrive first, times the block", value: (row) => touchedBytes(page.a, table, row), format: format.bytes },
      ...counters(table, rows, [["DRAM read", "dram.total.read_bytes", true], ["DRAM written", "dram.total.write_bytes", true], ["footprints", "fragment_stage.footprints", false],
        ...fragmentCycles.map((one) => [...one, true])]), ...missColumns(page, table, rows)],
  });
  page.onTables((tables) => {
    users = tables && countUsers(tables);
    textures.draw(tables);
  });
  page.shows("texture", (place) => textures.reveal((table, row) => table.value("resource", row) === place.texture));
  return section("textures", "Textures and other resources", textures.element);
}

/* ---- passes ---- */

const passTitles = remembered(({ draws, textures }) => {
  const titles = new Map();
  if (textures && textures.has("label")) {
    const stored = storedRows(textures);
    rowsByPass(textures).forEach((rows, pass) => {
      const target = rows.find((row) => textures.value("label", row) && stored(row));
      if (target !== undefined) titles.set(pass, `to ${textures.value("label", target)}`);
    });
  }
  if (draws && draws.has("group")) {
    rowsByPass(draws).forEach((rows, pass) => {
      const groups = rows.filter((row) => draws.value("draw", row) !== null).map((row) => (draws.value("group", row) || "").split("/"));
      const common = (groups[0] || []).filter((_, place, first) => groups.every((group) => first.slice(0, place + 1).every((part, number) => part === group[number]))).join("/");
      if (common) titles.set(pass, common);
    });
  }
  return titles;
});

/* What the program calls a pass of the frame: the debug group that all of its draws are in, or, where there is none, the label
 * of what it renders to; "": neither. */
const passTitle = (tables, pass) => passTitles(tables).get(pass) || "";

function buildPasses(page) {
  const attachment = (direction) => ["color", "depth", "stencil"].map((stream) =>
    [`${streamName(stream)} ${direction === "read" ? "loads" : "stores"}`, `dram.${stream}.${direction}_bytes`, true]);
  const own = (table, row) => table.value("pass_frame", row) === page.frame;
  const pictureColumn = (table) => (passes.tables.thumbnails ? [{ title: "picture", number: false, value: (row) => table.value("pass", row), text: () => "",
    format: (pass, row) => (own(table, row) && thumbnail(passes.tables, pass)) || "" }] : []);
  const titles = (table) => {
    const found = table.rows().map((row) => (own(table, row) ? passTitle(passes.tables, table.value("pass", row)) : ""));
    return found.some((title) => title) ? [{ title: "name", number: false, wrap: true, value: (row) => found[row] }] : [];
  };
  const passes = new CounterTable(page, {
    what: "passes", option: "pass", first: "none",
    caption: (frame, rows, table) => {
      const before = rows.filter((row) => !own(table, row)).length;
      return `${plural(rows.length - before, "render pass", "render passes")} in frame ${frame}${before ? `; ${plural(before, "row")} of earlier frames: what they left in the caches` : ""}`;
    },
    columns: (table, rows) => [passColumn(table), ...titles(table), ...pictureColumn(table), { title: "size", number: false, value: (row) => {
      const width = table.value("width", row);
      return width ? `${width} × ${table.value("height", row)}` : "";
    } }, { title: "tiles", id: "tiles", shown: false, number: false, value: (row) => {
      const across = table.value("tiles_x", row);
      return across ? `${across} × ${table.value("tiles_y", row)}` : "";
    } }, { title: "draws", value: (row) => table.value("draws", row) }, { title: "primitives", id: "primitives", shown: false, value: (row) => table.value("primitives", row) },
    ...counters(table, rows, [...attachment("read"), ...attachment("write"), ["DRAM read", "dram.total.read_bytes", true], ["DRAM written", "dram.total.write_bytes", true],
      ["PMDs", "tiling_engine.pmds", false], ["fragments", "fragment_stage.fragments", true], ["cycles", "gpu.cycles", true], ...fragmentCycles.map((one) => [...one, false])]),
    ...missColumns(page, table, rows)],
  });
  page.onTables((tables) => passes.draw(tables));
  page.shows("pass", (place) => passes.reveal((table, row) => table.value("pass", row) === place.pass && table.value("pass_frame", row) === place.frame));
  return section("passes", "Render passes", passes.element);
}
