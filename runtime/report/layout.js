'use strict';
// Places the nodes of a directed acyclic graph in layers, sources on top.

const kMostBends = 6000;  // long edges bend around nodes while there are fewer bends than this

/**
 * `nodes`: {width, height, inputs: [index of node]} in topological order. Sets x, y (centres) and
 * gives edges {from, to, points: [[x, y]...]} with the size of the drawing.
 */
function layOut(nodes) {
  const layers = assignLayers(nodes);
  const {edges, items} = makeItems(nodes, layers);
  orderItems(items);
  const size = placeItems(items);
  for (const edge of edges) edge.points = straightened(edge.chain.map(item => [item.x, item.y]));
  return {edges, ...size};
}

/** Without the bends that lie near the line between their neighbours. */
function straightened(points) {
  const kept = [points[0]];
  let anchor = 0;
  for (let i = 2; i < points.length; ++i) {
    const [x0, y0] = points[anchor];
    const [x1, y1] = points[i];
    const isStraight = points.slice(anchor + 1, i).every(([x, y]) => Math.abs(x0 + (x1 - x0) * (y - y0) / (y1 - y0) - x) < 6);
    if (isStraight) continue;
    anchor = i - 1;
    kept.push(points[anchor]);
  }
  return [...kept, points.at(-1)];
}

/** As early as operands allow, but near to their users. */
function assignLayers(nodes) {
  const layers = nodes.map(() => 0);
  nodes.forEach((node, i) => node.inputs.forEach(input => layers[i] = Math.max(layers[i], layers[input] + 1)));
  // Then down toward the users, from the last node on, where that makes edges shorter in all.
  const users = nodes.map(() => []);
  nodes.forEach((node, i) => new Set(node.inputs).forEach(input => users[input].push(i)));
  const follows = input => nodes[input].inputs.length === 0 && users[input].length === 1;
  for (let i = nodes.length - 1; i >= 0; --i) {
    if (users[i].length === 0) continue;
    const pulled = [...new Set(nodes[i].inputs)].filter(input => !follows(input)).length;
    if (pulled <= users[i].length) layers[i] = Math.min(...users[i].map(user => layers[user])) - 1;
  }
  return layers;
}

/** Layers of items: nodes, and bends of edges that span several layers. */
function makeItems(nodes, layers) {
  const items = [];
  const add = (layer, item) => {
    (items[layer] ||= []).push(item);
    return item;
  };
  const own = nodes.map((node, i) => add(layers[i], Object.assign(node, {layer: layers[i], above: [], below: []})));
  let bends = 0;
  nodes.forEach((node, i) => node.inputs.forEach(input => bends += layers[i] - layers[input] - 1));
  const edges = [];
  nodes.forEach((node, i) => [...new Set(node.inputs)].forEach(input => {
    const chain = [own[input]];
    if (bends <= kMostBends) {
      for (let layer = layers[input] + 1; layer < layers[i]; ++layer) {
        chain.push(add(layer, {width: 6, height: 0, bend: true, above: [], below: []}));
      }
    }
    chain.push(own[i]);
    for (let k = 1; k < chain.length; ++k) {
      chain[k - 1].below.push(chain[k]);
      chain[k].above.push(chain[k - 1]);
    }
    edges.push({from: input, to: i, chain});
  }));
  for (let layer = 0; layer < items.length; ++layer) items[layer] ||= [];
  return {edges, items};
}

/** Fewer crossings: each item toward the middle of its neighbours, down and up several times. */
function orderItems(layers) {
  const number = layer => layer.forEach((item, i) => item.order = i);
  layers.forEach(number);
  for (let sweep = 0; sweep < 12; ++sweep) {
    const down = sweep % 2 === 0;
    const side = down ? 'above' : 'below';
    for (const layer of down ? layers : [...layers].reverse()) {
      for (const item of layer) {
        const near = item[side];
        item.wish = near.length ? near.reduce((sum, other) => sum + other.order / Math.max(other.count || 1, 1), 0) / near.length
                                : item.order / layer.length;
      }
      layer.sort((a, b) => a.wish - b.wish || a.order - b.order);
      layer.forEach((item, i) => {
        item.order = i;
        item.count = layer.length;
      });
    }
  }
}

/** Coordinates: rows by layer; in a row toward the neighbours without overlap. */
function placeItems(layers) {
  const kGap = 14;
  const kRow = 34;
  let y = 0;
  for (const layer of layers) {
    const height = Math.max(...layer.map(item => item.height), 0);
    let x = 0;
    for (const item of layer) {
      item.x = x + item.width / 2;
      item.y = y + height / 2;
      x += item.width + kGap;
    }
    y += height + kRow;
  }
  const distance = (a, b) => (a.width + b.width) / 2 + kGap;
  for (let sweep = 0; sweep < 24; ++sweep) {
    const down = sweep % 2 === 0;
    for (const layer of down ? layers : [...layers].reverse()) {
      for (const item of layer) {
        const near = sweep > 7 ? [...item.above, ...item.below] : down ? item.above : item.below;
        let sum = 0;
        let weights = 0;
        for (const other of near) {
          const weight = pull(item, other);
          sum += weight * other.x;
          weights += weight;
        }
        item.wish = weights > 0 ? sum / weights : item.x;
      }
      spread(layer, distance);
    }
  }
  const all = layers.flat();
  const left = Math.min(...all.map(item => item.x - item.width / 2), 0);
  for (const item of all) item.x -= left;
  return {width: Math.max(...all.map(item => item.x + item.width / 2), 1), height: Math.max(y - kRow, 1)};
}

/** Long edges should be straight. */
const pull = (a, b) => a.bend && b.bend ? 8 : a.bend || b.bend ? 2 : 1;

/** Nearest to the wishes in the least-squares sense, order and distances kept: items that would
 *  overlap form a block around the mean of their wishes. */
function spread(layer, distance) {
  const blocks = [];
  let offset = 0;
  layer.forEach((item, i) => {
    if (i > 0) offset += distance(layer[i - 1], item);
    item.shift = offset;
    let block = {sum: item.wish - offset, count: 1, items: [item]};
    while (blocks.length && blocks.at(-1).sum / blocks.at(-1).count > block.sum / block.count) {
      const last = blocks.pop();
      block = {sum: last.sum + block.sum, count: last.count + block.count, items: last.items.concat(block.items)};
    }
    blocks.push(block);
  });
  for (const block of blocks) {
    for (const item of block.items) item.x = block.sum / block.count + item.shift;
  }
}
