'use strict';
// The list of all compiles of a dump folder.

function startIndex(compiles) {
  const total = compiles.reduce((sum, compile) => sum + (compile.times?.total || 0), 0);
  const programs = new Set(compiles.map(compile => compile.process));
  const holder = el('div');
  const count = el('span', {class: 'muted'});
  const show = text => {
    const shown = compiles.filter(compile => `${compile.folder} ${compile.reason} ${compile.where} ${compile.difference} ${compile.error}`.toLowerCase().includes(text));
    count.textContent = shown.length === compiles.length ? '' : `${shown.length} of ${compiles.length}`;
    holder.replaceChildren(table([
      ...(programs.size > 1 ? [{title: 'Process', value: compile => compile.process}] : []),
      {title: 'Compile', value: compile => el('a', {href: encodeURI(compile.folder) + '/report.html'}, `${compile.number} @${compile.graph}`), sort: compile => compile.number},
      {title: 'Asked for by', hint: 'What needed a value', value: compile => compile.reason},
      {title: 'Source', value: compile => place(compile.where), sort: compile => compile.where},
      {title: 'New because', hint: 'Difference from the nearest program compiled before', value: compile => compile.error ? el('span', {class: 'tag missed'}, 'failed') : compile.difference, sort: compile => compile.difference},
      {title: 'Ops', number: true, value: compile => compile.ops},
      {title: 'Kernels', hint: 'Kernel launches', number: true, value: compile => compile.launches},
      {title: 'Library calls', number: true, value: compile => compile.library_calls},
      {title: 'Compile time', number: true, value: compile => formatMs(compile.times.total), sort: compile => compile.times.total},
      {title: 'At', value: compile => compile.time.slice(11), sort: compile => compile.time},
    ], shown, compile => location.href = encodeURI(compile.folder) + '/report.html'));
  };
  const search = el('input', {type: 'search', class: 'search', placeholder: 'Search ( / )', oninput: () => show(search.value.toLowerCase())});
  document.body.append(
      el('header', {}, el('h1', {}, 'Compiles'), el('span', {class: 'right'}, el('button', {onclick: swapTheme, title: 'Dark or light ( d )'}, '◐'))),
      el('main', {}, el('div', {class: 'page wide'},
          el('p', {class: 'lead'}, `${plural(compiles.length, 'program')} compiled in ${formatMs(total)}. Each row is a program that was new; choose one to see all about it.`),
          compiles.length ? factsTable([['Command', el('code', {}, [...new Set(compiles.map(compile => compile.command_line.join(' ')))].join('\n'))]]) : null,
          el('div', {class: 'bar-top'}, search, count), holder)));
  addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.tagName === 'INPUT') return;
    if (e.key === 'd') swapTheme();
    if (e.key === '/') {
      e.preventDefault();
      search.focus();
    }
  });
  setTheme(new URLSearchParams(location.hash.split('?')[1]).get('theme'));
  show('');
}

startIndex(JSON.parse(document.getElementById('data').textContent));
