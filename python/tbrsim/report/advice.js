/* SPDX-License-Identifier: MIT */
/* What the program could do differently, and what that saves. */

const MEASURES = { dram_bytes: ["DRAM traffic", format.bytes], l2_accesses: ["L2 accesses", format.short],
  fragments: ["fragments", format.short], vertices: ["vertices", format.short], cycles: ["cycles", format.short],
  energy_pj: ["energy", format.energy] };

/* "texture 7 \"wall\", 512 × 512, etc2_rgb8". */
function adviceSubject(finding) {
  const { resource, vertex_shader: vertex, fragment_shader: fragment } = finding;
  const name = (thing) => (thing.label ? ` "${thing.label}"` : "");
  if (resource) {
    const attached = resource.attached_as.length ? `, attached as ${resource.attached_as.join(", ")}` : "";
    return `${resource.kind} ${resource.id}${name(resource)}, ${resource.width} × ${resource.height}, ${resource.format}${attached}`;
  }
  if (vertex) return `vertex shader ${vertex.hash}${name(vertex)}`;
  if (fragment) return `fragment shader ${fragment.hash}${name(fragment)}`;
  return finding.settings || "";
}

function adviceWhere(finding) {
  if (finding.settings) return "all passes";
  const draw = finding.draw === null ? "" : `, draw ${finding.draw}`;
  const names = [finding.call && `call ${finding.call}`, finding.group && `group ${finding.group}`].filter(Boolean);
  return `frame ${finding.frame}, pass ${finding.pass}${draw}${names.length ? ` (${names.join(", ")})` : ""}`;
}

function adviceItem(finding) {
  const saves = Object.entries(MEASURES).filter(([key]) => Math.abs(finding.saves_percent[key] || 0) >= 0.05)
    .map(([key, [what, write]]) => `${write(finding.saves[key])} of ${what} (${format.percent(finding.saves_percent[key] / 100)})`);
  const evidence = Object.entries(finding.evidence).map(([what, value]) => `${what}: ${format.count(value)}`);
  return element("li", {}, element("h3", {}, `${finding.rule}: saves ${saves.join(", ") || "nothing"} a frame`),
    element("p", {}, `${finding.problem[0].toUpperCase()}${finding.problem.slice(1)}. `, element("b", {}, `Advice: ${finding.remedy}.`)),
    definitionList([["What", adviceSubject(finding)], ["First in", adviceWhere(finding)], ["Evidence", evidence.join("; ")]]));
}

function buildAdvice(page) {
  const { advice } = page.a;
  const note = (text) => element("p", { class: "note" }, text);
  if (!advice) return section("advice", "Advice", note("There is none without a recording: tbrsim report FILE.tbr or FILE.trace has it, or a file advice.json of tbrsim advise beside the statistics."));
  if (advice.problem) return section("advice", "Advice", note(advice.problem));
  const left = [];
  if (advice.not_simulated) left.push(`${advice.not_simulated} more findings were not simulated`);
  if (advice.save_less) left.push(`${advice.save_less} save little`);
  if (!advice.overdraw_known) left.push("overdraw is not known: the recording has no hidden fragments");
  return section("advice", "Advice",
    element("p", {}, `Each finding was simulated with the events that the program would have sent then, over ${advice.frames} frames: savings are the difference a frame, and do not add up. What the picture loses is not looked at.`),
    advice.findings.length ? element("ol", { class: "advice" }, ...advice.findings.map(adviceItem)) : element("p", {}, "Nothing was found."),
    left.length ? element("p", {}, `${left.join("; ")}.`) : null);
}
