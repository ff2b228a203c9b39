'use strict';
// Each kernel: the fusion it computes, its loops, its machine code.

const kListingNotes = {
  'fusion': 'The ops that this kernel computes, as a program of its own that wick-run runs',
  'kernel IR': 'The loops: outer dimensions run in parallel, inner ones in order; b0, b1... are the buffers',
  'LLVM IR': 'What the LLVM compiler got',
  'assembly': 'The machine code',
};

function kernelsView(record, args, go) {
  if (!record.kernels.length) {
    return el('div', {class: 'page'}, el('p', {class: 'lead'}, 'This program has no generated kernels.'));
  }
  const index = Math.min(Number(args[0]) || 0, record.kernels.length - 1);
  const kernel = record.kernels[index];
  const launches = record.plan.steps.map((step, i) => ({step, i})).filter(({step}) => step.kernel === index);
  const list = el('nav', {class: 'side'}, el('h2', {}, 'Kernels'), record.kernels.map((other, i) => {
    const count = record.plan.steps.filter(step => step.kernel === i).length;
    return el('a', {href: `#kernels/${i}`, class: i === index ? 'here' : '', 'aria-current': i === index ? 'true' : null},
        el('span', {}, other.name), el('small', {}, `${other.origin === 'compiled' ? formatMs(other.ms) : 'from ' + other.origin} · ${plural(count, 'launch', 'launches')}`));
  }), el('p', {class: 'hint'}, 'Keys j and k go down and up this list.'));
  const texts = [
    {title: 'fusion', extension: 'wick', text: kernel.graph},
    {title: 'kernel IR', extension: 'kernel', text: kernel.kernel},
    ...kernel.listings.map(listing => ({title: listing.language, extension: listing.extension, text: listing.text})),
  ];
  const wanted = args[1] ? args[1].split('+') : ['kernel', 'll'];
  const shown = new Set(texts.filter(text => wanted.includes(text.extension)).map(text => text.title));
  const columns = el('div', {class: 'columns'});
  const show = () => {
    columns.replaceChildren(...texts.filter(text => shown.has(text.title)).map(text =>
        el('div', {class: 'column'}, el('h3', {title: kListingNotes[text.title]}, text.title, ' ', el('small', {}, kListingNotes[text.title] || '')), (() => {
          const block = codeBlock(text.text, languageOf(text.extension), text.title);
          lightUses(block);
          return block;
        })())));
  };
  const found = el('span', {class: 'muted'});
  const main = el('section', {class: 'main'}, el('div', {class: 'bar-top'}, el('b', {}, kernel.name), place(kernel.where),
      texts.map(text => toggle(text.title, shown.has(text.title), on => {
        on ? shown.add(text.title) : shown.delete(text.title);
        show();
      }, kListingNotes[text.title])), searchBox(() => columns, text => found.textContent = text), found),
      el('p', {class: 'hint'}, `${kOrigins[kernel.origin][0].toUpperCase()}${kOrigins[kernel.origin].slice(1)}${kernel.ms ? `, ${formatMs(kernel.ms)}` : ''}. Launched by ${launches.length === 1 ? 'step' : 'steps'} `,
          launches.map(({i}, n) => [n ? ', ' : '', el('a', {href: `#memory/${i}`}, String(i))]).flat(), ' of the plan.'), columns);
  show();
  const view = el('div', {class: 'split'}, list, main);
  view.step = by => go(`kernels/${Math.min(Math.max(index + by, 0), record.kernels.length - 1)}${args[1] ? '/' + args[1] : ''}`);
  return view;
}
