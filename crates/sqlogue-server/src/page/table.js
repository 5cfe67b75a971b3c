// Rows as a table: sorted by a click, copied, downloaded. Only the rows in sight are in the page, so that thousands of them
// scroll as smoothly as ten.

import { call, download } from './api.js';
import { element, say } from './dom.js';

const HEIGHT = 32;
const AROUND = 20;
const MOST = 10_000;

function shown(value) {
  if (value === null) return 'NULL';
  // A sum of fractions is not quite what it is in decimals; the last digit says nothing.
  if (typeof value === 'number' && !Number.isInteger(value)) return String(Number(value.toPrecision(15)));
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function compare(one, other) {
  if (one === null || other === null) return (one === null) - (other === null);
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return shown(one).localeCompare(shown(other), undefined, { numeric: true });
}

/** The table of a result; `source` is where all rows are, if not all are here. */
export function table(result, source) {
  const { columns } = result;
  let rows = result.rows;
  let sorted = { column: null, down: false };
  const numeric = columns.map((_, place) => rows.some((row) => typeof row[place] === 'number'));
  const body = element('tbody');
  const heads = columns.map((name, place) => {
    const button = element('button', { type: 'button', onclick: () => sort(place) }, name);
    return element('th', { scope: 'col', 'aria-sort': 'none', className: numeric[place] ? 'numeric' : '' }, button);
  });
  const grid = element('div', { className: 'grid', tabIndex: 0, role: 'group', 'aria-label': 'Rows' },
    element('table', { 'aria-rowcount': rows.length + 1 }, element('thead', {}, element('tr', {}, ...heads)), body));

  function space(count) {
    const cell = element('td', { colSpan: Math.max(columns.length, 1) });
    cell.style.height = `${count * HEIGHT}px`;
    return element('tr', { className: 'space', 'aria-hidden': 'true' }, cell);
  }

  function draw() {
    const first = Math.max(0, Math.floor(grid.scrollTop / HEIGHT) - AROUND);
    const last = Math.min(rows.length, first + Math.ceil(Math.max(grid.clientHeight, 400) / HEIGHT) + 2 * AROUND);
    const drawn = rows.slice(first, last).map((row, place) => element('tr', { 'aria-rowindex': first + place + 2 },
      ...row.map((value, column) => element('td', {
        className: value === null ? 'null' : numeric[column] ? 'numeric' : '', title: shown(value),
      }, shown(value)))));
    body.replaceChildren(...(first ? [space(first)] : []), ...drawn, ...(last < rows.length ? [space(rows.length - last)] : []));
  }

  let waiting = false;
  grid.addEventListener('scroll', () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  }, { passive: true });

  async function all() {
    if (!source || rows.length >= Math.min(result.row_count, MOST)) return;
    const page = await call('GET', `${source}?limit=${MOST}`);
    rows = page.rows;
    grid.firstChild.setAttribute('aria-rowcount', rows.length + 1);
  }

  async function sort(column) {
    try {
      await all();
    } catch (problem) {
      say(problem.message, true);
      return;
    }
    sorted = { column, down: sorted.column === column && !sorted.down };
    const sign = sorted.down ? -1 : 1;
    rows = [...rows].sort((one, other) => sign * compare(one[column], other[column]));
    heads.forEach((head, place) => head.setAttribute('aria-sort',
      place !== column ? 'none' : sorted.down ? 'descending' : 'ascending'));
    grid.scrollTop = 0;
    draw();
    say(`Sorted by ${columns[column]}, ${sorted.down ? 'descending' : 'ascending'}`);
  }

  async function copy() {
    await all();
    const cell = (value) => (value === null ? '' : shown(value).replace(/[\t\r\n]+/g, ' '));
    const text = [columns, ...rows].map((row) => row.map(cell).join('\t')).join('\n');
    await navigator.clipboard.writeText(text);
    say(`${rows.length} rows are copied`);
  }

  const act = (what) => () => what().catch((problem) => say(problem.message, true));
  const tools = element('div', { className: 'row' },
    element('button', { type: 'button', onclick: act(copy) }, 'Copy'),
    ...(source ? [
      element('button', { type: 'button', onclick: act(() => download(`${source}?format=csv`, 'rows.csv')) }, 'CSV'),
      element('button', { type: 'button', onclick: act(() => download(`${source}?format=xlsx`, 'rows.xlsx')) }, 'XLSX'),
    ] : []));
  draw();
  if (source && rows.length < result.row_count) all().then(draw).catch((problem) => say(problem.message, true));
  return element('div', {}, grid, tools);
}
