/* SPDX-License-Identifier: MIT */
/* Small pictures of what passes have rendered. */

/* The first row of a texture is at the bottom of what OpenGL ES shows, that of a window at the top: whether the pass
 * renders to textures alone. */
function isUpsideDown(tables, frame, pass) {
  const { textures } = tables;
  if (!textures) return false;
  const stored = textures.rows().filter((row) => textures.value("pass", row) === pass && textures.value("pass_frame", row) === frame &&
    textures.names().some((name) => /\.(color|display|depth)\.(writes|write_bytes)$/.test(name) && textures.value(name, row)));
  return stored.length > 0 && stored.every((row) => textures.value("kind", row) !== "window");
}

/* The address of a pass' picture; null: there is none. */
function thumbnailOf(tables, pass) {
  const { thumbnails } = tables;
  const row = thumbnails ? thumbnails.rows().find((one) => thumbnails.value("pass", one) === pass) : undefined;
  return row === undefined ? null : `data:image/png;base64,${thumbnails.value("png", row)}`;
}

/* As an element. */
function thumbnail(tables, frame, pass) {
  const source = thumbnailOf(tables, pass);
  return source && element("img", { class: isUpsideDown(tables, frame, pass) ? "thumbnail turned" : "thumbnail", src: source, alt: `what pass ${pass} rendered`, loading: "lazy" });
}
