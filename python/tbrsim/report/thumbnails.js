/* SPDX-License-Identifier: MIT */
/* Small pictures of what passes have rendered. */

/* The passes of a frame that render to textures alone: the first row of a texture is at the bottom of what OpenGL ES shows, that of
 * a window at the top. */
const upsideDown = remembered(({ textures }) => {
  const found = new Set();
  if (!textures) return found;
  const stored = storedRows(textures);
  rowsByPass(textures).forEach((rows, pass) => {
    const targets = rows.filter(stored);
    if (targets.length && targets.every((row) => textures.value("kind", row) !== "window")) found.add(pass);
  });
  return found;
});
const isUpsideDown = (tables, pass) => upsideDown(tables).has(pass);

const pictures = remembered(({ thumbnails }) => new Map(thumbnails ? thumbnails.rows().map((row) => [thumbnails.value("pass", row), thumbnails.value("png", row)]) : []));

/* The address of a pass' picture; null: there is none. */
function thumbnailOf(tables, pass) {
  const picture = pictures(tables).get(pass);
  return picture === undefined ? null : `data:image/png;base64,${picture}`;
}

/* As an element. */
function thumbnail(tables, pass) {
  const source = thumbnailOf(tables, pass);
  return source && element("img", { class: isUpsideDown(tables, pass) ? "thumbnail turned" : "thumbnail", src: source, alt: `what pass ${pass} rendered`, loading: "lazy" });
}
