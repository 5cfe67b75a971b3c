// The picture of an answer, drawn by the server: it follows the light in which the page is read.

import { call } from './api.js';
import { element } from './dom.js';

/** How a picture has to be drawn to fit into an element. */
export const look = (place) => ({
  theme: 'auto', width: Math.round(Math.min(1000, Math.max(280, place.clientWidth))), height: 320,
});

/** Puts a picture into its place; nothing where a number or a table says more. */
export function show(chosen, place) {
  if (!chosen.svg || chosen.kind === 'number') return;
  const old = place.querySelector('img');
  if (old) URL.revokeObjectURL(old.src);
  const source = URL.createObjectURL(new Blob([chosen.svg], { type: 'image/svg+xml' }));
  const image = element('img', { src: source, alt: `${chosen.title}. ${chosen.reason}`, className: 'chart' });
  place.replaceChildren(...(chosen.summary ? [element('p', {}, chosen.summary)] : []), image,
    element('p', { className: 'quiet' }, [chosen.reason, ...chosen.notes].join(' ')));
}

/** The picture of a turn; drawn again where there is much more or less room for it. */
export async function chartOf(path, place) {
  let drawn = 0;
  const draw = async () => {
    drawn = place.clientWidth;
    show(await call('GET', `${path}/chart?${new URLSearchParams(look(place))}`), place);
  };
  await draw();
  new ResizeObserver(() => {
    if (place.isConnected && Math.abs(place.clientWidth - drawn) > drawn / 5) draw().catch(() => {});
  }).observe(place);
}
