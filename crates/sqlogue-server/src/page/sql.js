// SQL in colours, and SQL of one's own through the guard.

import { call } from './api.js';
import { look, show } from './chart.js';
import { button, copy, element, guarded, say } from './dom.js';
import { rowsInWords, table } from './table.js';

const WORDS = new Set(('select from where group by having order limit offset join left right inner outer cross full on using '
  + 'and or not in is null like between case when then else end as distinct union all except intersect with recursive over '
  + 'partition rows range exists cast asc desc nulls first last filter values true false').split(' '));
const PIECES = /('(?:[^']|'')*')|("(?:[^"]|"")*"|`[^`]*`)|(\b\d+(?:\.\d+)?\b)|([A-Za-z_]\w*)|(--[^\n]*)|(\s+|.)/gs;
/** Where a line of a query begins, so that it can be read. */
const BREAKS = /\s+(?=(?:FROM|WHERE|GROUP BY|HAVING|ORDER BY|LIMIT|UNION|EXCEPT|INTERSECT|(?:LEFT |RIGHT |INNER |CROSS |FULL )?JOIN)\b)/g;

/** Texts and quoted names, which stay as they are. */
const QUOTED = /('(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`)/;

/** The same SQL, each clause on its own line, where it is long and all on one. */
function inLines(sql) {
  // Where a backslash may hide a quote, it is not known what is quoted.
  if (sql.length < 60 || /[\n\\]/.test(sql)) return sql;
  return sql.split(QUOTED).map((piece, place) => (place % 2 ? piece : piece.replace(BREAKS, '\n'))).join('');
}

/** SQL in colours. */
export function coloured(sql) {
  const pieces = [];
  for (const [piece, text, , number, word] of inLines(sql).matchAll(PIECES)) {
    const kind = text ? 'text' : number ? 'number' : word && WORDS.has(word.toLowerCase()) ? 'keyword' : null;
    pieces.push(kind ? element('span', { className: kind }, piece) : piece);
  }
  return element('pre', { tabIndex: 0, role: 'group', 'aria-label': 'SQL' }, element('code', {}, ...pieces));
}

/** The SQL of an answer: shown in colours, edited and run by a click. */
export function sqlOf(sql, database) {
  const edit = element('textarea', {
    className: 'sql-edit', rows: Math.min(14, inLines(sql).split('\n').length + 1), value: inLines(sql), spellcheck: false,
    'aria-label': 'SQL to run',
  });
  const result = element('div');
  const run = async () => {
    say('Running the SQL');
    try {
      const body = { sql: edit.value, rows: 10_000, picture: look(result) };
      const rows = await call('POST', `/databases/${encodeURIComponent(database())}/query`, body);
      const picture = element('div', { className: 'picture' });
      if (rows.picture) show(rows.picture, picture);
      result.replaceChildren(picture, table(rows, null));
      say(`The SQL has run: ${rowsInWords(rows.row_count)}`);
    } catch (problem) {
      result.replaceChildren(element('p', { className: 'answer failed' }, problem.message));
      say(problem.message, true);
    }
  };
  edit.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run();
  });
  const copyIt = guarded(async () => {
    await copy(sql);
    say('The SQL is copied');
  });
  const editor = element('div', { hidden: true }, edit,
    element('div', { className: 'row' }, button('Run', run, { className: 'strong' }),
      element('span', { className: 'quiet' }, 'Read-only, checked, within limits. Ctrl+Enter runs it.')), result);
  const begin = () => {
    editor.hidden = false;
    edit.focus();
  };
  return element('div', {}, coloured(sql),
    element('div', { className: 'row' }, button('Copy', copyIt, { className: 'plain' }), button('Edit and run', begin, { className: 'plain' })),
    editor);
}
