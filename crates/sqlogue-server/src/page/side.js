// The side: conversations, turns as a tree, tables, what words mean.

import { call } from './api.js';
import { button, byId, element, guarded } from './dom.js';

const cross = (label, onclick) => button('×', onclick, { className: 'plain', 'aria-label': label, title: label });

/** When something was, as briefly as it can be told apart. */
function when(text) {
  const at = new Date(text);
  const isToday = at.toDateString() === new Date().toDateString();
  return isToday ? at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    : at.toLocaleDateString([], { day: 'numeric', month: 'short', year: 'numeric' });
}

/** Lists conversations; `open` goes to one, and to none where it is deleted. */
export async function conversations(current, open) {
  const { conversations: found } = await call('GET', '/conversations?limit=50');
  const remove = guarded(async (one) => {
    if (!confirm(`Delete “${one.title}” for good?`)) return;
    await call('DELETE', `/conversations/${encodeURIComponent(one.id)}`);
    if (one.id === current) byId('new').click();
    else await conversations(current, open);
  });
  const named = found.filter((one) => one.title);
  byId('list').replaceChildren(...named.map((one) => element('li', {},
    element('button', {
      type: 'button', className: 'link', 'aria-current': one.id === current ? 'true' : null,
      title: `${one.title} (${one.database})`, onclick: () => open(one.id),
    }, one.title, element('small', {}, when(one.updated))), cross(`Delete ${one.title}`, () => remove(one)))));
  if (!named.length) byId('list').append(element('li', { className: 'quiet' }, 'None yet'));
}

/** Draws the turns of a conversation as a tree; `visit` goes to one. */
export function tree(turns, current, visit) {
  const children = (parent) => turns.filter((turn) => turn.parent === parent);
  const branchOf = (parent) => {
    const own = children(parent);
    return own.length ? element('ul', {}, ...own.map((turn) => element('li', {},
      element('button', {
        type: 'button', className: 'link', 'aria-current': turn.id === current ? 'true' : null, title: turn.sql ?? '',
        onclick: () => visit(turn.id),
      }, `${turn.number}. ${turn.input}`, turn.status === 'completed' ? '' : ` (${turn.status.replace('_', ' ')})`),
      branchOf(turn.id)))) : null;
  };
  const known = new Set(turns.map((turn) => turn.id));
  const roots = turns.filter((turn) => turn.parent === null || !known.has(turn.parent)).map((turn) => turn.parent);
  byId('tree').replaceChildren(...[...new Set(roots)].map(branchOf).filter(Boolean));
}

/** Shows the tables and keys of a database. */
export async function schema(database) {
  const found = await call('GET', `/databases/${encodeURIComponent(database)}/schema`);
  const keys = (table) => (table.foreign_keys ?? []).map((key) => element('li', { className: 'quiet' },
    `${(key.columns ?? []).join(', ')} → ${key.table} ${(key.references ?? []).join(', ')}`));
  byId('schema').replaceChildren(...found.tables.map((table) => element('details', {}, element('summary', {}, table.name,
    element('span', { className: 'quiet' }, table.row_count ? ` ${table.row_count.toLocaleString('en')} rows` : '')),
  element('ul', {}, ...table.columns.map((column) => element('li', {}, column.name,
    element('span', { className: 'quiet' }, ` ${column.type ?? ''}${column.primary_key ? ', key' : ''}`))), ...keys(table)))));
}

/** Lists what words mean. */
export async function lessons() {
  const { lessons: found } = await call('GET', '/lessons');
  byId('lessons').replaceChildren(...found.filter((lesson) => !lesson.retired).map((lesson) => element('li', {},
    element('span', { className: 'link' }, lesson.lesson),
    cross(`Forget ${lesson.lesson}`, guarded(() => call('DELETE', `/lessons/${encodeURIComponent(lesson.id)}`).then(lessons))))));
}
