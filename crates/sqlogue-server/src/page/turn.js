// One question and its answer.

import { call } from './api.js';
import { chartOf } from './chart.js';
import { element, say } from './dom.js';
import { wayOf } from './graph.js';
import { sqlOf } from './sql.js';
import { table } from './table.js';

/** What a person reads first. */
function sentence(turn) {
  if (turn.status !== 'completed') return turn.message ?? turn.status;
  if (turn.row_count === 0) return turn.message ?? 'There are no such rows.';
  if (turn.row_count === 1 && turn.rows.length === 1) {
    return turn.columns.map((name, place) => `${name}: ${turn.rows[0][place] ?? 'NULL'}`).join(', ');
  }
  const count = `${turn.row_count.toLocaleString()} row${turn.row_count === 1 ? '' : 's'}`;
  return turn.message ? `${count}. ${turn.message}` : count;
}

function howItWasRead(turn) {
  const parts = [];
  if (turn.status === 'completed' && turn.answer_confidence) {
    parts.push(element('p', {}, 'How sure: ', element('span', { className: `badge ${turn.answer_confidence}` }, turn.answer_confidence)));
  }
  if (turn.left_out.length) parts.push(element('p', { className: 'quiet' }, `Not accounted for: ${turn.left_out.join(', ')}`));
  if (turn.explanation?.length) {
    parts.push(element('details', {}, element('summary', {}, 'How it was read'),
      element('ul', {}, ...turn.explanation.map((line) => element('li', {}, line)))));
  }
  return parts;
}

/** Buttons for what can be said next: choices of a question that was asked back, and other readings. */
function choices(turn, ask) {
  const button = (label, say) => element('button', { type: 'button', onclick: () => ask(say) }, label);
  const list = (title, buttons) => element('div', { className: 'choices', role: 'group', 'aria-label': title },
    element('span', { className: 'quiet' }, `${title}:`), ...buttons);
  const parts = [];
  if (turn.options.length) parts.push(list('Which is meant', turn.options.map((label, place) => button(label, String(place + 1)))));
  if (turn.readings.length) {
    parts.push(list('Or did you mean', turn.readings.map((reading, place) => button(reading.label, String(place + 2)))));
  }
  return parts;
}

/** The article of a turn. `to` says what can be done from it: ask, branch, database; those are left out where it is shared. */
export function article(question, turn, to) {
  const made = element('article', { tabIndex: -1 }, element('h2', {}, question));
  if (turn.refinement_summary) made.append(element('p', { className: 'summary' }, turn.refinement_summary));
  made.append(element('p', { className: `answer ${turn.status}` }, sentence(turn)), ...howItWasRead(turn));
  if (to.isLast) made.append(...choices(turn, to.ask));
  const path = `/conversations/${encodeURIComponent(turn.session)}/turns/${turn.id}`;
  if (turn.status === 'completed' && turn.row_count > 0) {
    if (turn.row_count > 1) {
      const picture = element('div', { className: 'picture' });
      made.append(picture);
      // The article has to be in the page before its picture knows how wide it may be.
      requestAnimationFrame(() => chartOf(path, picture).catch((problem) => say(problem.message, true)));
    }
    // One cell is in the sentence already.
    if (turn.row_count > 1 || turn.columns.length > 1) made.append(rowsOf(turn, path));
  }
  if (turn.sql) made.append(sqlOf(turn.sql, to.database));
  made.append(wayOf(`${path}/graph`), element('div', { className: 'row' },
    element('button', { type: 'button', onclick: () => to.branch(turn.id) }, 'Branch from here')));
  return made;
}

function rowsOf(turn, path) {
  const source = `${path}/rows`;
  if (turn.rows.length) return table(turn, source);
  const place = element('div');
  const show = async () => {
    try {
      const page = await call('GET', `${source}?limit=10000`);
      place.replaceChildren(table(page, source));
    } catch (problem) {
      say(problem.message, true);
    }
  };
  place.append(element('button', { type: 'button', onclick: show }, 'Show the rows'));
  return place;
}

/** A turn of a shared conversation. */
export function sharedArticle(turn) {
  const rows = turn.row_count === null ? turn.message ?? turn.status : `${turn.row_count} rows`;
  return element('article', { className: 'shared' }, element('h2', {}, turn.input), element('p', { className: 'answer' }, rows),
    turn.sql ? element('pre', { tabIndex: 0, 'aria-label': 'SQL' }, element('code', {}, turn.sql)) : null);
}
