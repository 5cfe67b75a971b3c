// Talks to the server: the token, problems, and turns as they happen.

const BASE = '/api/v1';
const KEPT = 'sqlogue-token';

/** Something that cannot be done, in the server's words. */
export class Problem extends Error {
  constructor(problem) {
    super(problem.hint ? `${problem.detail} (${problem.hint})` : problem.detail);
    this.status = problem.status;
    this.conversation = problem.conversation;
    this.isCancelled = problem.type === 'urn:sqlogue:problem:cancelled';
  }
}

/** Asks the person for a token; resolves when there is one. */
async function askForToken() {
  const dialog = document.getElementById('token');
  const text = document.getElementById('token-text');
  document.getElementById('token-title').textContent = sessionStorage.getItem(KEPT)
    ? 'The server does not know that token' : 'This server asks for a token';
  text.value = '';
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
  sessionStorage.setItem(KEPT, text.value);
}

async function send(method, path, body, headers = {}) {
  for (;;) {
    const token = sessionStorage.getItem(KEPT);
    const all = { ...headers };
    if (token) all.Authorization = `Bearer ${token}`;
    if (body !== undefined) all['Content-Type'] = 'application/json';
    const request = { method, headers: all, body: body === undefined ? undefined : JSON.stringify(body) };
    let response;
    try {
      response = await fetch(BASE + path, request);
    } catch {
      throw new Problem({ detail: 'The server cannot be reached', hint: 'is it still running?' });
    }
    if (response.status === 401) {
      await askForToken();
      continue;
    }
    if (!response.ok) {
      const problem = await response.json().catch(() => ({ detail: response.statusText, status: response.status }));
      throw new Problem(problem);
    }
    return response;
  }
}

/** A request whose answer is JSON, or nothing. */
export async function call(method, path, body) {
  const response = await send(method, path, body);
  return response.status === 204 || response.headers.get('content-length') === '0' ? null : response.json();
}

/** An answer as text, such as a drawing. */
export async function text(path) {
  return (await send('GET', path)).text();
}

/** Downloads a file under a name. */
export async function download(path, name) {
  const blob = await (await send('GET', path)).blob();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Takes a turn; `told` hears each event as it happens. Resolves with the last: `answer` or `approval`. */
export async function take(path, body, told) {
  const headers = { Accept: 'text/event-stream', 'Idempotency-Key': crypto.randomUUID?.() ?? String(Math.random()) };
  const response = await send('POST', path, body, headers);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Problem({ detail: 'The connection ended before the answer', hint: 'reload to see what came of it' });
    rest += value;
    const events = rest.split('\n\n');
    rest = events.pop();
    for (const event of events) {
      const name = event.match(/^event: (.*)$/m)?.[1];
      const data = event.match(/^data: (.*)$/m)?.[1];
      if (!name || !data) continue;
      const read = JSON.parse(data);
      if (name === 'problem') throw new Problem(read);
      if (name === 'answer' || name === 'approval') return { name, data: read };
      told(name, read);
    }
  }
}
