// Rows as a table: sorted by a click, copied, downloaded. Only the rows in sight are in the page, so that thousands of them
// scroll as smoothly as ten.

import { call, download } from './api.js';
import { button, copy, element, guarded, say, whenSeen } from './dom.js';

const HEIGHT = 32;
const AROUND = 20;
const MOST = 10_000;

export const rowsInWords = (count) => `${count.toLocaleString('en')} row${count === 1 ? '' : 's'}`;

/** A number that names something is not written as an amount. */
const NAMES = /(^|_)(id|year|code|zip|number|no)$/i;

/** A cell as people read it; amounts have their thousands apart, and `decimals` where a column has some. */
export function shown(value, isAmount = false, decimals = null) {
  if (value === null) return 'NULL';
  if (typeof value === 'number') {
    // A sum of fractions is not quite what it is in decimals; the last digit says nothing.
    const exact = Number.isInteger(value) ? value : Number(value.toPrecision(15));
    if (!isAmount) return String(exact);
    if (decimals !== null) return exact.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
    // Averages have more digits than anybody reads; what is copied or downloaded has them all.
    return exact.toLocaleString('en', Math.abs(exact) < 1 ? { maximumSignificantDigits: 4 } : { maximumFractionDigits: 4 });
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const collator = new Intl.Collator(undefined, { numeric: true });

function compare(one, other) {
  if (one === null || other === null) return (one === null) - (other === null);
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return collator.compare(shown(one), shown(other));
}

/** How a column is written: whether it holds numbers, whether they are amounts, and with how many decimals. */
function shapeOf(name, place, rows) {
  const numbers = rows.map((row) => row[place]).filter((value) => typeof value === 'number');
  const digits = numbers.map((value) => shown(value).split('.')[1]?.length ?? 0);
  const most = digits.length ? Math.max(...digits.slice(0, 500)) : 0;
  return { numeric: numbers.length > 0, isAmount: !NAMES.test(name), decimals: most <= 4 ? most : null };
}

/** The table of a result; `source` is where all rows are, if not all are here. */
export function table(result, source) {
  const { columns } = result;
  let inOrder = result.rows;
  let rows = inOrder;
  let sorted = { column: null, order: 'none' };
  const shapes = columns.map((name, place) => shapeOf(name, place, rows));
  const body = element('tbody');
  const heads = columns.map((name, place) => element('th', {
    scope: 'col', 'aria-sort': 'none', className: shapes[place].numeric ? 'numeric' : '',
  }, button(name, () => guarded(sort)(place))));
  const inner = element('table', {}, element('thead', {}, element('tr', {}, ...heads)), body);
  const grid = element('div', { className: 'grid', tabIndex: 0, role: 'group', 'aria-label': 'Rows' }, inner);
  const count = element('span', { className: 'quiet count' });

  function space(missing) {
    const cell = element('td', { colSpan: Math.max(columns.length, 1) });
    cell.style.height = `${missing * HEIGHT}px`;
    return element('tr', { className: 'space', 'aria-hidden': 'true' }, cell);
  }

  function cell(value, { numeric, isAmount, decimals }) {
    const text = shown(value, isAmount, decimals);
    return element('td', { className: value === null ? 'null' : numeric ? 'numeric' : '', title: text.length > 40 ? text : null }, text);
  }

  function draw() {
    const first = Math.max(0, Math.floor(grid.scrollTop / HEIGHT) - AROUND);
    const last = Math.min(rows.length, first + Math.ceil(Math.max(grid.clientHeight, 400) / HEIGHT) + 2 * AROUND);
    const drawn = rows.slice(first, last).map((row, place) => element('tr', { 'aria-rowindex': first + place + 2 },
      ...row.map((value, column) => cell(value, shapes[column]))));
    body.replaceChildren(...(first ? [space(first)] : []), ...drawn, ...(last < rows.length ? [space(rows.length - last)] : []));
    inner.setAttribute('aria-rowcount', rows.length + 1);
    const all = rowsInWords(result.row_count);
    count.textContent = rows.length < result.row_count ? `${rows.length.toLocaleString('en')} of ${all}` : all;
  }

  let isWaiting = false;
  grid.addEventListener('scroll', () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => { isWaiting = false; draw(); });
  }, { passive: true });

  let fetched = null;
  const all = () => (fetched ??= !source || rows.length >= Math.min(result.row_count, MOST) ? Promise.resolve()
    : call('GET', `${source}?limit=${MOST}`).then((page) => { inOrder = page.rows; rows = inOrder; draw(); }));

  /** Upwards, downwards, and back to the order of the answer. */
  async function sort(column) {
    await all();
    const before = sorted.column === column ? sorted.order : 'none';
    const order = { none: 'ascending', ascending: 'descending', descending: 'none' }[before];
    sorted = { column, order };
    const sign = order === 'descending' ? -1 : 1;
    rows = order === 'none' ? inOrder : [...inOrder].sort((one, other) => sign * compare(one[column], other[column]));
    heads.forEach((head, place) => head.setAttribute('aria-sort', place === column ? order : 'none'));
    grid.scrollTop = 0;
    draw();
    say(order === 'none' ? 'In the order of the answer' : `Sorted by ${columns[column]}, ${order}`);
  }

  async function copyAll() {
    await all();
    const plain = (value) => (value === null ? '' : shown(value).replace(/[\t\r\n]+/g, ' '));
    await copy([columns, ...rows].map((row) => row.map(plain).join('\t')).join('\n'));
    say(`Copied ${rowsInWords(rows.length)}`);
  }

  const file = (format) => button(format.toUpperCase(), guarded(() => download(`${source}?format=${format}`, `rows.${format}`)), {
    className: 'plain', 'aria-label': `Download all rows as ${format.toUpperCase()}`,
  });
  draw();
  if (rows.length < result.row_count) whenSeen(grid, guarded(all));
  return element('div', { className: 'rows' }, grid, element('div', { className: 'row' }, count,
    button('Copy', guarded(copyAll), { className: 'plain', 'aria-label': 'Copy all rows' }), ...(source ? [file('csv'), file('xlsx')] : [])));
}
