/* SPDX-License-Identifier: MIT */
/* What the page begins with: how long the selected frame takes and why, what to do about it, its picture. */

const DISPLAY_RATE = 60; /* frames per second */
const STATES = ["busy", "memory", "starved", "blocked"];

/* Stages of the pipeline with the shares of their cycles, {name, busy, memory, starved, blocked}; those that do nothing
 * are left out. */
function stageShares(run, frame) {
  const names = Object.keys(run.total).map((name) => /^(\w+)\.busy_cycles$/.exec(name))
    .filter((match) => match && match[1] !== "dram_system").map((match) => match[1]);
  return names.map((name) => {
    const cycles = STATES.map((state) => run.value(`${name}.${state}_cycles`, frame));
    const all = cycles.reduce((sum, one) => sum + one, 0);
    return { name, ...Object.fromEntries(STATES.map((state, number) => [state, all ? cycles[number] / all : 0])) };
  }).filter((stage) => stage.busy > 0);
}

const MOST_OF_THE_TIME = 0.5, NEAR = 0.1, MOST_NEAR = 3;
const stageNames = { vertex_fetch: "vertex fetch", tile_buffers: "loads and stores of tiles", primitive_assembly: "primitive assembly" };
const stageName = (name) => stageNames[name] || `the ${words(name).replace("early z", "early Z-test")}`;

/* What bounds the frame, in words: the stage that neither waits for others nor for room most of the time, if there is one. */
function whatBounds(run, frame) {
  const share = (stage) => stage.busy + stage.memory;
  const stages = stageShares(run, frame).sort((a, b) => share(b) - share(a));
  if (!stages.length) return ["Nothing is rendered in this frame."];
  const near = stages.filter((stage) => share(stages[0]) - share(stage) < NEAR).slice(0, MOST_NEAR);
  const single = near.length === 1 && share(stages[0]) >= MOST_OF_THE_TIME;
  const doing = (stage) => `at work ${format.percent(stage.busy)} of the time, waiting for memory ${format.percent(stage.memory)}`;
  const bound = single ? [element("b", {}, `Bound by ${stages[0].memory > stages[0].busy ? "memory, which is waited for by " : ""}${stageName(stages[0].name)}`), `: ${doing(stages[0])}.`]
    : [element("b", {}, "No single stage bounds it"), `: ${near.length > 1 ? "those that idle least are" : "the one that idles least is"} ${near.map((stage) => `${stageName(stage.name)} (${doing(stage)})`).join(", ")}.`];
  const channel = run.value("dram_system.channel_cycles", frame);
  return [...bound, ` DRAM's buses are busy ${format.percent(channel ? run.value("dram_system.busy_cycles", frame) / channel : 0)} of the time.`];
}

function frameFigures(run, frame) {
  const bytes = run.bytes("total", "read", frame) + run.bytes("total", "write", frame);
  const figures = [[`${(bytes * DISPLAY_RATE / 1e9).toFixed(2)} GB/s`, `of DRAM at ${DISPLAY_RATE} frames per second`],
    [format.bytes(bytes), `of DRAM traffic per frame: ${format.bytes(run.bytes("total", "read", frame))} read, ${format.bytes(run.bytes("total", "write", frame))} written`]];
  if (run.timed) {
    const cycles = run.value("gpu.cycles", frame), seconds = cycles / (1e6 * run.settings.clock_mhz);
    figures.unshift([`${(1000 * seconds).toFixed(2)} ms`, `of frame time: ${format.short(cycles)} cycles at ${run.settings.clock_mhz} MHz, ${seconds ? (1 / seconds).toFixed(1) : "–"} frames per second`]);
    if (run.value("energy.system.total")) figures.push([format.energy(run.value("energy.system.total", frame)), "per frame"]);
  }
  return figures.map(([value, what]) => element("li", {}, element("b", {}, value), ` ${what}`));
}

/* The picture of what the frame's last pass has rendered that has one, best of a window. */
function framePicture(page, tables) {
  const { thumbnails } = tables || {};
  if (!thumbnails || !thumbnails.length) return null;
  const passes = thumbnails.rows().map((row) => thumbnails.value("pass", row)).sort((a, b) => b - a);
  const pass = passes.find((one) => !isUpsideDown(tables, one)) ?? passes[0];
  return element("figure", { class: "shown" }, thumbnail(tables, pass), element("figcaption", {}, `frame ${page.frame}, pass ${pass}`));
}

const MOST_SHOWN = 3;

function bestFindings(page) {
  const { advice } = page.a;
  if (!advice || advice.problem) return element("p", { class: "note" }, "What to do about it: ", ...noAdvice(advice));
  /* What the program can do; an order of tiles is the GPU's. */
  const best = advice.findings.filter((finding) => !finding.settings).slice(0, MOST_SHOWN);
  if (!best.length) return element("p", {}, "Nothing was found that the program could do better.");
  return element("div", {}, element("h2", { class: "small" }, "What to do about it"),
    element("ol", { class: "best" }, ...best.map((finding) =>
      element("li", {}, element("a", { href: `#advice-${advice.findings.indexOf(finding) + 1}` }, adviceTitle(finding)), ": ", ...adviceLinks(page, finding)))),
    advice.findings.length > best.length ? element("p", { class: "hint" }, element("a", { href: "#advice" }, `All ${advice.findings.length} findings`)) : null);
}

function buildVerdict(page) {
  const { a, b } = page;
  const typical = a.opens_at;
  const figures = element("ul", { class: "figures" }), bound = element("p", { class: "bound" }), which = element("p", { class: "which" });
  const picture = element("div");
  page.onFrame(() => {
    which.replaceChildren(`Frame ${page.frame}`, page.frame === typical && a.num_frames > 1 ? `, the nearest to the median of ${format.count(a.num_frames)} frames` : "",
      `: ${plural(a.value("gpu.passes", page.frame), "render pass", "render passes")}, ${plural(a.value("gpu.draws", page.frame), "draw")}.`,
      a.outliers[page.frame] ? element("b", {}, " It is not like the others.") : "");
    figures.replaceChildren(...frameFigures(a, page.frame));
    bound.replaceChildren(...(a.timed ? whatBounds(a, page.frame)
      : ["Frame time, and what bounds it, are not known: this run has no timing. ", element("code", {}, "tbrsim report"), " of a recording or a trace simulates it, unless with ", element("code", {}, "--timing off"), "."]));
  });
  page.onTables((tables) => picture.replaceChildren(framePicture(page, tables) || ""));
  document.getElementById("head").append(
    element("h1", {}, `${a.title} `, element("small", {}, `on ${a.run.preset || "a GPU"}`)),
    page.notes.length ? element("p", { class: "note", role: "note" }, page.notes.join(" ")) : "",
    element("div", { class: "verdict" }, element("div", {}, which, figures, bound, ...(b ? buildChange(page) : []), bestFindings(page)), picture),
    definitionList(describeRun(a)));
}
