// SQL in colours, and SQL of one's own through the guard.

import { call } from './api.js';
import { element, say } from './dom.js';
import { table } from './table.js';

const WORDS = new Set(('select from where group by having order limit offset join left right inner outer cross full on using '
  + 'and or not in is null like between case when then else end as distinct union all except intersect with recursive over '
  + 'partition rows range exists cast asc desc nulls first last filter values true false').split(' '));
const PIECES = /('(?:[^']|'')*')|("(?:[^"]|"")*"|`[^`]*`)|(\b\d+(?:\.\d+)?\b)|([A-Za-z_]\w*)|(--[^\n]*)|(\s+|.)/gs;

function coloured(sql) {
  const pieces = [];
  for (const [piece, text, , number, word] of sql.matchAll(PIECES)) {
    const kind = text ? 'text' : number ? 'number' : word && WORDS.has(word.toLowerCase()) ? 'keyword' : null;
    pieces.push(kind ? element('span', { className: kind }, piece) : piece);
  }
  return pieces;
}

/** The SQL of an answer: shown in colours, edited and run by a click. */
export function sqlOf(sql, database) {
  const edit = element('textarea', {
    className: 'sql-edit', rows: Math.min(12, sql.split('\n').length + 2), value: sql, spellcheck: false, 'aria-label': 'SQL',
  });
  const result = element('div');
  const run = async () => {
    try {
      const rows = await call('POST', `/databases/${encodeURIComponent(database())}/query`, { sql: edit.value, rows: 1000 });
      result.replaceChildren(element('p', { className: 'quiet' }, `${rows.row_count} rows`), table(rows, null));
      say('The SQL has run');
    } catch (problem) {
      result.replaceChildren(element('p', { className: 'answer failed' }, problem.message));
      say(problem.message, true);
    }
  };
  return element('details', { className: 'sql' }, element('summary', {}, 'SQL'),
    element('pre', { tabIndex: 0, 'aria-label': 'The SQL of the answer' }, element('code', {}, ...coloured(sql))),
    element('details', {}, element('summary', {}, 'Edit and run'), edit,
      element('div', { className: 'row' }, element('button', { type: 'button', onclick: run }, 'Run')), result));
}
