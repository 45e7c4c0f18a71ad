/* SPDX-License-Identifier: MIT */
/* The page: its sections and the selected frame. */

class Page {
  constructor(data) {
    this.a = new Run(data.a, "a");
    this.b = data.b ? new Run(data.b, "b") : null;
    Object.assign(this, { counters: data.counters, notes: data.notes, leftOut: new Map(data.left_out.map((one) => [one.frame, one])),
      frame: this.a.opens_at, ofFrame: [], ofTables: [], showing: {} });
  }

  /* Calls back whenever another frame is selected; with its tables, or null where the page has none. */
  onFrame(call) {
    this.ofFrame.push(call);
  }

  onTables(call) {
    this.ofTables.push(call);
  }

  /* What shows a draw, a pass or a texture of the selected frame; whether it is there. */
  shows(kind, call) {
    this.showing[kind] = call;
  }

  /* Whether the page has the tables of a frame. */
  has(frame) {
    return document.getElementById(`a-${frame}`) !== null;
  }

  async select(frame) {
    this.frame = Math.min(Math.max(Math.round(frame) || 0, 0), this.a.num_frames - 1);
    const selected = this.frame;
    this.ofFrame.forEach((call) => call());
    const tables = await this.a.attribution(selected);
    if (selected === this.frame) await Promise.all(this.ofTables.map((call) => call(tables)));
  }

  /* Selects a place's frame, and shows what is in it. */
  async open(place) {
    if (place.frame !== undefined && place.frame !== this.frame) await this.select(place.frame);
    const kind = ["draw", "pass", "texture"].find((one) => place[one] !== undefined);
    if (kind) this.showing[kind]({ ...place, frame: this.frame });
  }

  arrow(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const last = this.a.num_frames - 1;
    this.select(Math.min(Math.max(this.frame + step, 0), last));
  }
}

function buildBar(page, sections) {
  const last = page.a.num_frames - 1;
  const number = element("input", { type: "number", min: 0, max: last, value: 0, "aria-label": "Selected frame", change: () => page.select(Number(number.value)) });
  const slider = element("input", { type: "range", min: 0, max: last, value: 0, "aria-label": "Selected frame", input: () => page.select(Number(slider.value)) });
  page.onFrame(() => {
    number.value = slider.value = page.frame;
  });
  const bar = document.getElementById("bar");
  bar.append(element("span", { class: "frame" }, "Frame ", number, ` of 0–${last} `, slider),
    element("span", { class: "links" }, ...sections.map(([id, title]) => element("a", { href: `#${id}` }, title))));
  bar.hidden = false;
}

function buildConfiguration(page) {
  const one = (run) => {
    const title = run.origin === "sources" ? "each value with the file and line that it is from" : run.origin;
    return element("details", { open: true }, element("summary", {}, `${run.run.preset || "Configuration"}: ${title}`), element("pre", { tabindex: "0" }, run.configuration));
  };
  return section("configuration", "Configuration", one(page.a), page.b ? one(page.b) : null);
}

async function start() {
  const page = new Page(await unpack("data"));
  const main = document.getElementById("main");
  buildVerdict(page);
  const sections = [["advice", "Advice", buildAdvice], ...(page.b ? [["compare", "Two runs", buildComparison]] : []),
    ["totals", "Totals", buildTotals], ["frames", "Frames", buildFrames], ["graph", "Render graph", buildGraph], ["draws", "Draws", buildDraws],
    ["textures", "Textures", buildTextures], ["passes", "Passes", buildPasses], ["tiles", "Tiles", buildHeatMap],
    ...(page.a.reuse ? [["reuse", "Reuse distances", buildReuse]] : []), ["configuration", "Configuration", buildConfiguration]];
  const built = sections.map(([, , build]) => build(page));
  buildBar(page, sections);
  main.replaceChildren(...built);
  drawCharts();
  page.onFrame(redrawCharts);
  page.onFrame(drawCharts);
  window.addEventListener("resize", drawCharts);
  window.addEventListener("hashchange", () => {
    const place = readAddress(location.hash);
    if (place) page.open(place);
  });
  matchMedia("print").addEventListener("change", redrawCharts);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawCharts);
  const place = readAddress(location.hash);
  await page.select(place?.frame ?? page.a.opens_at);
  if (place) await page.open(place);
  document.documentElement.dataset.ready = "";
}

start().catch((error) => {
  document.getElementById("message").textContent = `The page cannot be shown: ${error}`;
  console.error(error);
});
