'use strict';
// Words and elements that every view is made of.

/** An element with attributes (`on...` are listeners) and children: nodes or texts. */
function el(tag, attributes = {}, ...children) {
  const svg = ['svg', 'g', 'rect', 'path', 'text', 'line', 'title', 'tspan'].includes(tag);
  const node = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag)
                   : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith('aria')) node.setAttribute(name, value);
    else if (value === false) continue;
    else if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined));
  return node;
}

const escapeHtml = text => text.replace(/[&<>"]/g, c => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[c]);

const plural = (count, one, many = one + 's') => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

function formatMs(ms) {
  if (ms >= 1000) return (ms / 1000).toFixed(2) + ' s';
  if (ms >= 100) return ms.toFixed(0) + ' ms';
  if (ms >= 1) return ms.toFixed(1) + ' ms';
  return (ms * 1000).toFixed(0) + ' µs';
}

function formatBytes(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (bytes >= 1024 && unit + 1 < units.length) {
    bytes /= 1024;
    ++unit;
  }
  return `${unit === 0 || bytes >= 100 ? bytes.toFixed(0) : bytes.toFixed(1)} ${units[unit]}`;
}

/** The last part of a path, with its line: `train.cpp:41:12`. */
const shortPlace = where => where.slice(where.lastIndexOf('/') + 1);

/** A source place; the whole path shows on hover. */
const place = where => where ? el('span', {class: 'place', title: where}, shortPlace(where)) : '';

/** A list of rows in a table. `columns`: {title, hint?, value: row => text or node, number?, sort?}. */
function table(columns, rows, onRow) {
  let sorted = null;
  let down = false;
  const body = el('tbody');
  const fill = () => {
    let shown = rows;
    if (sorted) {
      const key = sorted.sort || sorted.value;
      const order = (a, b) => a < b ? -1 : a > b ? 1 : 0;
      shown = [...rows].sort((a, b) => order(key(a), key(b)) * (down ? -1 : 1));
    }
    body.replaceChildren(...shown.map(row => {
      const line = el('tr', onRow ? {tabindex: 0, class: 'link', onclick: () => onRow(row),
                                     onkeydown: e => e.key === 'Enter' && onRow(row)} : {});
      for (const c of columns) line.append(el('td', {class: c.number ? 'number' : ''}, c.value(row)));
      return line;
    }));
  };
  const heads = columns.map(column => {
    const head = el('th', {title: column.hint || 'Sort', class: column.number ? 'number' : '', onclick: () => {
      down = sorted === column ? !down : !!column.number;
      sorted = column;
      heads.forEach(h => h.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      fill();
    }}, column.title);
    return head;
  });
  fill();
  return el('table', {}, el('thead', {}, el('tr', {}, heads)), body);
}

/** Names and values; empty values are left out. */
function factsTable(rows) {
  return el('dl', {class: 'facts'}, rows.filter(([, value]) => value !== '' && value !== null).map(([name, value]) =>
      [el('dt', {}, name), el('dd', {}, value)]));
}

/** A button that stays pressed. */
function toggle(label, on, change, hint) {
  const button = el('button', {class: 'toggle', 'aria-pressed': on, title: hint, onclick: () => {
    const next = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', next);
    change(next);
  }}, label);
  return button;
}

/** A command with a button that copies it. */
function command(text) {
  const copy = el('button', {class: 'copy', onclick: async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {  // pages from files may not use the clipboard: select instead
      getSelection().selectAllChildren(code);
      document.execCommand('copy');
    }
    copy.textContent = 'Copied';
    setTimeout(() => copy.textContent = 'Copy', 1200);
  }}, 'Copy');
  const code = el('code', {}, text);
  return el('div', {class: 'command'}, code, copy);
}

// The theme follows the system until the reader chooses.
function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
}

function swapTheme() {
  const dark = getComputedStyle(document.documentElement).colorScheme.trim() === 'dark';
  setTheme(dark ? 'light' : 'dark');
}
