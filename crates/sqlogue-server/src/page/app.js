// The page: one conversation, what can be asked, and what can be done with it.

import { call, take } from './api.js';
import { button, byId, copy, element, guarded, hear, say } from './dom.js';
import { live } from './graph.js';
import * as side from './side.js';
import { approval, article, failed, interrupted, sentence, sharedArticle, waiting } from './turn.js';

const thread = byId('thread');
const question = byId('question');
/** The conversation as it stands; none before the first question, so that looking around leaves nothing behind. */
let conversation = null;
let isAsking = false;
/** The turn from which the next question begins a branch; none where it goes on from where the conversation stands. */
let from = null;
/** What was asked here, the latest last. */
let asked = [];

const database = () => byId('database').value;
const path = (rest = '') => `/conversations/${encodeURIComponent(conversation.id)}${rest}`;
const to = (isLast) => ({ isLast, ask, branch: guarded((turn) => visit(turn, true)), database });
const narrow = matchMedia('(max-width: 48rem)');

/** Whether there is time for something else; says why not. */
function isFree() {
  if (isAsking) say('A question is being answered: wait for it, or cancel it');
  return !isAsking;
}

/** Puts an article at the end, in front of those who see and those who hear. */
function add(made) {
  for (const old of thread.querySelectorAll('.choices, .keep, .welcome')) old.remove();
  thread.append(made);
  made.scrollIntoView({ block: 'start' });
}

/** What is there before anything was asked: questions that this database can answer. */
async function welcome() {
  const examples = element('div', { className: 'examples' });
  thread.replaceChildren(element('div', { className: 'welcome' },
    element('h2', {}, `Ask ${database()} a question`),
    element('p', { className: 'quiet' }, 'In plain words. Every answer shows its SQL, how it was read and how sure it is; then say what to change: “only from Germany”, “by month”.'),
    examples));
  const { questions } = await call('GET', `/databases/${encodeURIComponent(database())}/examples`);
  examples.replaceChildren(...questions.map((one) => button(one, () => ask(one))));
}

/** Says where the page is, so that reloading it and going back lead there. */
function at() {
  const place = conversation ? `#${new URLSearchParams({ c: conversation.id, ...(from && { from }) })}` : '';
  if (location.hash !== place) history.pushState(null, '', place || location.pathname);
}

/** Shows a conversation: the turns from the beginning to where it stands, or to where it is to be branched. */
async function show() {
  const turns = await stand();
  const byTurn = new Map(turns.map((turn) => [turn.id, turn]));
  const line = [];
  for (let turn = byTurn.get(from ?? conversation.head); turn; turn = byTurn.get(turn.parent)) line.unshift(turn);
  asked = line.map((turn) => turn.input);
  const told = await Promise.all(line.map((turn) => call('GET', path(`/turns/${turn.id}`))));
  // Its examples are not waited for: a database may be busy with the question that is at work.
  if (!line.length) guarded(welcome)();
  else thread.replaceChildren(...line.map((turn, place) => article(turn.input, told[place], to(place === line.length - 1))));
  thread.lastElementChild?.scrollIntoView({ block: 'start' });
  if (from) return say('The next question begins a branch here; the conversation itself stays as it is');
  if (conversation.waiting) waitForYes(conversation.waiting);
  if (conversation.running && !isAsking) await follow(byTurn.get(conversation.running)?.input ?? 'A question');
  const stopped = turns.find((turn) => turn.status === 'interrupted' && turn.parent === conversation.head);
  if (stopped && !isAsking) offer(stopped);
  return null;
}

/** Waits for a turn that was begun before the page was loaded, or elsewhere. */
async function follow(input) {
  busy(true);
  add(waiting(input).made);
  say('Still working on it');
  try {
    while (conversation.running) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      conversation = await call('GET', path());
    }
  } finally {
    busy(false);
  }
  await show();
  say('');
}

/** Offers to go on with a turn whose server stopped. */
function offer(turn) {
  const end = (what) => guarded(async () => {
    try {
      await call('POST', path(what));
    } finally {
      await show();
    }
  });
  add(interrupted(turn.input, end('/resume'), end('/cancel')));
}

/** Finds out how the conversation stands, and shows it beside the thread; gives its turns. */
async function stand() {
  const [{ turns }, found] = await Promise.all([call('GET', path('/turns')), call('GET', path())]);
  conversation = found;
  side.tree(turns, from ?? found.head, guarded(visit));
  byId('undo').disabled = Boolean(from) || !found.head;
  byId('redo').disabled = Boolean(from) || found.head === found.tip;
  byId('share').disabled = Boolean(from) || !found.head;
  document.title = found.title ? `${found.title} – sqlogue` : 'sqlogue';
  await side.conversations(found.id, guarded(open));
  return turns;
}

/** Goes to a conversation; to one of its turns, where the next question is to begin a branch. */
async function open(id, turn = null) {
  if (!isFree()) return;
  conversation = await call('GET', `/conversations/${encodeURIComponent(id)}`);
  from = turn;
  at();
  say('');
  const known = [...byId('database').options].some((option) => option.value === conversation.database && !option.disabled);
  if (known) byId('database').value = conversation.database;
  menu(false);
  await Promise.all([show(), side.schema(database())]);
  question.focus();
}

/** Leaves the conversation; the next question begins another. */
async function leave() {
  if (!isFree()) return;
  conversation = null;
  from = null;
  asked = [];
  at();
  document.title = 'sqlogue';
  for (const id of ['undo', 'redo', 'share']) byId(id).disabled = true;
  byId('tree').replaceChildren();
  say('');
  menu(false);
  question.focus();
  await Promise.all([welcome(), side.conversations(null, guarded(open)), side.schema(database())]);
}

/** Goes to a turn of this conversation. A branch begins with its first question, so looking around makes none. */
async function visit(turn, isBranch = false) {
  await open(conversation.id, turn === conversation.head && !isBranch ? null : turn);
}

function busy(is) {
  isAsking = is;
  byId('send').hidden = is;
  byId('cancel').hidden = !is;
}

/** Takes a turn, and shows it as it happens. */
async function ask(input) {
  if (isAsking || !input.trim()) return;
  const command = { '/new': 'new', '/undo': 'undo', '/redo': 'redo' }[input.trim()];
  if (command) {
    question.value = '';
    byId(command).click();
    return;
  }
  busy(true);
  asked.push(input);
  const { made: now, place } = waiting(input);
  add(now);
  say('Working');
  const notices = [];
  try {
    if (!conversation) conversation = await call('POST', '/conversations', { database: database() });
    else if (from) conversation = await call('POST', path('/branch'), { turn: from });
    from = null;
    at();
    const light = live(place).catch(() => () => {});
    const hear = async (name, data) => {
      if (name === 'node') (await light)(data);
      if (name === 'progress') say(data.message);
      if (name === 'notice') notices.push(data.message);
      if (name === 'sql') say(`Running ${data.sql}`);
    };
    question.value = '';
    fit();
    const came = await take(path('/turns'), { input, confirm: byId('confirm').checked, explain: true }, hear);
    now.remove();
    if (came.name === 'approval') waitForYes(came.data, input);
    else answered(input, came.data, notices);
    await Promise.all([stand(), side.lessons()]);
  } catch (problem) {
    now.replaceWith(failed(input, problem));
    hear(problem.message);
    if (problem.conversation) await guarded(show)();
  } finally {
    busy(false);
    question.focus();
  }
}

function answered(input, turn, notices) {
  const made = article(input, turn, to(true));
  made.append(...notices.map((notice) => element('p', { className: 'quiet notice' }, notice)));
  add(made);
  hear(sentence(turn));
}

/** Shows SQL that waits for a yes. */
function waitForYes(asks, input = 'May this run?') {
  const made = approval(input, asks, guarded(async (approved) => {
    made.remove();
    try {
      await call('POST', path('/approve'), { approved });
    } finally {
      await show();
    }
  }));
  add(made);
  made.querySelector('button').focus();
}

async function share() {
  const { key } = await call('POST', path('/share'));
  const text = element('input', { value: `${location.origin}/#shared=${key}`, readOnly: true, 'aria-label': 'The link', size: 50 });
  add(element('article', {}, element('h2', {}, 'Share'), element('div', { className: 'reply' },
    element('p', { className: 'answer' }, 'A link to read this conversation as it is now'),
    element('p', { className: 'quiet' }, 'Questions and SQL, and no rows. Whoever may use this server can read it, and nobody can change it.'),
    element('div', { className: 'row link-row' }, text, button('Copy', guarded(async () => {
      await copy(text.value);
      say('The link is copied');
    }))))));
  text.select();
  hear('The link can be copied');
}

async function showShared(key) {
  const shared = await call('GET', `/shared/${encodeURIComponent(key)}`);
  document.body.classList.add('read-only');
  document.title = `${shared.title} – sqlogue`;
  thread.replaceChildren(element('p', { className: 'banner' }, `A conversation about ${shared.database}, to be read. `,
    element('a', { href: '/' }, 'Ask a question of your own')), ...shared.turns.map(sharedArticle));
  say('');
}

/** Goes where the address says. */
async function go() {
  const place = new URLSearchParams(location.hash.slice(1));
  if (place.has('shared')) return showShared(place.get('shared'));
  if (!place.has('c')) return leave();
  try {
    return await open(place.get('c'), place.get('from'));
  } catch (problem) {
    if (problem.status !== 404) throw problem;
    await leave();
    return say('That conversation is gone');
  }
}

async function start() {
  const found = await call('GET', '/databases');
  byId('database').replaceChildren(...found.map((one) => element('option', {
    value: one.name, disabled: one.problem !== null, title: one.problem ?? '',
  }, one.problem === null ? one.name : `${one.name} (not open)`)));
  await Promise.all([go(), side.lessons()]);
}

const isMenuOpen = () => byId('menu').getAttribute('aria-expanded') === 'true';

/** The side, where the page is narrow: it lies above the rest, which cannot be reached then. */
function menu(isOpen) {
  byId('side').classList.toggle('open', isOpen);
  byId('menu').setAttribute('aria-expanded', String(isOpen));
  byId('main').inert = isOpen;
}

/** The question's box is as high as what is in it. */
function fit() {
  question.style.height = 'auto';
  question.style.height = `${Math.min(question.scrollHeight + 2, 200)}px`;
}

const cancel = guarded(async () => {
  if (isAsking && conversation) await call('POST', path('/cancel'));
});

byId('ask').addEventListener('submit', (event) => {
  event.preventDefault();
  ask(question.value);
});
question.addEventListener('input', fit);
question.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    ask(question.value);
  } else if (event.key === 'ArrowUp' && !question.value && asked.length) {
    event.preventDefault();
    question.value = asked.at(-1);
    fit();
  }
});
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  if (isMenuOpen()) {
    menu(false);
    byId('menu').focus();
  } else cancel();
});
document.querySelector('.skip').addEventListener('click', (event) => {
  // The address stays that of the conversation.
  event.preventDefault();
  question.focus();
});
narrow.addEventListener('change', () => menu(false));
byId('cancel').addEventListener('click', cancel);
byId('menu').addEventListener('click', () => {
  menu(!isMenuOpen());
  if (isMenuOpen()) byId('side').querySelector('summary').focus();
});
byId('new').addEventListener('click', guarded(leave));
byId('database').addEventListener('change', guarded(async () => {
  if (isFree()) await leave();
  else byId('database').value = conversation?.database ?? database();
}));
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
  const { value: name } = form.elements.namedItem('name');
  await call('POST', `/databases/${encodeURIComponent(database())}/definitions`, { name, expression: form.elements.namedItem('expression').value });
  form.reset();
  await side.lessons();
  say(`“${name}” is known from now on`);
}));
addEventListener('popstate', guarded(go));
guarded(start)();
