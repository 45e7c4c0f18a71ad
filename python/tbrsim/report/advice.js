/* SPDX-License-Identifier: MIT */
/* What the program could do differently, and what that saves. */

const MEASURES = { dram_bytes: ["of DRAM traffic", format.bytes], l2_accesses: ["L2 accesses", format.short],
  fragments: ["fragments", format.short], vertices: ["vertices", format.short], cycles: ["cycles", format.short],
  energy_pj: ["of energy", format.energy] };

/* "texture 7 \"wall\", 512 × 512, etc2_rgb8", with a link. */
function adviceResource(page, frame, resource) {
  const attached = resource.attached_as.length ? `, attached as ${resource.attached_as.join(", ")}` : "";
  return [placeLink(page, `${resource.kind} ${resource.id}${resource.label ? ` "${resource.label}"` : ""}`, { frame, texture: resource.id }),
    `, ${resource.width} × ${resource.height}, ${resource.format}${attached}`];
}

const MOST_DESCRIBED = 4; /* resources of a finding */
const adviceResources = (finding) => finding.resources || [finding.resource].filter(Boolean);

/* What a finding is about. */
function adviceSubject(page, finding) {
  const { vertex_shader: vertex, fragment_shader: fragment } = finding;
  const name = (kind, shader) => [`${kind} shader ${shader.hash}${shader.label ? ` "${shader.label}"` : ""}`];
  const resources = adviceResources(finding);
  /* Of many the names alone. */
  const most = resources.length > MOST_DESCRIBED ? 1 : 2;
  if (resources.length) return resources.flatMap((resource, number) => [number ? "; " : "", ...adviceResource(page, finding.frame, resource).slice(0, most)]);
  if (vertex) return name("vertex", vertex);
  if (fragment) return name("fragment", fragment);
  return [finding.settings || ""];
}

/* Links to where it was found first. */
function adviceWhere(page, finding) {
  if (finding.settings) return ["all passes"];
  const place = { frame: finding.frame, pass: finding.pass };
  const draw = finding.draw === null ? [] : [", ", placeLink(page, `draw ${finding.draw}`, { ...place, draw: finding.draw })];
  const names = [finding.call && `call ${finding.call}`, finding.group && `group ${finding.group}`].filter(Boolean);
  return [`frame ${finding.frame}, `, placeLink(page, `pass ${finding.pass}`, place), ...draw, names.length ? ` (${names.join(", ")})` : ""];
}

/* What it is about, where: for the head of the page. */
function adviceLinks(page, finding) {
  const [first, ...others] = adviceResources(finding);
  const subject = first ? [adviceResource(page, finding.frame, first)[0], others.length ? ` and ${others.length} more` : "", " in "] : [];
  return [...subject, ...adviceWhere(page, finding)];
}

/* Why a pass ends, and where it continues. */
function adviceBreak(page, finding) {
  const { break: where } = finding;
  if (!where) return [];
  const calls = where.last_call_before && where.first_call_after ? `, between call ${where.last_call_before} and call ${where.first_call_after}` : "";
  return [["Ends by", [where.reason, where.end_call ? `, call ${where.end_call}` : ""]],
    ["Goes on in", [placeLink(page, `pass ${where.next_pass}`, { frame: finding.frame, pass: where.next_pass }), calls]],
    ["Meanwhile drawn to", where.meanwhile && adviceResource(page, finding.frame, where.meanwhile)]];
}

/* Findings that save loads that this one saves. */
function adviceOverlap(page, finding) {
  const { findings } = page.a.advice, others = finding.same_loads || [];
  const links = others.flatMap((number, at) => [at ? ", " : "", element("a", { href: `#advice-${number + 1}` }, `number ${number + 1} (${findings[number].rule})`)]);
  return others.length ? [...links, others.length > 1 ? " save" : " saves", " loads that this one saves; do one of them"] : null;
}

/* "frame 3", "frames 0 to 5, 7": ascending numbers. */
function frameList(numbers) {
  const runs = [];
  numbers.forEach((number) => {
    const run = runs[runs.length - 1];
    if (run && number === run[1] + 1) run[1] = number;
    else runs.push([number, number]);
  });
  return `frame${numbers.length === 1 ? "" : "s"} ${runs.map(([first, last]) => (last > first ? `${first} to ${last}` : `${first}`)).join(", ")}`;
}

/* What it saves: cycles, by which findings are ordered where they are counted, then the largest share first. */
function adviceSavings(finding) {
  const share = (key) => finding.saves_percent[key] || 0, rank = (key) => (key === "cycles" ? Infinity : share(key));
  return Object.entries(MEASURES).filter(([key]) => Math.abs(share(key)) >= 0.05).sort(([a], [b]) => rank(b) - rank(a))
    .map(([key, [what, write]]) => `${write(finding.saves[key])} ${what} (${format.percent(share(key) / 100)})`);
}

const adviceTitle = (finding) => `${finding.rule} saves ${adviceSavings(finding)[0] || "nothing"} per frame`;
const adviceSaves = (finding) => `saves ${adviceSavings(finding).join(", ") || "nothing"} per frame`;

const capital = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;

function adviceItem(page, finding, number) {
  const value = (one) => (Number.isInteger(one) || one >= 100 ? format.count(one) : significant(one));
  const evidence = Object.entries(finding.evidence).map(([what, one]) => `${what}: ${value(one)}`);
  return element("li", { id: `advice-${number + 1}`, tabindex: "-1" }, element("h3", {}, `${finding.title || finding.rule}: ${adviceSaves(finding)}`),
    element("p", {}, `${capital(finding.problem)}. `, element("b", {}, `Advice: ${finding.remedy}.`),
      finding.or ? ` ${capital(finding.or.condition)}, it ${adviceSaves(finding.or)}.` : ""),
    definitionList([["What", adviceSubject(page, finding)], ["First in", adviceWhere(page, finding)], ...adviceBreak(page, finding), ["Overlap", adviceOverlap(page, finding)], ["Evidence", evidence.join("; ")], ["Simulated", finding.assumption]]));
}

/* All findings at once; what the GPU hides, and others do not. */
function adviceSummary({ together, hidden_overdraw: hidden }) {
  const lines = [];
  if (together) {
    const apart = together.without.flatMap((number, at) => [at ? ", " : "", element("a", { href: `#advice-${number + 1}` }, `number ${number + 1}`)]);
    lines.push(element("p", {}, element("b", {}, `All of them together, but for the order of tiles: ${adviceSaves(together)}`), ...(apart.length ? [", without ", ...apart, ", which others replace"] : []), ".",
      together.frames_not_known ? ` In ${plural(together.frames_not_known, "frame")} it is not known what becomes of some stores: these save nothing there.` : "",
      together.frames_not_known && together.others ? ` In the others, it ${adviceSaves(together.others)}.` : ""));
  }
  if (hidden) {
    lines.push(element("p", {}, `This GPU hides ${format.short(hidden.fragments)} opaque fragments per frame (${format.percent(hidden.fragments / hidden.of_opaque)} of all) that later ones cover. ` +
      "A GPU without hidden surface removal would shade them: ", element("code", {}, "--set mode=tbr"), " finds where."));
  }
  return lines;
}

/* Why there is none. */
function noAdvice(advice) {
  return advice ? [advice.problem] : ["advice takes a recording. ", element("code", {}, "tbrsim report FILE.tbr"), " or ", element("code", {}, "FILE.trace"),
    " has it; of results, a file advice.json of tbrsim advise next to the statistics."];
}

function buildAdvice(page) {
  const { advice } = page.a;
  if (!advice || advice.problem) return section("advice", "Advice", element("p", { class: "note" }, "There is none: ", ...noAdvice(advice)));
  const left = [];
  if (advice.not_simulated) left.push(`${plural(advice.not_simulated, "more finding")} ${advice.not_simulated === 1 ? "was" : "were"} not simulated`);
  if (advice.save_less) left.push(`${advice.save_less} ${advice.save_less === 1 ? "saves" : "save"} little`);
  const loading = advice.loading_frames || [];
  if (loading.length) left.push(`${plural(loading.length, "frame")} that ${loading.length === 1 ? "looks like loading is" : "look like loading are"} not counted`);
  if (!advice.overdraw_known) left.push("overdraw is not known: the recording has no hidden fragments");
  return section("advice", "Advice",
    element("p", {}, `Each finding was simulated, over ${advice.frame_numbers ? frameList(advice.frame_numbers) : plural(advice.frames, "frame")}${advice.typical ? `, which are most like the others (${advice.typical} prints the same)` : ""}, with the events that the program would send if it followed it. Savings are per frame. They overlap, so don't add them. Image quality is not checked.`),
    ...adviceSummary(advice), advice.findings.length ? element("ol", { class: "advice" }, ...advice.findings.map((finding, number) => adviceItem(page, finding, number))) : element("p", {}, "Nothing was found."),
    left.length ? element("p", {}, `${left.join("; ")}.`) : null);
}
