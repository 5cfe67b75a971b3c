// The drawn graph: of a turn that is over, and of one that is on its way.

import { text } from './api.js';
import { element, guarded } from './dom.js';

let plain = null;

async function drawing(path) {
  const svg = new DOMParser().parseFromString(await text(path), 'image/svg+xml').documentElement;
  svg.setAttribute('role', 'img');
  return document.importNode(svg, true);
}

/** The way of a turn. */
export function wayOf(path) {
  const place = element('div', { className: 'drawing', tabIndex: 0, role: 'group', 'aria-label': 'The way of this turn' });
  guarded(async () => place.replaceChildren(await drawing(path)))();
  return place;
}

/** A drawing whose nodes light up; `at` is told each event of a node. */
export async function live(place) {
  plain ??= await drawing('/graph');
  const svg = plain.cloneNode(true);
  place.replaceChildren(svg);
  const nodes = new Map([...svg.querySelectorAll('rect > title')].map((title) => [title.textContent, title.parentElement]));
  // The node at work stays in sight; the page itself does not move.
  const follow = (rect) => {
    const scale = svg.clientWidth / svg.viewBox.baseVal.width || 1;
    const { x, y, width } = rect.getBBox();
    place.scrollTo((x + width / 2) * scale - place.clientWidth / 2, y * scale - place.clientHeight / 2);
  };
  return ({ node, status }) => {
    for (const name of [node, node.split('/')[0]]) {
      const rect = nodes.get(name) ?? nodes.get(name.split('/').at(-1));
      rect?.classList.toggle('at-work', status === 'started');
      rect?.classList.toggle('done', status === 'finished');
      if (rect && status === 'started') follow(rect);
    }
  };
}
