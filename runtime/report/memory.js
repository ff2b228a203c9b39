'use strict';
// The memory plan: who lies where in the arena, and when.

/** Bytes of temporaries that are needed at each step; what shares its bytes counts once. */
function liveBytes(plan) {
  return plan.steps.map((_, s) => {
    const spans = plan.values.filter(v => v.in_arena && v.defined_at <= s && s <= Math.max(v.last_read, v.defined_at))
        .map(v => [v.offset, v.offset + v.bytes]);
    const scratch = plan.steps[s];
    if (scratch.scratch_bytes) spans.push([scratch.scratch_offset, scratch.scratch_offset + scratch.scratch_bytes]);
    spans.sort((a, b) => a[0] - b[0]);
    let total = 0;
    let end = 0;
    for (const [from, to] of spans) {
      total += Math.max(0, to - Math.max(from, end));
      end = Math.max(end, to);
    }
    return total;
  });
}

const stepTitle = step => step.fusion || step.name;

const stepName = (plan, s) => s < 0 ? 'the start' : s >= plan.steps.length ? 'the end' : `step ${s} (${stepTitle(plan.steps[s])})`;

function valueTip(plan, value) {
  return [el('b', {}, `%${value.name} `), value.op, el('br'), el('code', {}, value.type), `, ${formatBytes(value.bytes)}`, el('br'),
    `at ${value.place}`, el('br'), `made by ${stepName(plan, value.defined_at)}`, el('br'),
    `last read by ${stepName(plan, Math.max(value.last_read, value.defined_at))}`, value.where ? [el('br'), value.where] : []];
}

function memoryChart(record, focus) {
  const {plan} = record;
  const width = Math.min(Math.max(plan.steps.length * 14, innerWidth - 60), 6000);
  const height = 420;
  const left = 70;
  const top = 12;
  const x = step => left + (width - left - 10) * step / plan.steps.length;
  const y = offset => top + (height - top - 30) * (1 - offset / plan.arena_bytes);
  const svg = el('svg', {width, height: height + 90, class: 'chart'});
  const tip = el('div', {class: 'tip', hidden: true});
  const follow = (shape, content) => {
    shape.addEventListener('mousemove', e => {
      tip.replaceChildren(...content().flat());
      tip.hidden = false;
      tip.style.left = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8) + 'px';
      tip.style.top = Math.min(e.clientY + 14, innerHeight - tip.offsetHeight - 8) + 'px';
    });
    shape.addEventListener('mouseleave', () => tip.hidden = true);
    return shape;
  };
  for (let i = 0; i <= 4; ++i) {
    const offset = plan.arena_bytes * i / 4;
    svg.append(el('line', {class: 'grid', x1: left, x2: width - 10, y1: y(offset), y2: y(offset)}),
        el('text', {class: 'axis', x: left - 6, y: y(offset) + 4, 'text-anchor': 'end'}, formatBytes(offset)));
  }
  if (focus >= 0) svg.append(el('rect', {class: 'focus', x: x(focus), y: top, width: x(1) - x(0), height: height - top - 30}));
  const maker = value => plan.steps[value.defined_at] ? stepTitle(plan.steps[value.defined_at]) : value.op;
  const names = [];  // above all boxes
  const taken = [];  // by names: [from, to, line]
  const hue = name => [...name].reduce((hash, c) => (hash * 31 + c.charCodeAt(0) * 47) % 360, 7);
  const values = plan.values.filter(value => value.in_arena && value.bytes > 0)
      .sort((a, b) => (b.last_read - b.defined_at) - (a.last_read - a.defined_at));
  for (const value of values) {
    const end = Math.max(value.last_read, value.defined_at) + 1;
    const wide = x(end) - x(value.defined_at);
    const high = Math.max(y(value.offset) - y(value.offset + value.bytes), 1);
    const isView = value.op === 'reshape';
    svg.append(follow(el('rect', {class: 'life' + (isView ? ' view' : ''), x: x(value.defined_at) + 0.5, y: y(value.offset + value.bytes), width: Math.max(wide - 1, 1), height: high,
      style: `--hue:${hue(maker(value))}`}), () => valueTip(plan, value)));
    if (wide > 60 && high > 13 && !isView) {
      const from = x(value.defined_at);
      const line = [0, 1].map(n => y(value.offset + value.bytes) + 13 * n)
          .find(at => at + 13 <= y(value.offset) && !taken.some(([begin, end, row]) => begin < from + wide && from < end && Math.abs(row - at) < 12));
      if (line === undefined) continue;
      taken.push([from, from + wide, line]);
      names.push(el('text', {class: 'inside', x: from + 5, y: line + 12}, `${maker(value)} ${value.type}`.slice(0, Math.floor(wide / 6.4))));
    }
  }
  plan.steps.forEach((step, s) => {
    if (!step.scratch_bytes) return;
    svg.append(follow(el('rect', {class: 'life scratch', x: x(s) + 0.5, y: y(step.scratch_offset + step.scratch_bytes), width: x(1) - x(0) - 1, height: Math.max(y(step.scratch_offset) - y(step.scratch_offset + step.scratch_bytes), 1)}),
        () => ['scratch of ', stepName(plan, s), el('br'), formatBytes(step.scratch_bytes)]));
  });
  svg.append(...names, el('line', {class: 'peak', x1: left, x2: width - 10, y1: y(plan.arena_bytes), y2: y(plan.arena_bytes)}),
      el('text', {class: 'axis peak', x: left + 4, y: y(plan.arena_bytes) + 13}, `arena: ${formatBytes(plan.arena_bytes)}`));
  const live = liveBytes(plan);
  const most = Math.max(...live, 1);
  live.forEach((bytes, s) => svg.append(follow(el('rect', {class: 'live', x: x(s) + 0.5, y: height + 60 - 60 * bytes / most, width: Math.max(x(1) - x(0) - 1, 1), height: Math.max(60 * bytes / most, 0.5)}),
      () => [el('b', {}, stepName(plan, s)), el('br'), `${formatBytes(bytes)} of temporaries in use`])));
  svg.append(el('text', {class: 'axis', x: left - 6, y: height + 8, 'text-anchor': 'end'}, formatBytes(most)), el('text', {class: 'axis', x: left - 6, y: height + 60, 'text-anchor': 'end'}, '0'));
  const every = Math.ceil(plan.steps.length / (width / 60));
  plan.steps.forEach((step, s) => {
    const strip = follow(el('rect', {class: 'steps', x: x(s), y: height - 26, width: x(1) - x(0), height: 18}), () => [
      el('b', {}, `step ${s}: ${stepTitle(step)}`), el('br'), step.kind, step.implementation ? ` ${step.implementation}` : '', step.where ? [el('br'), step.where] : []]);
    svg.append(strip);
    if (s % every === 0) svg.append(el('text', {class: 'axis', x: x(s + 0.5), y: height - 12, 'text-anchor': 'middle'}, String(s)));
  });
  svg.append(el('text', {class: 'axis', x: left, y: height + 80}, 'Steps of the plan run from left to right. Below: how much of the arena is in use at each step.'));
  return el('div', {}, el('div', {class: 'chart-scroll'}, svg), tip);
}

function stepsTable(record) {
  const {plan} = record;
  const names = numbers => numbers.map(n => '%' + plan.values[n].name).join(', ');
  return table([
    {title: 'Step', number: true, value: row => row.s},
    {title: 'Does', value: row => row.step.fusion ? `fusion ${row.step.fusion}` : row.step.name, sort: row => stepTitle(row.step)},
    {title: 'How', value: row => row.step.kernel >= 0 ? el('span', {}, 'kernel ', el('a', {href: `#kernels/${row.step.kernel}`}, row.step.name)) : `${row.step.kind} ${row.step.implementation}`, sort: row => row.step.kind + row.step.name},
    {title: 'Reads', value: row => el('code', {}, names(row.step.reads)), sort: row => row.step.reads.length},
    {title: 'Writes', value: row => el('code', {}, names(row.step.writes) || 'scratch'), sort: row => row.step.writes.length},
    {title: 'Source', value: row => place(row.step.where), sort: row => row.step.where},
  ], plan.steps.map((step, s) => ({step, s})));
}

function valuesTable(record) {
  const {plan} = record;
  return table([
    {title: 'Value', value: value => el('code', {}, '%' + value.name), sort: value => value.name},
    {title: 'Op', value: value => value.op},
    {title: 'Type', value: value => el('code', {}, value.type), sort: value => value.type},
    {title: 'Bytes', number: true, value: value => value.bytes.toLocaleString('en'), sort: value => value.bytes},
    {title: 'Place', value: value => el('code', {}, value.place), sort: value => value.place},
    {title: 'Made by', value: value => stepName(plan, value.defined_at), sort: value => value.defined_at},
    {title: 'Last read by', value: value => stepName(plan, Math.max(value.last_read, value.defined_at)), sort: value => value.last_read},
    {title: 'Source', value: value => place(value.where), sort: value => value.where},
  ], plan.values);
}

function memoryView(record, args) {
  const {plan} = record;
  const view = el('div', {class: 'page wide'});
  const temporaries = plan.values.filter(value => value.in_arena && value.op !== 'reshape').length;
  if (plan.arena_bytes > 0) {
    view.append(el('p', {class: 'lead'}, `${plural(temporaries, 'temporary', 'temporaries')} share one arena of ${formatBytes(plan.arena_bytes)}. With fresh results, the program needs ${formatBytes(plan.peak_bytes)} at most; if every recorded op kept its result in memory of its own, it would be ${formatBytes(plan.intermediate_bytes)}.`));
    view.append(el('p', {class: 'hint'}, 'A box is one value: from left to right the steps during which it is needed, from bottom to top its bytes in the arena. Point at a box to see what it is; striped boxes are scratch of a library call.'));
    view.append(memoryChart(record, args[0] === undefined ? -1 : Number(args[0])));
  } else if (plan.steps.length) {
    view.append(el('p', {class: 'lead'}, `No temporaries: every value lies in a result or an input. Fresh results take ${formatBytes(plan.peak_bytes)}.`));
  } else {
    view.append(el('p', {class: 'lead'}, 'This backend made no plan of steps.'));
  }
  if (plan.steps.length) {
    view.append(el('details', {open: true}, el('summary', {}, `Steps (${plan.steps.length})`), stepsTable(record)),
        el('details', {open: plan.arena_bytes === 0}, el('summary', {}, `Values (${plan.values.length})`), valuesTable(record)));
  }
  view.append(el('details', {open: plan.steps.length === 0}, el('summary', {}, 'The plan as text'), el('pre', {class: 'code plain'}, plan.text)));
  return view;
}
