/* SPDX-License-Identifier: MIT */
/* What the program could do differently, and what that saves. */

const MEASURES = { dram_bytes: ["of DRAM traffic", format.bytes], l2_accesses: ["L2 accesses", format.short],
  fragments: ["fragments", format.short], vertices: ["vertices", format.short], cycles: ["cycles", format.short],
  energy_pj: ["of energy", format.energy] };

/* "texture 7 \"wall\", 512 × 512, etc2_rgb8". */
function adviceSubject(page, finding) {
  const { resource, vertex_shader: vertex, fragment_shader: fragment } = finding;
  const name = (thing) => (thing.label ? ` "${thing.label}"` : "");
  if (resource) {
    const attached = resource.attached_as.length ? `, attached as ${resource.attached_as.join(", ")}` : "";
    return [placeLink(page, `${resource.kind} ${resource.id}${name(resource)}`, { frame: finding.frame, texture: resource.id }), `, ${resource.width} × ${resource.height}, ${resource.format}${attached}`];
  }
  if (vertex) return [`vertex shader ${vertex.hash}${name(vertex)}`];
  if (fragment) return [`fragment shader ${fragment.hash}${name(fragment)}`];
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
  const subject = finding.resource ? adviceSubject(page, finding).slice(0, 1) : [];
  return [...subject, subject.length ? " in " : "", ...adviceWhere(page, finding)];
}

/* What it saves, the largest share first. */
function adviceSavings(finding) {
  const share = (key) => finding.saves_percent[key] || 0;
  return Object.entries(MEASURES).filter(([key]) => Math.abs(share(key)) >= 0.05).sort(([a], [b]) => share(b) - share(a))
    .map(([key, [what, write]]) => `${write(finding.saves[key])} ${what} (${format.percent(share(key) / 100)})`);
}

const adviceTitle = (finding) => `${finding.rule} saves ${adviceSavings(finding)[0] || "nothing"} per frame`;

function adviceItem(page, finding, number) {
  const evidence = Object.entries(finding.evidence).map(([what, value]) => `${what}: ${format.count(value)}`);
  return element("li", { id: `advice-${number + 1}`, tabindex: "-1" }, element("h3", {}, `${finding.rule}: saves ${adviceSavings(finding).join(", ") || "nothing"} per frame`),
    element("p", {}, `${finding.problem[0].toUpperCase()}${finding.problem.slice(1)}. `, element("b", {}, `Advice: ${finding.remedy}.`)),
    definitionList([["What", adviceSubject(page, finding)], ["First in", adviceWhere(page, finding)], ["Evidence", evidence.join("; ")]]));
}

/* Why there is none. */
function noAdvice(advice) {
  return advice ? [advice.problem] : ["advice takes a recording. ", element("code", {}, "tbrsim report FILE.tbr"), " or ", element("code", {}, "FILE.trace"),
    " has it; of results, a file advice.json of tbrsim advise beside the statistics."];
}

function buildAdvice(page) {
  const { advice } = page.a;
  if (!advice || advice.problem) return section("advice", "Advice", element("p", { class: "note" }, "There is none: ", ...noAdvice(advice)));
  const left = [];
  if (advice.not_simulated) left.push(`${plural(advice.not_simulated, "more finding")} ${advice.not_simulated === 1 ? "was" : "were"} not simulated`);
  if (advice.save_less) left.push(`${advice.save_less} ${advice.save_less === 1 ? "saves" : "save"} little`);
  if (!advice.overdraw_known) left.push("overdraw is not known: the recording has no hidden fragments");
  return section("advice", "Advice",
    element("p", {}, `Each finding was simulated, over ${plural(advice.frames, "frame")}, with the events that the program would send if it followed it. Savings are per frame. They overlap, so don't add them. Image quality is not checked.`),
    advice.findings.length ? element("ol", { class: "advice" }, ...advice.findings.map((finding, number) => adviceItem(page, finding, number))) : element("p", {}, "Nothing was found."),
    left.length ? element("p", {}, `${left.join("; ")}.`) : null);
}
