// The side: conversations, turns as a tree, tables, what words mean.

import { call } from './api.js';
import { byId, element, say } from './dom.js';

const failed = (problem) => say(problem.message, true);

/** Lists conversations; `open` goes to one. */
export async function conversations(current, open) {
  const { conversations: found } = await call('GET', '/conversations?limit=50');
  byId('list').replaceChildren(...found.filter((one) => one.title || one.id === current).map((one) => element('li', {},
    element('button', {
      type: 'button', className: 'link', 'aria-current': one.id === current ? 'true' : null, onclick: () => open(one.id),
    }, one.title || 'New conversation'),
    element('button', {
      type: 'button', 'aria-label': `Delete ${one.title}`,
      onclick: async () => {
        if (!confirm(`Delete “${one.title}” for good?`)) return;
        try {
          await call('DELETE', `/conversations/${encodeURIComponent(one.id)}`);
          await open(one.id === current ? null : current);
        } catch (problem) {
          failed(problem);
        }
      },
    }, '×'))));
}

/** Draws the turns of a conversation as a tree; `branch` goes on from one. */
export function tree(turns, head, branch) {
  const children = (parent) => turns.filter((turn) => turn.parent === parent);
  const branchOf = (parent) => {
    const own = children(parent);
    return own.length ? element('ul', {}, ...own.map((turn) => element('li', {},
      element('button', {
        type: 'button', className: 'link', 'aria-current': turn.id === head ? 'true' : null, title: turn.sql ?? '',
        onclick: () => branch(turn.id),
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
  const keys = (table) => (table.foreign_keys ?? []).map((key) => element('dd', { className: 'quiet' },
    `${(key.columns ?? []).join(', ')} → ${key.table} ${(key.references ?? []).join(', ')}`));
  byId('schema').replaceChildren(element('dl', {}, ...found.tables.flatMap((table) => [
    element('dt', {}, table.name),
    ...table.columns.map((column) => element('dd', {}, column.name,
      element('span', { className: 'quiet' }, ` ${column.type ?? ''}${column.primary_key ? ' key' : ''}`))),
    ...keys(table),
  ])));
}

/** Lists what words mean. */
export async function lessons() {
  const { lessons: found } = await call('GET', '/lessons');
  byId('lessons').replaceChildren(...found.filter((lesson) => !lesson.retired).map((lesson) => element('li', {},
    element('span', { className: 'link' }, lesson.lesson),
    element('button', {
      type: 'button', 'aria-label': `Forget ${lesson.lesson}`,
      onclick: () => call('DELETE', `/lessons/${encodeURIComponent(lesson.id)}`).then(lessons).catch(failed),
    }, '×'))));
}
