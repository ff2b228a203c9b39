'use strict';
// First page: what was compiled, why, where the time went, how to repeat it.

const kPhases = [
  ['import', 'Import', 'from the recorded ops to a graph'],
  ['passes', 'Passes', 'simplify the graph, fuse ops into kernels, plan memory'],
  ['lowering', 'Lowering', 'from each fusion to a loop nest (kernel IR)'],
  ['kernels', 'Kernels', 'machine code for each new kernel, several at a time'],
  ['plan', 'Plan', 'order of steps, places of values, library calls'],
];

function summarySentence(record) {
  const parts = [`${plural(record.ops, 'recorded op')} became ${plural(record.launches, 'kernel launch', 'kernel launches')}`];
  if (record.library_calls) parts.push(plural(record.library_calls, 'library call'));
  if (record.interpreted) parts.push(`${plural(record.interpreted, 'interpreted step')}`);
  const [longest] = kPhases.map(([key, name]) => [record.times[key], name]).sort((a, b) => b[0] - a[0]);
  const text = parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}` : parts[0];
  if (!record.times.total) return text + '.';
  return `${text}. Compiling took ${formatMs(record.times.total)}, most of it in “${longest[1]}” (${formatMs(longest[0])}).`;
}

/** Rows of {label, hint, value, note, mark}: bars to one scale. */
function bars(rows, format) {
  const most = Math.max(...rows.map(row => row.value), 1e-9);
  return el('div', {class: 'bars'}, rows.map(row => [
    el('span', {class: 'label', title: row.hint}, row.label),
    el('span', {class: 'track'}, el('span', {class: 'bar ' + (row.mark || ''), style: `width:${Math.max(100 * row.value / most, 0.3)}%`})),
    el('span', {class: 'number'}, format(row.value)),
    el('span', {class: 'note'}, row.note || ''),
  ]));
}

const kOrigins = {
  memory: 'already in memory: an equal kernel was compiled before in this process',
  disk: 'loaded from the kernel cache on disk',
  compiled: 'compiled now',
};

function tiles(record) {
  const tile = (value, name, hint) => el('div', {class: 'tile', title: hint}, el('b', {}, value), el('span', {}, name));
  return el('div', {class: 'tiles'},
      tile(record.ops.toLocaleString('en'), 'recorded ops', 'Ops of the program as it was written'),
      tile(record.launches.toLocaleString('en'), 'kernel launches', `By ${plural(record.kernels.length, 'different kernel')}; each runs many ops in one pass over memory`),
      tile(record.library_calls.toLocaleString('en'), 'library calls', 'Matrix products, convolutions and the like'),
      record.interpreted ? tile(record.interpreted.toLocaleString('en'), 'interpreted', 'Steps without a fast implementation') : null,
      tile(formatMs(record.times.total), 'to compile', 'Without what this report took'),
      tile(formatBytes(record.plan.peak_bytes), 'memory at most', 'Temporaries and fresh results while the program runs'),
      tile(formatBytes(record.plan.intermediate_bytes), 'without fusion', 'If every recorded op kept its result in memory of its own'));
}

function overviewView(record) {
  const view = el('div', {class: 'page'});
  if (record.error) view.append(el('div', {class: 'problem'}, el('b', {}, 'The compile failed. '), el('pre', {}, record.error)));
  view.append(el('p', {class: 'lead'}, summarySentence(record)), tiles(record));
  view.append(el('h2', {}, 'Why it was compiled'), factsTable([
    ['Asked for by', el('span', {}, record.reason || 'unknown', record.where ? ' at ' : '', el('code', {}, record.where || ''))],
    ['New because', record.difference || ''],
  ]));
  view.append(el('h2', {}, 'Repeat it'), ...record.replay.map(({purpose, command: line}) =>
      el('div', {}, el('p', {class: 'purpose'}, purpose), command(line))));
  view.append(el('h2', {}, 'Where the time went'), bars(
      kPhases.map(([key, label, note]) => ({label, note, value: record.times[key], hint: note})), formatMs));
  if (record.stages.length) {
    view.append(el('h3', {}, 'Passes, in order'), bars(record.stages.map((stage, i) => ({
      label: el('a', {href: `#passes/${i + 1}`}, `${i + 1} ${stage.pass}`),
      note: stage.changed ? 'changed the graph' : 'no change', mark: stage.changed ? '' : 'idle', value: stage.ms,
    })), formatMs));
  }
  if (record.kernels.length) {
    const slowest = record.kernels.map((kernel, i) => ({kernel, i})).sort((a, b) => b.kernel.ms - a.kernel.ms);
    view.append(el('h3', {}, slowest.length > 12 ? 'The twelve slowest kernels to compile' : 'Kernels, slowest to compile first'), bars(
        slowest.slice(0, 12).map(({kernel, i}) => ({
          label: el('a', {href: `#kernels/${i}`}, kernel.name), note: kOrigins[kernel.origin],
          mark: kernel.origin === 'compiled' ? '' : 'idle', value: kernel.ms})), formatMs));
  }
  const environment = record.environment;
  view.append(el('h2', {}, 'Made with'), factsTable([
    ['Wick', `${environment.version}, backend ${environment.backend}`],
    ['Processor', `${environment.cpu}, ${plural(environment.threads, 'thread')}`],
    ['Code generator', environment.target && el('span', {title: environment.target}, environment.target.split(' +')[0])],
    ['Switches', environment.variables.length ? el('code', {}, environment.variables.join('\n')) : 'no WICK_ variable was set'],
    ['Process', `${environment.process}, ${environment.time}`],
    ['Graph', el('span', {}, `@${record.graph}, structure `, el('code', {}, record.hash))],
  ]));
  const statistics = Object.entries(record.statistics);
  if (statistics.length) {
    view.append(el('h2', {}, 'What the passes counted'),
        table([{title: 'Counter', value: row => row[0]}, {title: 'Count', number: true, value: row => row[1]}], statistics));
  }
  return view;
}
