// One question and its answer.

import { call } from './api.js';
import { chartOf } from './chart.js';
import { button, element, guarded, panel, say, whenSeen, worded } from './dom.js';
import { wayOf } from './graph.js';
import { coloured, sqlOf } from './sql.js';
import { rowsInWords, shown, table } from './table.js';

/** A message as a sentence begins. */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** An answer that is one cell, written large, with what it is. */
function figure(turn) {
  return element('p', { className: 'answer' },
    element('strong', { className: 'figure' }, shown(turn.rows[0][0], true)), element('span', { className: 'quiet' }, ` ${turn.columns[0]}`));
}

/** What a person reads first. */
export function sentence(turn) {
  if (turn.status !== 'completed') return turn.message ?? turn.status;
  if (turn.sentence) return turn.message ? `${turn.sentence} ${turn.message}` : turn.sentence;
  // A greeting has words and no query.
  if (!turn.sql) return turn.message ?? '';
  if (turn.row_count === 0) return turn.message ?? 'There are no such rows.';
  if (turn.row_count === 1 && turn.rows.length === 1) {
    return turn.columns.map((name, place) => `${name}: ${shown(turn.rows[0][place], true)}`).join(', ');
  }
  return turn.message ? `${rowsInWords(turn.row_count)}. ${turn.message}` : rowsInWords(turn.row_count);
}

function firstLine(turn) {
  const isCell = turn.status === 'completed' && !turn.sentence && !turn.message && turn.row_count === 1
    && turn.rows.length === 1 && turn.columns.length === 1;
  return isCell ? figure(turn) : element('p', { className: `answer ${turn.status}` }, ...worded(sentence(turn)));
}

const SURE = { high: 'Sure', medium: 'Fairly sure', low: 'Not sure' };

/** How sure the answer is, and what it leaves out. */
function signs(turn) {
  const parts = [];
  if (turn.status === 'completed' && turn.answer_confidence) {
    parts.push(element('span', { className: `badge ${turn.answer_confidence}` }, SURE[turn.answer_confidence]));
  }
  if (turn.left_out.length) parts.push(element('span', { className: 'badge low' }, `Not accounted for: ${turn.left_out.join(', ')}`));
  return parts.length ? element('p', { className: 'signs' }, ...parts) : null;
}

/** The words that were read and what they were taken for, one a line. */
function howItWasRead(turn) {
  const lines = turn.explanation.map((line) => element('li', {}, ...worded(line)));
  if (turn.left_out.length) lines.push(element('li', {}, `Left out: ${turn.left_out.join(', ')}`));
  for (const doubt of turn.doubts) lines.push(element('li', {}, `Not sure: ${doubt}`));
  return element('ul', { className: 'reasons' }, ...lines);
}

/** Buttons for what can be said next: choices of a question that was asked back, and other readings. */
function choices(turn, ask) {
  // The words of a choice say more than its number, where only it has them and they are no number themselves.
  const words = (label, labels, place) => (/^\W*\d/.test(label) || labels.indexOf(label) !== labels.lastIndexOf(label)
    ? String(place) : label);
  const list = (title, labels, first) => element('div', { className: 'choices', role: 'group', 'aria-label': title },
    element('span', { className: 'quiet' }, title),
    ...labels.map((label, place) => button(label, () => ask(words(label, labels, place + first)))));
  return [
    turn.options.length ? list('Which is meant?', turn.options, 1) : null,
    turn.readings.length ? list('Or did you mean', turn.readings.map((reading) => reading.label), 2) : null,
  ];
}

/** The article of a turn. `to` says what can be done from it: ask, branch, keep, database, and whether it is the last. */
export function article(question, turn, to) {
  const path = `/conversations/${encodeURIComponent(turn.session)}/turns/${turn.id}`;
  const reply = element('div', { className: 'reply' },
    turn.refinement_summary ? element('p', { className: 'summary' }, turn.refinement_summary) : null,
    firstLine(turn), signs(turn), ...(to.isLast ? choices(turn, to.ask) : []));
  if (turn.status === 'completed' && turn.row_count > 0) {
    if (turn.row_count > 1) {
      const picture = element('div', { className: 'picture' });
      reply.append(picture);
      whenSeen(picture, () => guarded(chartOf)(path, picture));
    }
    // One cell is in the sentence already.
    if (turn.row_count > 1 || turn.columns.length > 1) reply.append(rowsOf(turn, `${path}/rows`));
  }
  const panels = [
    turn.sql ? panel('SQL', () => sqlOf(turn.sql, to.database)) : null,
    turn.explanation?.length ? panel('How it was read', () => howItWasRead(turn)) : null,
    panel('The way it took', () => wayOf(`${path}/graph`)),
  ].filter(Boolean);
  reply.append(
    element('div', { className: 'row acts' }, ...panels.map((one) => one.opener),
      button('Branch from here', () => to.branch(turn.id), { className: 'plain' }),
      to.isLast && turn.status === 'completed' && turn.sql
        ? button('That is right', () => to.ask('Yes, that is right'), { className: 'plain keep', title: 'Keeps this reading for the next time' })
        : null),
    ...panels.map((one) => one.place));
  return element('article', { tabIndex: -1 }, element('h2', {}, question), reply);
}

function rowsOf(turn, source) {
  if (turn.rows.length) return table(turn, source);
  // The server has forgotten them: the query runs again where somebody looks.
  const place = element('div');
  const show = guarded(async () => place.replaceChildren(table(await call('GET', `${source}?limit=10000`), source)));
  place.append(button(`Show ${rowsInWords(turn.row_count)}`, show));
  return place;
}

/** A question that is being answered: what is at work, as far as it is known. */
export function waiting(question) {
  const place = element('div', { className: 'drawing live', 'aria-hidden': 'true' });
  return { made: element('article', {}, element('h2', {}, question), element('div', { className: 'reply' }, place)), place };
}

/** A question that was not answered, with why. */
export function failed(question, problem) {
  return element('article', {}, element('h2', {}, question),
    element('div', { className: 'reply' },
      element('p', { className: problem.isCancelled ? 'answer cancelled' : 'answer failed' }, capital(problem.message))));
}

/** A question whose server stopped before it was answered. */
export function interrupted(question, goOn, drop) {
  return element('article', {}, element('h2', {}, question), element('div', { className: 'reply' },
    element('p', { className: 'answer' }, 'The server stopped before this was answered.'),
    element('div', { className: 'row' }, button('Go on with it', goOn, { className: 'strong' }), button('Drop it', drop))));
}

/** SQL that waits for a yes; `decide` is told it. */
export function approval(question, asked, decide) {
  say('The SQL waits for your approval');
  return element('article', { tabIndex: -1 }, element('h2', {}, question), element('div', { className: 'reply' },
    element('p', { className: 'answer' }, 'May this run?'), coloured(asked.sql),
    asked.cost ? element('p', { className: 'quiet' }, `It would read ${asked.cost}.`) : null,
    element('div', { className: 'row' }, button('Run it', () => decide(true), { className: 'strong' }),
      button('Do not run it', () => decide(false)))));
}

/** A turn of a shared conversation. */
export function sharedArticle(turn) {
  const rows = turn.row_count === null ? turn.message ?? turn.status : rowsInWords(turn.row_count);
  return element('article', { className: 'shared' }, element('h2', {}, turn.input), element('div', { className: 'reply' },
    element('p', { className: 'answer' }, rows), turn.sql ? coloured(turn.sql) : null));
}
