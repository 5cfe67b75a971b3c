// The page: one conversation, what can be asked, and what can be done with it.

import { call, take } from './api.js';
import { byId, element, say } from './dom.js';
import { live } from './graph.js';
import * as side from './side.js';
import { article, sharedArticle } from './turn.js';

const thread = byId('thread');
const question = byId('question');
let conversation = null;
let isAsking = false;

const database = () => byId('database').value;
const path = (rest = '') => `/conversations/${encodeURIComponent(conversation.id)}${rest}`;
const guarded = (what) => async (...given) => {
  try {
    return await what(...given);
  } catch (problem) {
    say(problem.message, true);
    return null;
  }
};

/** Puts the last article in front of those who see and those who hear. */
function add(made) {
  for (const old of thread.querySelectorAll('.choices, :scope > p')) old.remove();
  thread.append(made);
  made.scrollIntoView({ block: 'start' });
}

const to = (isLast) => ({ isLast, ask: (input) => ask(input), branch: guarded(branch), database });

/** Shows a conversation as it stands: the turns from the beginning to its head. */
async function show() {
  const { head, turns } = await call('GET', path('/turns'));
  const byTurn = new Map(turns.map((turn) => [turn.id, turn]));
  const line = [];
  for (let turn = byTurn.get(head); turn; turn = byTurn.get(turn.parent)) line.unshift(turn);
  const told = await Promise.all(line.map((turn) => call('GET', path(`/turns/${turn.id}`))));
  thread.replaceChildren(...line.map((turn, place) => article(turn.input, told[place], to(place === line.length - 1))));
  if (!line.length) thread.append(element('p', { className: 'quiet' },
    `Ask about ${database()} in plain words. “Tables and keys” shows what is in it.`));
  side.tree(turns, head, guarded(branch));
  conversation = await call('GET', path());
  byId('undo').disabled = !head;
  byId('redo').disabled = conversation.head === conversation.tip;
  byId('share').disabled = !head;
  if (conversation.waiting) approval(conversation.waiting);
}

/** Goes to a conversation, or to a new one. */
async function open(id) {
  conversation = id
    ? await call('GET', `/conversations/${encodeURIComponent(id)}`)
    : await call('POST', '/conversations', { database: database() });
  history.replaceState(null, '', `#c=${encodeURIComponent(conversation.id)}`);
  if ([...byId('database').options].some((option) => option.value === conversation.database && !option.disabled)) {
    byId('database').value = conversation.database;
  }
  await Promise.all([show(), side.conversations(conversation.id, guarded(open)), side.schema(database())]);
  question.focus();
}

async function branch(turn) {
  const made = await call('POST', path('/branch'), { turn });
  await open(made.id);
  say('This is a branch: the conversation it came from stays as it is');
}

function busy(is) {
  isAsking = is;
  byId('send').disabled = is;
  byId('cancel').hidden = !is;
}

/** Takes a turn, and shows it as it happens. */
async function ask(input) {
  if (isAsking || !input.trim()) return;
  busy(true);
  const place = element('div', { className: 'drawing live', 'aria-hidden': 'true' });
  const now = element('article', {}, element('h2', {}, input), place);
  add(now);
  say('Working');
  const light = live(place).catch(() => () => {});
  const notices = [];
  const hear = async (name, data) => {
    if (name === 'node') (await light)(data);
    if (name === 'progress') say(data.message);
    if (name === 'notice') notices.push(data.message);
    if (name === 'sql') say(`Running ${data.sql}`);
  };
  try {
    const body = { input, confirm: byId('confirm').checked, explain: true };
    const came = await take(path('/turns'), body, hear);
    now.remove();
    if (came.name === 'approval') {
      approval(came.data, input);
    } else {
      const made = article(input, came.data, to(true));
      made.append(...notices.map((notice) => element('p', { className: 'quiet' }, notice)));
      add(made);
      say(came.data.status === 'completed' ? `Answered: ${came.data.row_count} rows` : came.data.message ?? came.data.status);
    }
    question.value = '';
    await after();
  } catch (problem) {
    now.replaceChildren(element('h2', {}, input), element('p', { className: 'answer failed' }, problem.message));
    say(problem.message, true);
    if (problem.conversation) await guarded(show)();
  } finally {
    busy(false);
    question.focus();
  }
}

/** What changes beside the thread when a turn is over. */
async function after() {
  const { head, turns } = await call('GET', path('/turns'));
  side.tree(turns, head, guarded(branch));
  conversation = await call('GET', path());
  byId('undo').disabled = !head;
  byId('redo').disabled = conversation.head === conversation.tip;
  byId('share').disabled = !head;
  await side.conversations(conversation.id, guarded(open));
}

/** Shows SQL that waits for a yes. */
function approval(waiting, input = 'May this run?') {
  const decide = (approved) => guarded(async () => {
    made.remove();
    try {
      await call('POST', path('/approve'), { approved });
    } finally {
      await show();
    }
  });
  const made = element('article', { tabIndex: -1 }, element('h2', {}, input), element('pre', { tabIndex: 0 }, waiting.sql),
    waiting.cost ? element('p', { className: 'quiet' }, `It would read ${waiting.cost}.`) : null,
    element('div', { className: 'row' },
      element('button', { type: 'button', onclick: decide(true) }, 'Run it'),
      element('button', { type: 'button', onclick: decide(false) }, 'Do not run it')));
  add(made);
  made.querySelector('button').focus();
  say('The SQL waits for your approval');
}

async function share() {
  const { key } = await call('POST', path('/share'));
  const link = `${location.origin}/#shared=${key}`;
  const text = element('input', { value: link, readOnly: true, 'aria-label': 'The link', size: 50 });
  add(element('article', {}, element('h2', {}, 'A link to read this conversation as it is now'), text));
  text.select();
  say('The link can be copied');
}

async function showShared(key) {
  const shared = await call('GET', `/shared/${encodeURIComponent(key)}`);
  document.body.querySelector('.tools').hidden = true;
  document.querySelector('nav').hidden = true;
  byId('ask').hidden = true;
  document.title = `${shared.title} – sqlogue`;
  thread.replaceChildren(...shared.turns.map(sharedArticle));
  say(`A conversation about ${shared.database}, to be read`);
}

async function start() {
  const found = await call('GET', '/databases');
  byId('database').replaceChildren(...found.map((one) => element('option', {
    value: one.name, disabled: one.problem !== null, title: one.problem ?? '',
  }, one.name)));
  const place = new URLSearchParams(location.hash.slice(1));
  if (place.has('shared')) return showShared(place.get('shared'));
  await guarded(side.lessons)();
  const wanted = place.get('c');
  if (!wanted) return open(null);
  try {
    return await open(wanted);
  } catch (problem) {
    if (problem.status !== 404) throw problem;
    await open(null);
    return say('That conversation is gone; this is a new one');
  }
}

byId('ask').addEventListener('submit', (event) => {
  event.preventDefault();
  ask(question.value);
});
question.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    ask(question.value);
  }
});
byId('cancel').addEventListener('click', guarded(async () => {
  await call('POST', path('/cancel'));
}));
byId('new').addEventListener('click', guarded(() => open(null)));
byId('database').addEventListener('change', guarded(() => open(null)));
for (const what of ['undo', 'redo']) {
  byId(what).addEventListener('click', guarded(async () => {
    await call('POST', path(`/${what}`));
    await show();
    say(what === 'undo' ? 'The last turn is taken back' : 'The turn is back');
  }));
}
byId('share').addEventListener('click', guarded(share));
byId('define').addEventListener('submit', guarded(async (event) => {
  event.preventDefault();
  const form = event.target;
  await call('POST', `/databases/${encodeURIComponent(database())}/definitions`, {
    name: form.elements.namedItem('name').value, expression: form.elements.namedItem('expression').value,
  });
  form.reset();
  await side.lessons();
  say('It is defined');
}));
guarded(start)();
