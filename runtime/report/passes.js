'use strict';
// Graph IR before and after each pass.

/** Index 0 is the recorded graph; stage i is the pass i of the pipeline, from 1. */
function stageText(record, index) {
  for (let i = index; i > 0; --i) if (record.stages[i - 1].changed) return record.stages[i - 1].ir;
  return record.recorded;
}

const lastStage = record => record.stages.findLastIndex(stage => stage.changed) + 1;

const kContext = 3;  // unchanged lines around a change

/** Runs of rows that are far from any change, as [from, to). */
function unchangedRuns(rows) {
  const runs = [];
  for (let i = 0; i < rows.length;) {
    if (rows[i].kind !== 'same') {
      ++i;
      continue;
    }
    let end = i;
    while (end < rows.length && rows[end].kind === 'same') ++end;
    const from = i === 0 ? 1 : i + kContext;
    const to = end === rows.length ? end - 1 : end - kContext;
    if (to - from > 3) runs.push([from, to]);
    i = end;
  }
  return runs;
}

function diffView(before, after, folded) {
  const left = before.replace(/\n$/, '').split('\n');
  const right = after.replace(/\n$/, '').split('\n');
  const {rows, renamed} = diffIr(left.join('\n'), right.join('\n'));
  const back = new Map([...renamed].map(([a, b]) => [b, a]));
  const rowHtml = row => {
    const side = (lines, number, pane) => number < 0 ? '<td class="no"></td><td class="c none"></td>'
        : `<td class="no">${number + 1}</td><td class="c" data-pane="${pane}" data-line="${number}">${codeCell(lines[number], 'ir')}</td>`;
    return `<tr class="${row.kind}">${side(left, row.left, 'before')}${side(right, row.right, 'after')}</tr>`;
  };
  const body = el('tbody');
  const runs = folded ? unchangedRuns(rows) : [];
  let at = 0;
  const add = to => {
    body.insertAdjacentHTML('beforeend', rows.slice(at, to).map(rowHtml).join(''));
    at = to;
  };
  for (const [from, to] of runs) {
    add(from);
    const hidden = rows.slice(from, to);
    const fold = el('tr', {class: 'fold', tabindex: 0}, el('td', {colspan: 4}, `⋯ ${plural(to - from, 'unchanged line')}`));
    const open = () => {
      fold.insertAdjacentHTML('afterend', hidden.map(rowHtml).join(''));
      fold.remove();
    };
    fold.addEventListener('click', open);
    fold.addEventListener('keydown', e => e.key === 'Enter' && open());
    body.append(fold);
    at = to;
  }
  add(rows.length);
  const count = kind => rows.filter(row => row.kind === kind).length;
  const view = el('table', {class: 'diff code'}, body);
  lightUses(view, (name, pane) => pane === 'before' ? renamed.get(name) : back.get(name));
  return {view, removed: count('removed'), added: count('added'), changed: count('changed'), moved: rows.filter(row => row.kind === 'moved' && row.right >= 0).length};
}

/** Marks lines that contain the text; gives how many. */
function findInLines(root, text) {
  let count = 0;
  const wanted = text.toLowerCase();
  root.querySelectorAll('.c').forEach(cell => {
    const full = cell.textContent + ' ' + (cell.querySelector('.place')?.dataset.where || '');
    const hit = wanted !== '' && full.toLowerCase().includes(wanted);
    cell.classList.toggle('found', hit);
    if (hit) ++count;
  });
  return count;
}

function searchBox(root, onCount) {
  let at = -1;
  const box = el('input', {type: 'search', placeholder: 'Search ( / )', class: 'search', oninput: () => {
    at = -1;
    onCount(box.value ? `${plural(findInLines(root(), box.value), 'line')}` : (findInLines(root(), ''), ''));
  }, onkeydown: e => {
    if (e.key !== 'Enter') return;
    const hits = [...root().querySelectorAll('.found')];
    if (!hits.length) return;
    at = (at + (e.shiftKey ? hits.length - 1 : 1)) % hits.length;
    root().querySelectorAll('.found.now').forEach(hit => hit.classList.remove('now'));
    hits[at].classList.add('now');
    hits[at].scrollIntoView({block: 'center'});
  }});
  return box;
}

const kPassNotes = {
  'canonicalize': 'Brings ops to one form and simplifies: x * 1, a reshape of a reshape, a sum of one element.',
  'constant-fold': 'Computes what depends on constants alone.',
  'cse': 'Merges ops that compute the same (common subexpression elimination).',
  'dce': 'Removes ops whose results nobody needs (dead code elimination).',
  'fuse': 'Groups ops into fusions. Each becomes one kernel that passes over memory once.',
  'plan-memory': 'Gives every value a place: in the arena shared by temporaries, or in a result (attribute buffers).',
};

function passesView(record, args, go) {
  const total = record.stages.length;
  let index = args[0] === undefined ? Math.min(1, total) : Math.min(Number(args[0]) || 0, total);
  if (args[0] === undefined && total) index = record.stages.findIndex(stage => stage.changed) + 1 || 1;
  const wanted = args[1] || '';
  const view = el('div', {class: 'split'});
  const item = (i, name, note, idle) => el('a', {href: `#passes/${i}`, class: (i === index ? 'here ' : '') + (idle ? 'idle' : ''),
    'aria-current': i === index ? 'true' : null}, el('span', {}, name), el('small', {}, note));
  const list = el('nav', {class: 'side'}, el('h2', {}, 'Pipeline'), item(0, 'recorded', `${plural(record.ops, 'op')} as written`),
      record.stages.map((stage, i) => item(i + 1, `${i + 1} ${stage.pass}`, `${formatMs(stage.ms)} · ${stage.changed ? 'changed' : 'no change'}`, !stage.changed)),
      el('p', {class: 'hint'}, 'Keys j and k go down and up this list.'));
  const stage = record.stages[index - 1];
  const main = el('section', {class: 'main'});
  const found = el('span', {class: 'muted'});
  let content = el('div');
  let folded = !wanted;
  const counts = el('span', {class: 'counts'});
  const show = () => {
    if (!stage || !stage.changed) {
      content = codeBlock(stageText(record, index), 'ir', 'only');
      lightUses(content);
    } else {
      const diff = diffView(stageText(record, index - 1), stage.ir, folded);
      content = diff.view;
      counts.replaceChildren(el('span', {class: 'minus'}, `−${diff.removed + diff.changed}`), ' ', el('span', {class: 'plus'}, `+${diff.added + diff.changed}`),
          diff.moved ? el('span', {class: 'moved-count', title: 'Lines that only stand elsewhere now'}, ` ${diff.moved} moved`) : '');
    }
    holder.replaceChildren(content);
    if (wanted) {
      box.value = wanted;
      found.textContent = plural(findInLines(content, wanted), 'line');
      requestAnimationFrame(() => content.querySelector('.found')?.scrollIntoView({block: 'center'}));
    }
  };
  const box = searchBox(() => content, text => found.textContent = text);
  const holder = el('div', {class: 'scroll'});
  main.append(el('div', {class: 'bar-top'},
      el('b', {}, stage ? `${index} ${stage.pass}` : 'recorded'), counts,
      stage && stage.changed ? toggle('All lines', !folded, on => {
        folded = !on;
        show();
      }, 'Show unchanged lines too') : null,
      box, found,
      el('a', {href: `#graph/${index}`, class: 'right'}, 'Draw this graph')),
      el('p', {class: 'hint'}, stage ? `${kPassNotes[stage.pass] || ''} ${stage.changed ? 'Left: before. Right: after. Values without a name are numbered in order; a line counts as unchanged when only its numbers moved.' : 'This pass changed nothing.'}`
          : 'The graph as the program recorded it: one op a line, result = op operands : type, and the source line at the end.'));
  main.append(holder);
  view.append(list, main);
  show();
  view.step = by => go(`passes/${Math.min(Math.max(index + by, 0), total)}`);
  return view;
}
