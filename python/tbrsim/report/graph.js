/* SPDX-License-Identifier: MIT */
/* The render graph of the selected frame: its passes in their order from top to bottom, what each renders to on the
 * right, and between them a line for each target from where it is stored to where it is read. */

const ATTACHED = ["color", "display", "depth", "stencil"];
const LANE = 18; /* pixels from line to line */
const MOST_PASSES = 60; /* until all are asked for */
const MOST_INPUTS = 6; /* of a pass that are listed one by one */
const MOST_EARLIER = 8; /* targets of earlier frames that are shown */

/* Bytes of a stream where its accesses arrive first. */
function arrivingBytes(run, table, row, stream, direction) {
  const unit = run.firstUnit(stream);
  return unit === "dram" ? table.value(`dram.${stream}.${direction}_bytes`, row)
    : run.block(unit) * table.value(`${unit}.${stream}.${direction}s`, row);
}

/* What each pass of the frame does with textures and windows, as [{number, row, uses: [{resource, loaded, sampled,
 * stored, streams}]}] and {resource: its row}. */
function readGraph(page, { passes, textures }) {
  const run = page.a, frame = page.frame, resources = new Map(), found = new Map();
  passes.rows().filter((row) => passes.value("pass_frame", row) === frame)
    .forEach((row) => found.set(passes.value("pass", row), { number: passes.value("pass", row), row, uses: [] }));
  textures.rows().forEach((row) => {
    const resource = textures.value("resource", row), pass = found.get(textures.value("pass", row));
    if (!pass || resource === null || textures.value("pass_frame", row) !== frame || textures.value("kind", row) === "buffer") return;
    const bytes = (streams, direction) => streams.reduce((sum, stream) => sum + arrivingBytes(run, textures, row, stream, direction), 0);
    const use = { resource, sampled: bytes(["texture"], "read"), loaded: bytes(ATTACHED, "read"), stored: bytes(ATTACHED, "write"),
      streams: ATTACHED.filter((stream) => bytes([stream], "write") || bytes([stream], "read")) };
    if (!use.sampled && !use.loaded && !use.stored) return;
    resources.set(resource, row);
    pass.uses.push(use);
  });
  return { passes: [...found.values()].sort((a, b) => a.number - b.number), resources };
}

/* Whether passes may write parts of the resource, one after another. */
const hasParts = (table, row) => ["levels", "layers", "depth"].some((name) => table.value(name, row) > 1);

/* For each target of the frame the pieces of its line, [{resource, steps: [{place, ...use}], start, end}]: from what wrote it to the
 * last that reads that. place: of the pass in the frame; −1: an earlier frame's. */
function findLines({ passes, resources }, textures, targets, frame) {
  const events = new Map();
  passes.forEach((pass, place) => pass.uses.forEach((use) => {
    if (!targets[use.resource]) return;
    if (!events.has(use.resource)) events.set(use.resource, []);
    events.get(use.resource).push({ place, ...use });
  }));
  const lines = [];
  for (const [resource, steps] of events) {
    const parts = hasParts(textures, resources.get(resource));
    const [frameOfFirst, passOfFirst] = targets[resource].first;
    const before = frameOfFirst < frame || (frameOfFirst === frame && passOfFirst < passes[steps[0].place].number);
    let line = { resource, steps: before ? [{ place: -1, stored: 1 }] : [] };
    const finish = () => {
      while (line.steps.length && !reads(line.steps[line.steps.length - 1])) line.steps.pop();
      if (line.steps.length > 1) lines.push({ ...line, start: line.steps[0].place, end: line.steps[line.steps.length - 1].place });
    };
    for (const step of steps) {
      if (step.stored && !reads(step) && !parts) {
        finish();
        line = { resource, steps: [] };
      }
      line.steps.push(step);
    }
    finish();
  }
  return lines;
}

const reads = (step) => step.loaded > 0 || step.sampled > 0;

/* Gives each line the first lane that is free from its first step to its last; returns their number. */
function assignLanes(lines) {
  const busyUntil = [];
  lines.sort((a, b) => a.start - b.start);
  for (const line of lines) {
    const lane = busyUntil.findIndex((place) => place < line.start);
    line.lane = lane < 0 ? busyUntil.length : lane;
    busyUntil[line.lane] = line.end;
  }
  return busyUntil.length;
}

function vector(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  made.append(...children);
  return made;
}

/* A place's part of the lines, by heights in its row: stores leave next to the first target, texture reads and loads arrive
 * below it. */
const HEIGHTS = { stored: "24", sampled: "58%", loaded: "80%" };

function drawLanes(place, lines, lanes, stores) {
  const x = (line) => (line.lane + 1) * LANE;
  const width = (lanes + 1) * LANE;
  const picture = vector("svg", { class: "lanes", width, "aria-hidden": "true" });
  const here = lines.filter((line) => line.start <= place && line.end >= place);
  const across = (kind, from, to, more = {}) => picture.append(vector("line", { class: kind, x1: from, x2: to, y1: HEIGHTS[kind], y2: HEIGHTS[kind], ...more }));
  if (stores) across("stored", 0, "100%");
  for (const kind of ["sampled", "loaded"]) {
    const readers = here.filter((line) => line.steps.some((step) => step.place === place && step[kind]));
    if (!readers.length) continue;
    across(kind, 0, Math.max(...readers.map(x)));
    picture.append(vector("svg", { y: HEIGHTS[kind], overflow: "visible" }, vector("path", { class: "tip", d: "M7 -4 L0 0 L7 4 z" })));
  }
  here.forEach((line) => {
    const ink = COLOURS[line.ink % COLOURS.length];
    const steps = line.steps.filter((step) => step.place === place);
    const lowest = ["loaded", "sampled"].map((kind) => (steps.some((step) => step[kind]) ? HEIGHTS[kind] : null)).find((y) => y);
    const group = vector("g", { "data-resource": line.resource, stroke: ink, fill: ink });
    const stored = steps.some((step) => step.stored);
    const from = line.start < place ? "0%" : HEIGHTS.stored;
    group.append(vector("line", { class: "lane", x1: x(line), x2: x(line), y1: from, y2: line.end > place ? "100%" : lowest }));
    for (const kind in HEIGHTS) {
      const marked = kind === "stored" ? stored && line.end > place : steps.some((step) => step[kind]);
      if (marked) group.append(vector("circle", { cx: x(line), cy: HEIGHTS[kind], r: 4 }));
    }
    picture.append(group);
  });
  return picture;
}

class RenderGraph {
  constructor(page) {
    Object.assign(this, { page, element: element("div") });
    ["pointerover", "focusin"].forEach((name) => this.element.addEventListener(name, (event) => this.light(event)));
    ["pointerleave", "focusout"].forEach((name) => this.element.addEventListener(name, () => this.light(null)));
  }

  /* The lines of the target under the pointer, or with the focus, in front of the others. */
  light(event) {
    const of = event && event.target.closest("[data-resource]");
    const resource = of ? of.dataset.resource : null;
    if (resource === this.lit) return;
    this.lit = resource;
    this.element.classList.toggle("lighting", resource !== null);
    this.element.querySelectorAll("[data-resource]").forEach((one) => one.classList.toggle("lit", one.dataset.resource === resource));
  }

  draw(tables) {
    this.lit = null;
    if (!tables || !tables.passes || !tables.textures) {
      this.element.replaceChildren(element("p", { class: "none" }, missing(this.page, ["passes", "textures"], "pass,texture")));
      return;
    }
    this.tables = tables;
    this.graph = readGraph(this.page, tables);
    this.lines = findLines(this.graph, tables.textures, this.page.a.targets, this.page.frame);
    const bytes = (line) => line.steps.reduce((sum, step) => sum + (step.sampled || 0) + (step.loaded || 0), 0);
    const earlier = this.lines.filter((line) => line.start < 0).sort((a, b) => bytes(b) - bytes(a));
    this.shown = this.lines.filter((line) => !earlier.slice(MOST_EARLIER).includes(line));
    this.earlierLines = earlier;
    const inks = [...new Set(this.shown.map((line) => line.resource))];
    this.shown.forEach((line) => { line.ink = inks.indexOf(line.resource); });
    this.lanes = assignLanes(this.shown);
    this.drawPasses(MOST_PASSES);
  }

  drawPasses(most) {
    const { passes } = this.graph, { earlierLines: earlier } = this;
    this.element.replaceChildren(this.about(), element("div", { class: "scroll" },
      element("ol", { class: "graph", style: `--lanes: ${(this.lanes + 1) * LANE}px` },
        earlier.length ? this.earlier(earlier) : null, ...passes.slice(0, most).map((pass, place) => this.node(pass, place)))),
    ...(passes.length > most ? [element("button", { type: "button", class: "more", click: () => this.drawPasses(Infinity) },
      `Show all ${format.count(passes.length)} passes (${most} are shown)`)] : []));
  }

  about() {
    const { passes } = this.graph;
    const dead = passes.flatMap((pass) => pass.uses.filter((use) => this.isDead(pass, use)));
    const bytes = dead.reduce((sum, use) => sum + use.stored, 0);
    const sample = (kind) => vector("svg", { class: "lanes sample", width: 34, height: 12, "aria-hidden": "true" }, vector("line", { class: kind, x1: 0, x2: 34, y1: 6, y2: 6 }));
    return element("div", {}, element("p", {}, `${plural(passes.length, "pass", "passes")} in frame ${this.page.frame}. `,
      dead.length ? `${plural(dead.length, "store")} (${format.bytes(bytes)}) ${dead.length > 1 ? "are" : "is"} not needed: what is stored is overwritten before anything reads it. ` : "",
      element("span", { class: "about" }, "Reads by the CPU are not seen. Bytes are those that tiles and texture units ask for, before any cache.")),
    element("p", { class: "legend", "aria-hidden": "true" }, sample("stored"), "stored", sample("sampled"), "read as a texture", sample("loaded"), "loaded"));
  }

  /* What becomes of a pass' output, [read or overwritten, frame, pass]; undefined: neither, or it is not known. */
  fateOf(pass, use) {
    const { stores } = this.page.a.targets[use.resource] || {};
    return stores ? stores[`${this.page.frame}:${pass.number}`] : undefined;
  }

  /* Of a pass' output: it is overwritten before anything reads it. */
  isDead(pass, use) {
    return use.stored > 0 && this.fateOf(pass, use)?.[0] === "overwritten";
  }

  resource(resource) {
    const row = this.graph.resources.get(resource), get = (name) => this.tables.textures.value(name, row);
    return { kind: get("kind"), label: get("label") || "", format: get("format") || "", size: sizeOf(this.tables.textures, row) };
  }

  /* "#7 shadow map" */
  name(resource) {
    const { kind, label } = this.resource(resource);
    return `${kind === "window" ? "window " : ""}#${resource}${label ? ` ${label}` : ""}`;
  }

  link(pass) {
    return element("a", { href: `#pass-${pass.number}`, click: (event) => {
      event.preventDefault();
      if (!document.getElementById(`pass-${pass.number}`)) this.drawPasses(Infinity);
      document.getElementById(`pass-${pass.number}`).focus();
    } }, `pass ${pass.number}`);
  }

  /* The line that a pass' store begins or continues; the one that its read is at. */
  lineFrom(resource, place) {
    return this.lines.find((line) => line.resource === resource && line.start <= place && line.end > place && line.steps.some((step) => step.place === place));
  }

  lineTo(resource, place) {
    return this.lines.find((line) => line.resource === resource && line.end >= place && line.start < place && line.steps.some((step) => step.place === place));
  }

  /* Who reads what was stored there: up to the next pass that stores it, with that one; of a resource with parts all. */
  readers(resource, place) {
    const line = this.lineFrom(resource, place);
    if (!line) return [];
    const later = line.steps.filter((step) => step.place > place);
    const next = later.findIndex((step) => step.stored);
    const parts = hasParts(this.tables.textures, this.graph.resources.get(resource));
    return (next < 0 || parts ? later : later.slice(0, next + 1)).filter(reads).map((step) => this.graph.passes[step.place]);
  }

  list(passes) {
    const most = passes.slice(0, 6).flatMap((pass, number) => (number ? [", ", this.link(pass)] : [this.link(pass)]));
    return passes.length > 6 ? [...most, ` and ${passes.length - 6} more`] : most;
  }

  fate(pass, place, use) {
    const [fate, frame, number] = this.fateOf(pass, use) || [];
    const where = frame === this.page.frame ? [this.link({ number })] : [placeLink(this.page, `frame ${frame}, pass ${number}`, { frame, pass: number })];
    if (fate === "overwritten") return ["not needed: overwritten by ", ...where, ", before anything reads it"];
    const readers = this.readers(use.resource, place);
    if (readers.length) return ["read by ", ...this.list(readers)];
    if (fate === "read") return ["read by ", ...where];
    if (this.resource(use.resource).kind === "window") return ["shown"];
    return [this.page.a.targets[use.resource]?.stores ? "nothing reads it up to the end of this run" : "what becomes of it is not known: the results are of an earlier version"];
  }

  target(resource, how, fate, dead = false) {
    const { format: written, size } = this.resource(resource);
    return element("li", { class: dead ? "target dead" : "target", "data-resource": resource, tabindex: "0" },
      element("b", {}, this.name(resource)), ` ${[written, size].filter((text) => text).join(", ")}`, element("br"), how, ...fate);
  }

  /* What is read of earlier frames, the largest first; of many the rest as one. */
  earlier(lines) {
    const most = lines.slice(0, MOST_EARLIER), rest = lines.length - most.length;
    const targets = most.map((line) => this.target(line.resource, "", ["read by ", ...this.list(line.steps.filter(reads).map((step) => this.graph.passes[step.place]))]));
    return element("li", { class: "earlier" }, element("div", { class: "pass" }, element("b", {}, "Earlier frames")), drawLanes(-1, this.shown, this.lanes, true), element("ul", { class: "targets" }, ...targets,
      rest ? element("li", { class: "target" }, `and ${plural(rest, "more texture")}, of which less is read`) : null));
  }

  /* What a pass reads that passes of the run have rendered, by name; of other textures how many and how much. */
  inputs(pass, place) {
    const { targets } = this.page.a;
    const source = (use) => {
      const line = this.lineTo(use.resource, place);
      const wrote = line ? line.steps.filter((step) => step.stored && step.place < place) : [];
      const last = wrote[wrote.length - 1];
      return !last ? "" : last.place < 0 ? ", of an earlier frame" : [", of ", this.link(this.graph.passes[last.place])];
    };
    const line = (use, kind, what) => element("li", { "data-resource": use.resource }, `${what} ${this.name(use.resource)} (${format.bytes(use[kind])}`, ...[source(use)].flat(), ")");
    const all = ["loaded", "sampled"].flatMap((kind) => pass.uses.filter((use) => use[kind] && targets[use.resource])
      .sort((a, b) => b[kind] - a[kind]).map((use) => [use, kind]));
    const lines = all.slice(0, MOST_INPUTS).map(([use, kind]) => line(use, kind, kind === "sampled" ? "reads" : "loads"));
    const others = [...all.slice(MOST_INPUTS).map(([use]) => use), ...pass.uses.filter((use) => use.sampled && !targets[use.resource])];
    if (others.length) {
      lines.push(element("li", {}, `${plural(others.length, `${lines.length ? "other " : ""}texture`)} (${format.bytes(others.reduce((sum, use) => sum + use.sampled, 0))})`));
    }
    return lines.length ? [element("ul", { class: "inputs" }, ...lines)] : [];
  }

  node(pass, place) {
    const get = (name) => this.tables.passes.value(name, pass.row);
    const stores = pass.uses.filter((use) => use.stored), title = passTitle(this.tables, pass.number);
    const targets = stores.map((use) => this.target(use.resource, `${use.streams.map(streamName).join(", ")}: ${format.bytes(use.stored)} stored; `,
      this.fate(pass, place, use), this.isDead(pass, use)));
    return element("li", { id: `pass-${pass.number}`, tabindex: "-1" }, element("div", { class: "pass" }, thumbnail(this.tables, pass.number), element("b", {}, `Pass ${pass.number}${title ? `: ${title}` : ""}`),
      ` ${get("width")} × ${get("height")}, ${plural(get("draws"), "draw")}`, element("br"),
      `DRAM: ${format.bytes(get("dram.total.read_bytes"))} read, ${format.bytes(get("dram.total.write_bytes"))} written`, ...this.inputs(pass, place)),
    drawLanes(place, this.shown, this.lanes, stores.length > 0),
    targets.length ? element("ul", { class: "targets" }, ...targets) : element("p", { class: "targets none" }, "stores nothing"));
  }
}

function buildGraph(page) {
  const graph = new RenderGraph(page);
  page.onTables((tables) => graph.draw(tables));
  return section("graph", "Render graph", graph.element);
}
