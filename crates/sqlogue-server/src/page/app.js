// The page: one conversation, what can be asked, and what can be done with it.

import { call, take } from './api.js';
import { button, byId, element, guarded, say } from './dom.js';
import { live } from './graph.js';
import * as side from './side.js';
import { approval, article, failed, sentence, sharedArticle, waiting } from './turn.js';

const thread = byId('thread');
const question = byId('question');
/** The conversation as it stands; none before the first question, so that looking around leaves nothing behind. */
let conversation = null;
let isAsking = false;
/** What was asked here, the latest last. */
let asked = [];

const database = () => byId('database').value;
const path = (rest = '') => `/conversations/${encodeURIComponent(conversation.id)}${rest}`;
const to = (isLast) => ({ isLast, ask, branch: guarded(branch), database });

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
function at(place) {
  const hash = place ? `#c=${encodeURIComponent(place)}` : ' ';
  if (location.hash !== hash.trim()) history.pushState(null, '', place ? hash : location.pathname);
}

/** Shows a conversation as it stands: the turns from the beginning to its head. */
async function show() {
  const turns = await stand();
  const byTurn = new Map(turns.map((turn) => [turn.id, turn]));
  const line = [];
  for (let turn = byTurn.get(conversation.head); turn; turn = byTurn.get(turn.parent)) line.unshift(turn);
  asked = line.map((turn) => turn.input);
  const told = await Promise.all(line.map((turn) => call('GET', path(`/turns/${turn.id}`))));
  if (!line.length) await welcome();
  else thread.replaceChildren(...line.map((turn, place) => article(turn.input, told[place], to(place === line.length - 1))));
  thread.lastElementChild?.scrollIntoView({ block: 'start' });
  if (conversation.waiting) waitForYes(conversation.waiting);
}

/** Finds out how the conversation stands, and shows it beside the thread; gives its turns. */
async function stand() {
  const [{ turns }, found] = await Promise.all([call('GET', path('/turns')), call('GET', path())]);
  conversation = found;
  side.tree(turns, found.head, guarded(branch));
  byId('undo').disabled = !found.head;
  byId('redo').disabled = found.head === found.tip;
  byId('share').disabled = !found.head;
  document.title = found.title ? `${found.title} – sqlogue` : 'sqlogue';
  await side.conversations(found.id, guarded(open));
  return turns;
}

/** Goes to a conversation. */
async function open(id) {
  if (isAsking) return;
  conversation = await call('GET', `/conversations/${encodeURIComponent(id)}`);
  at(id);
  const known = [...byId('database').options].some((option) => option.value === conversation.database && !option.disabled);
  if (known) byId('database').value = conversation.database;
  menu(false);
  await Promise.all([show(), side.schema(database())]);
  question.focus();
}

/** Leaves the conversation; the next question begins another. */
async function leave() {
  if (isAsking) return;
  conversation = null;
  asked = [];
  at(null);
  document.title = 'sqlogue';
  for (const id of ['undo', 'redo', 'share']) byId(id).disabled = true;
  byId('tree').replaceChildren();
  say('');
  menu(false);
  question.focus();
  await Promise.all([welcome(), side.conversations(null, guarded(open)), side.schema(database())]);
}

async function branch(turn) {
  const made = await call('POST', path('/branch'), { turn });
  await open(made.id);
  say('This is a branch: the conversation it came from stays as it is');
}

function busy(is) {
  isAsking = is;
  byId('send').hidden = is;
  byId('cancel').hidden = !is;
}

/** Takes a turn, and shows it as it happens. */
async function ask(input) {
  if (isAsking || !input.trim()) return;
  busy(true);
  asked.push(input);
  const { made: now, place } = waiting(input);
  add(now);
  say('Working');
  const notices = [];
  try {
    if (!conversation) {
      conversation = await call('POST', '/conversations', { database: database() });
      at(conversation.id);
    }
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
    await stand();
  } catch (problem) {
    now.replaceWith(failed(input, problem));
    say(problem.message, true);
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
  say(sentence(turn));
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
    element('p', { className: 'quiet' }, 'Questions and SQL, and no rows. Whoever may use this server can read it, and nobody can change it.'), text)));
  text.select();
  say('The link can be copied');
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
    return await open(place.get('c'));
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

/** The side, where the page is narrow. */
function menu(isOpen) {
  byId('side').classList.toggle('open', isOpen);
  byId('menu').setAttribute('aria-expanded', String(isOpen));
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
  if (event.key === 'Escape') {
    menu(false);
    cancel();
  }
});
byId('cancel').addEventListener('click', cancel);
byId('menu').addEventListener('click', () => menu(byId('menu').getAttribute('aria-expanded') !== 'true'));
byId('new').addEventListener('click', guarded(leave));
byId('database').addEventListener('change', guarded(leave));
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
