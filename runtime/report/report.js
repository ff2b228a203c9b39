'use strict';
// One compile: tabs, keys, addresses such as #passes/3 or #kernels/0/kernel+s.

const kTabs = [
  ['overview', 'Overview', overviewView],
  ['passes', 'Passes', passesView],
  ['graph', 'Graph', graphView],
  ['remarks', 'Remarks', remarksView],
  ['kernels', 'Kernels', kernelsView],
  ['memory', 'Memory', memoryView],
];

function startReport(record) {
  let view = null;
  const tabs = el('nav', {class: 'tabs', 'aria-label': 'Views'});
  const main = el('main');
  const go = address => location.hash = address;
  const counts = {passes: record.stages.length, remarks: record.remarks.length, kernels: record.kernels.length};
  const help = el('dialog', {class: 'help'}, el('h2', {}, 'Keys'), el('dl', {class: 'facts'}, [
    ['1 … 6', 'the views'], ['j k', 'next and previous pass or kernel'], ['/', 'search; Enter goes to the next hit'],
    ['↑ ↓', 'in the graph: to what an op reads, to who reads it'], ['+ - 0', 'in the graph: zoom, fit'],
    ['d', 'dark or light'], ['?', 'this help'],
  ].map(([key, text]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, text)])), el('form', {method: 'dialog'}, el('button', {}, 'Close')));
  document.title = `Compile ${record.number} @${record.graph}`;
  document.body.append(
      el('header', {}, el('h1', {}, `Compile ${record.number} `, el('small', {}, `@${record.graph}`)), tabs,
          el('span', {class: 'right'},
              el('button', {onclick: swapTheme, title: 'Dark or light ( d )'}, '◐'),
              el('button', {onclick: () => help.showModal(), title: 'Keys ( ? )'}, '?'))),
      main, help);

  const show = () => {
    const [address, query] = location.hash.slice(1).split('?');
    setTheme(new URLSearchParams(query).get('theme'));
    const [name, ...args] = address.split('/').map(decodeURIComponent);
    const tab = kTabs.find(([key]) => key === name) || kTabs[0];
    tabs.replaceChildren(...kTabs.map(([key, title], i) => el('a', {href: '#' + key, title: `Key ${i + 1}`, 'aria-current': key === tab[0] ? 'page' : null},
        title, counts[key] !== undefined ? el('small', {}, ` ${counts[key]}`) : null)));
    view = tab[2](record, args, go);
    document.querySelectorAll('.tip').forEach(tip => tip.remove());
    main.replaceChildren(view);
    scrollTo(0, 0);
  };
  addEventListener('hashchange', show);
  addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) {
      if (e.key === 'Escape') e.target.blur();
      return;
    }
    const tab = kTabs[Number(e.key) - 1];
    if (tab) go(tab[0]);
    else if (e.key === 'j' && view.step) view.step(1);
    else if (e.key === 'k' && view.step) view.step(-1);
    else if (e.key === 'd') swapTheme();
    else if (e.key === '?') help.showModal();
    else if (e.key === '/') {
      e.preventDefault();
      view.querySelector('input[type=search]')?.focus();
    }
  });
  show();
}

startReport(JSON.parse(document.getElementById('data').textContent));
