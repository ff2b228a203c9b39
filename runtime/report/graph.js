'use strict';
// The graph as a drawing: pan, zoom, click.

/** A colour for each fusion, far from that of its neighbours. */
const fusionHue = index => (index * 137.5 + 210) % 360;

/** Boxes and whom they read, of a graph with its fusions open or closed. */
function graphBoxes(ir, open, scalars) {
  const producer = new Map();
  const boxes = [];
  const isScalar = node => node.op === 'constant' || (node.op === 'parameter' && /\[\]$/.test(node.type));
  const shown = node => (scalars || !isScalar(node)) && (open ? !('isFusion' in node) : node.fusion < 0);
  for (const node of ir.nodes) {
    if (!shown(node)) continue;
    const fusion = 'isFusion' in node ? node.isFusion : node.fusion;
    const box = {node, fusion, inputs: [], users: []};
    if ('isFusion' in node) {
      box.title = ir.fusions[node.isFusion].name;
      box.text = plural(ir.fusions[node.isFusion].size, 'op');
    } else {
      box.title = node.op === 'parameter' ? '%' + node.names[0] : node.op;
      box.text = node.type;
    }
    node.names.forEach(name => producer.set(name, boxes.length));
    boxes.push(box);
  }
  const source = name => open ? resolve(ir.aliases, name) : name;
  boxes.forEach((box, i) => {
    for (const name of box.node.operands) {
      const from = producer.get(source(name));
      if (from === undefined) continue;
      box.inputs.push(from);
      boxes[from].users.push(i);
    }
  });
  for (const name of ir.results) {
    const from = producer.get(source(name));
    if (from !== undefined) boxes[from].isResult = true;
  }
  for (const box of boxes) {
    box.title = box.title.length > 24 ? box.title.slice(0, 23) + '…' : box.title;
    const text = box.text.length > 26 ? box.text.slice(0, 25) + '…' : box.text;
    box.text = text;
    box.width = Math.max(box.title.length * 7.4, text.length * 6.1, 40) + 18;
    box.height = 38;
  }
  return boxes;
}

function edgePath(points, from, to) {
  const first = [points[0][0], points[0][1] + from.height / 2];
  const last = [points.at(-1)[0], points.at(-1)[1] - to.height / 2];
  const all = [first, ...points.slice(1, -1), last];
  // Cubic pieces whose tangent at a bend is the line between the bend's neighbours.
  const tangent = i => {
    if (i === 0 || i === all.length - 1) return [0, 1];
    const [dx, dy] = [all[i + 1][0] - all[i - 1][0], all[i + 1][1] - all[i - 1][1]];
    return [dx / dy, 1];
  };
  const number = value => value.toFixed(1);
  let path = `M${number(first[0])},${number(first[1])}`;
  for (let i = 1; i < all.length; ++i) {
    const [x0, y0] = all[i - 1];
    const [x1, y1] = all[i];
    const third = (y1 - y0) / 2.6;
    const [t0] = tangent(i - 1);
    const [t1] = tangent(i);
    path += `C${number(x0 + t0 * third)},${number(y0 + third)} ${number(x1 - t1 * third)},${number(y1 - third)} ${number(x1)},${number(y1)}`;
  }
  return path;
}

/** Drag and wheel move and scale the group inside the drawing. */
function panAndZoom(svg, group, size, boxes) {
  let scale = 1;
  let x = 0;
  let y = 0;
  const apply = () => group.setAttribute('transform', `translate(${x},${y}) scale(${scale})`);
  const zoom = (factor, cx, cy) => {
    const next = Math.min(Math.max(scale * factor, 0.02), 4);
    x = cx - (cx - x) * next / scale;
    y = cy - (cy - y) * next / scale;
    scale = next;
    apply();
  };
  const view = () => svg.getBoundingClientRect();
  const middle = () => [view().width / 2, view().height / 2];
  const fit = () => {
    const {width, height} = view();
    scale = Math.min(width / (size.width + 40), height / (size.height + 40), 1.2);
    x = (width - size.width * scale) / 2;
    y = (height - size.height * scale) / 2;
    apply();
  };
  const center = box => {
    const {width, height} = view();
    scale = Math.max(scale, 0.75);
    x = width / 2 - box.x * scale;
    y = height / 2 - box.y * scale;
    apply();
  };
  /** Readable at once, beginning at the top. */
  const start = () => {
    fit();
    if (scale >= 0.55) return;
    scale = 0.7;
    const shown = boxes.filter(box => box.y < view().height / scale);
    const middleX = shown.reduce((sum, box) => sum + box.x, 0) / shown.length;
    x = view().width / 2 - middleX * scale;
    y = 16;
    apply();
  };
  svg.addEventListener('wheel', e => {
    e.preventDefault();
    zoom(Math.exp(-e.deltaY * (e.ctrlKey ? 0.01 : 0.0015)), e.clientX - view().left, e.clientY - view().top);
  }, {passive: false});
  let dragged = null;
  svg.addEventListener('pointerdown', e => dragged = [e.clientX - x, e.clientY - y, e.clientX, e.clientY]);
  svg.addEventListener('pointermove', e => {
    if (!dragged || !(e.buttons & 1)) return;
    if (Math.hypot(e.clientX - dragged[2], e.clientY - dragged[3]) < 4) return;
    svg.classList.add('dragging');
    [x, y] = [e.clientX - dragged[0], e.clientY - dragged[1]];
    apply();
  });
  addEventListener('pointerup', () => {
    dragged = null;
    setTimeout(() => svg.classList.remove('dragging'));
  });
  return {fit, center, start, zoomBy: factor => zoom(factor, ...middle())};
}

/** What is known about one op, with links to its neighbours. */
function opPanel(record, ir, boxes, box, select) {
  const {node} = box;
  const link = i => el('button', {class: 'oplink', onclick: () => select(i)}, `%${boxes[i].node.names[0] || ''} `, el('small', {}, boxes[i].node.op === 'fusion' ? boxes[i].title : boxes[i].node.op));
  const panel = el('div', {}, el('h2', {}, node.op === 'fusion' ? `fusion @${box.title}` : node.op));
  panel.append(factsTable([
    ['Value', el('code', {}, node.names.map(name => '%' + name).join(', '))],
    ['Type', el('code', {}, node.type)],
    ['Written at', node.where ? el('code', {}, node.where) : ''],
    ['Attributes', node.attributes ? el('code', {}, node.attributes) : ''],
    ['Reads', box.inputs.length ? el('span', {}, box.inputs.map(link)) : ''],
    ['Read by', box.users.length ? el('span', {}, [...new Set(box.users)].map(link)) : ''],
    ['Result', box.isResult ? 'leaves the program' : ''],
  ]));
  if (box.fusion >= 0) {
    const name = ir.fusions[box.fusion].name;
    const kernel = record.plan.steps.find(step => step.fusion === name)?.kernel ?? -1;
    panel.append(el('p', {}, node.fusion >= 0 ? `Part of fusion @${name}. ` : '',
        kernel >= 0 ? el('a', {href: `#kernels/${kernel}`}, `See the code of its kernel, ${record.kernels[kernel].name}`) : ''));
  }
  if (node.op === 'fusion') {
    const body = ir.nodes.filter(inner => inner.fusion === node.isFusion);
    const text = body.map(inner => `%${inner.names.join(', %')} = ${inner.op} ${inner.operands.map(o => '%' + o).join(', ')} : ${inner.type}`).join('\n');
    panel.append(el('h3', {}, 'Ops inside'), codeBlock(text, 'ir', 'inside'));
    lightUses(panel);
  }
  const remarks = node.where ? record.remarks.filter(remark => remark.where === node.where || remark.other === node.where) : [];
  if (remarks.length) panel.append(el('h3', {}, 'Remarks'), el('ul', {}, remarks.slice(0, 20).map(remark => el('li', {}, el('b', {}, remark.code), ': ', remark.text))));
  return panel;
}

const kMostDrawn = 6000;

function graphView(record, args) {
  const stages = [[0, 'recorded'], ...record.stages.map((stage, i) => [i + 1, `after ${i + 1} ${stage.pass}`]).filter(([i]) => record.stages[i - 1].changed)];
  const last = lastStage(record);
  let index = args[0] === undefined ? last : Math.min(Number(args[0]) || 0, record.stages.length);
  let open = args[1] === 'ops';
  let scalars = false;
  const view = el('div', {class: 'split wide'});
  const panel = el('aside', {class: 'side right'});
  const holder = el('div', {class: 'canvas', tabindex: 0});
  const found = el('span', {class: 'muted'});
  let control = null;
  let boxes = [];
  let shapes = [];
  let selected = -1;
  let ir = null;

  const welcome = () => panel.replaceChildren(el('h2', {}, 'Graph'), el('p', {}, ir.fusions.length
      ? 'Each colour is one fusion: the ops of one colour run as one kernel. Grey boxes are library calls and other steps, outlined ones the inputs.'
      : 'Each box is one op; outlined boxes are the inputs.'),
      el('p', {}, 'Click a box to see its op. Drag to move, turn the wheel to zoom. With a box chosen, ↑ and ↓ walk to what it reads and who reads it.'));
  const select = i => {
    shapes[selected]?.classList.remove('chosen');
    holder.querySelectorAll('.edge.near').forEach(edge => edge.classList.remove('near'));
    selected = i;
    if (i < 0) return welcome();
    shapes[i].classList.add('chosen');
    holder.querySelectorAll(`.edge[data-from="${i}"], .edge[data-to="${i}"]`).forEach(edge => edge.classList.add('near'));
    panel.replaceChildren(opPanel(record, ir, boxes, boxes[i], j => {
      select(j);
      control.center(boxes[j]);
    }));
  };
  const draw = () => {
    ir = parseIr(stageText(record, index));
    boxes = graphBoxes(ir, open, scalars);
    selected = -1;
    welcome();
    if (boxes.length > kMostDrawn) {
      holder.replaceChildren(el('p', {class: 'hint'}, `${plural(boxes.length, 'box', 'boxes')} are too many to draw well. Close the fusions, or look at graph.dot with a layout program.`));
      return;
    }
    const size = layOut(boxes);
    const group = el('g');
    const svg = el('svg', {width: '100%', height: '100%'}, group);
    for (const edge of size.edges) {
      group.append(el('path', {class: 'edge', 'data-from': edge.from, 'data-to': edge.to, d: edgePath(edge.points, boxes[edge.from], boxes[edge.to])}));
    }
    shapes = boxes.map((box, i) => {
      const kind = box.node.op === 'parameter' ? 'input' : box.fusion >= 0 ? 'fused' : 'plain';
      const shape = el('g', {class: `box ${kind}${box.isResult ? ' result' : ''}`, transform: `translate(${(box.x - box.width / 2).toFixed(1)},${(box.y - box.height / 2).toFixed(1)})`,
        style: box.fusion >= 0 ? `--hue:${fusionHue(box.fusion)}` : null, onclick: () => svg.classList.contains('dragging') || select(i)},
        el('title', {}, `${box.node.op} ${box.node.type}\n${box.node.where}`),
        el('rect', {width: box.width, height: box.height, rx: 6}),
        el('text', {x: box.width / 2, y: 16}, box.title),
        el('text', {x: box.width / 2, y: 30, class: 'type'}, box.text));
      group.append(shape);
      return shape;
    });
    holder.replaceChildren(svg);
    control = panAndZoom(svg, group, size, boxes);
    requestAnimationFrame(() => {
      control.start();
      const wanted = Number(args[2]);
      if (args[2] !== undefined && boxes[wanted]) {
        select(wanted);
        control.center(boxes[wanted]);
      }
    });
  };
  const search = el('input', {type: 'search', class: 'search', placeholder: 'Search ( / )', oninput: () => {
    const wanted = search.value.toLowerCase();
    const hits = boxes.map(box => wanted !== '' && `${box.node.op} %${box.node.names.join(' %')} ${box.node.type} ${box.node.where} ${box.title}`.toLowerCase().includes(wanted));
    shapes.forEach((shape, i) => shape.classList.toggle('hit', hits[i]));
    found.textContent = wanted ? `${hits.filter(Boolean).length} found` : '';
  }, onkeydown: e => {
    if (e.key !== 'Enter') return;
    const hits = shapes.map((shape, i) => i).filter(i => shapes[i].classList.contains('hit'));
    if (!hits.length) return;
    const next = hits.find(i => i > selected) ?? hits[0];
    select(next);
    control.center(boxes[next]);
  }});
  holder.addEventListener('keydown', e => {
    const next = {ArrowUp: boxes[selected]?.inputs[0], ArrowDown: boxes[selected]?.users[0]}[e.key];
    if (e.key === '+' || e.key === '=') control.zoomBy(1.25);
    if (e.key === '-') control.zoomBy(0.8);
    if (e.key === '0') control.fit();
    if (next === undefined) return;
    e.preventDefault();
    select(next);
    control.center(boxes[next]);
  });
  const choice = el('select', {onchange: () => {
    index = Number(choice.value);
    draw();
  }, title: 'Which state of the graph'}, stages.map(([i, name]) => el('option', {value: i, selected: i === index}, name)));
  const main = el('section', {class: 'main'}, el('div', {class: 'bar-top'}, choice,
      toggle('Ops inside fusions', open, on => {
        open = on;
        draw();
      }, 'Draw every op, coloured by its fusion'),
      toggle('Scalars', scalars, on => {
        scalars = on;
        draw();
      }, 'Draw constants and single numbers, such as a learning rate, too'),
      el('button', {onclick: () => control.fit(), title: 'Fit the whole graph ( 0 )'}, 'Fit'),
      el('button', {onclick: () => control.zoomBy(1.25), title: 'Zoom in ( + )'}, '+'),
      el('button', {onclick: () => control.zoomBy(0.8), title: 'Zoom out ( - )'}, '−'), search, found), holder);
  view.append(main, panel);
  draw();
  return view;
}
