// Elements without markup in texts: everything that comes from a database or a person is text, and stays text.

/** An element with properties, and children that are elements or texts. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (key in made && key !== 'list') made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A button that is only a button. */
export const button = (label, onclick, properties = {}) => element('button', { type: 'button', onclick, ...properties }, label);

export const byId = (id) => document.getElementById(id);

/** Says something to those who see and to those who hear the page. */
export function say(text, isBad = false) {
  const status = byId('status');
  status.textContent = text;
  status.className = isBad ? 'bad' : '';
}

/** Says to those who hear the page what the others see elsewhere. */
export function hear(text) {
  say(text);
  byId('status').className = 'heard';
}

/** The same work, whose problems are said. */
export const guarded = (what) => async (...given) => {
  try {
    return await what(...given);
  } catch (problem) {
    say(problem.message, true);
    return null;
  }
};

/** A text in which what stands between backticks is code. */
export const worded = (text) => text.split('`').map((piece, place) => (place % 2 ? element('code', {}, piece) : piece));

/** Puts a text where a person can paste it from. */
export async function copy(text) {
  // A page that came unencrypted from another machine is not given the clipboard.
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const place = element('textarea', { value: text, className: 'hidden' });
  document.body.append(place);
  place.select();
  const isDone = document.execCommand('copy');
  place.remove();
  if (!isDone) throw new Error('The browser does not let this page copy');
}

/** Does something once an element is in sight, or nearly. */
export function whenSeen(place, what) {
  const observer = new IntersectionObserver((seen) => {
    if (!seen.some((one) => one.isIntersecting)) return;
    observer.disconnect();
    what();
  }, { rootMargin: '400px' });
  observer.observe(place);
}

/** A button that opens and closes a panel, which is made when it is first opened. */
export function panel(label, make) {
  const place = element('div', { className: 'panel', hidden: true });
  const opener = button(label, () => {
    if (!place.firstChild) place.append(make());
    place.hidden = !place.hidden;
    opener.setAttribute('aria-expanded', String(!place.hidden));
  }, { className: 'plain', 'aria-expanded': 'false' });
  return { opener, place };
}
