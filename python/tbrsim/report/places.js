/* SPDX-License-Identifier: MIT */
/* Addresses of what the page shows: #frame=3, #frame=3&pass=1&draw=5, #frame=3&texture=7. */

const PLACES = ["frame", "pass", "draw", "texture"];

function writeAddress(place) {
  return `#${PLACES.filter((name) => place[name] !== undefined && place[name] !== null).map((name) => `${name}=${place[name]}`).join("&")}`;
}

/* null: it is none. */
function readAddress(hash) {
  const found = [...hash.slice(1).matchAll(/(\w+)=(\d+)/g)].filter(([, name]) => PLACES.includes(name));
  return found.length ? Object.fromEntries(found.map(([, name, value]) => [name, Number(value)])) : null;
}

/* A link to a place, or the text alone where the page does not have that frame. title: more of what it is. */
function placeLink(page, text, place, title = null) {
  if (!page.has(place.frame)) return element("span", { title: `the page has no details of frame ${place.frame}` }, text);
  /* A second click on a link goes there, too. */
  return element("a", { href: writeAddress(place), title, click: (event) => event.currentTarget.hash === location.hash && page.open(place) }, text);
}
