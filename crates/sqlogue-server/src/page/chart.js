// The picture of an answer, drawn by the server for the light in which the page is read.

import { call, text } from './api.js';
import { element } from './dom.js';

const dark = matchMedia('(prefers-color-scheme: dark)');

/** The picture of a turn; nothing where a number or a table says more. */
export async function chartOf(path, place) {
  const chosen = await call('GET', `${path}/chart`);
  if (chosen.kind === 'table' || chosen.kind === 'number') return;
  const image = element('img', { alt: `${chosen.title}. ${chosen.reason}`, className: 'chart' });
  const draw = async () => {
    const width = Math.round(Math.min(900, Math.max(300, place.clientWidth)));
    const theme = dark.matches ? 'dark' : 'light';
    const svg = await text(`${path}/chart?format=svg&theme=${theme}&width=${width}&height=340`);
    URL.revokeObjectURL(image.src);
    image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  };
  await draw();
  dark.addEventListener('change', () => image.isConnected && draw().catch(() => {}));
  place.replaceChildren(image, ...[chosen.reason, ...chosen.notes].map((line) => element('p', { className: 'quiet' }, line)));
}
