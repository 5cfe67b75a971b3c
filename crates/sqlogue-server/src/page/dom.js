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

export const byId = (id) => document.getElementById(id);

/** Says something to those who see and to those who hear the page. */
export function say(text, isBad = false) {
  const status = byId('status');
  status.textContent = text;
  status.classList.toggle('bad', isBad);
}
