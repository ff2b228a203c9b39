'use strict';
// Compares two graph IR texts line by line. Values without a name are numbered in order, so one op
// more renumbers all that follow: lines are matched without their value names, and a match counts
// as unchanged when its operands are the counterparts of the other's.

const diffKey = line => line.trim().replace(/%[\w.$-]+/g, '%');

/** Pairs [i, j] of equal keys, rising in both: lines that are unique on both sides first. */
function matchLines(a, b) {
  const pairs = [];
  const stack = [[0, a.length, 0, b.length]];
  while (stack.length) {
    let [a0, a1, b0, b1] = stack.pop();
    while (a0 < a1 && b0 < b1 && a[a0] === b[b0]) pairs.push([a0++, b0++]);
    while (a0 < a1 && b0 < b1 && a[a1 - 1] === b[b1 - 1]) pairs.push([--a1, --b1]);
    if (a0 === a1 || b0 === b1) continue;
    const anchors = uniqueMatches(a, a0, a1, b, b0, b1);
    if (anchors.length === 0) {
      pairs.push(...longestCommon(a, a0, a1, b, b0, b1));
      continue;
    }
    let fromA = a0;
    let fromB = b0;
    for (const [i, j] of anchors) {
      stack.push([fromA, i, fromB, j]);
      pairs.push([i, j]);
      fromA = i + 1;
      fromB = j + 1;
    }
    stack.push([fromA, a1, fromB, b1]);
  }
  return pairs.sort((x, y) => x[0] - y[0]);
}

/** The longest rising sequence of lines that occur once on each side. */
function uniqueMatches(a, a0, a1, b, b0, b1) {
  const count = new Map();
  for (let i = a0; i < a1; ++i) {
    const entry = count.get(a[i]) || {inA: 0, inB: 0};
    ++entry.inA;
    entry.i = i;
    count.set(a[i], entry);
  }
  for (let j = b0; j < b1; ++j) {
    const entry = count.get(b[j]);
    if (!entry) continue;
    ++entry.inB;
    entry.j = j;
  }
  const once = [...count.values()].filter(e => e.inA === 1 && e.inB === 1).sort((x, y) => x.i - y.i);
  const tails = [];
  for (const entry of once) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tails[middle].j < entry.j) low = middle + 1;
      else high = middle;
    }
    entry.before = low > 0 ? tails[low - 1] : null;
    tails[low] = entry;
  }
  const chain = [];
  for (let entry = tails[tails.length - 1]; entry; entry = entry.before) chain.push([entry.i, entry.j]);
  return chain.reverse();
}

/** A longest common subsequence; none of texts too long to compare so. */
function longestCommon(a, a0, a1, b, b0, b1) {
  const rows = a1 - a0;
  const columns = b1 - b0;
  if (rows * columns > 4e6) return [];
  const width = columns + 1;
  const best = new Uint16Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; --i) {
    for (let j = columns - 1; j >= 0; --j) {
      best[i * width + j] = a[a0 + i] === b[b0 + j]
          ? best[(i + 1) * width + j + 1] + 1
          : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < rows && j < columns;) {
    if (a[a0 + i] === b[b0 + j]) pairs.push([a0 + i++, b0 + j++]);
    else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) ++i;
    else ++j;
  }
  return pairs;
}

/** Left of `=`, and the rest. */
function definitionAndUses(line) {
  const {code} = splitLocation(line);
  const equals = code.indexOf(' = ');
  const defines = equals > 0 && code.trimStart().startsWith('%');
  return {defined: defines ? valueNames(code.slice(0, equals)) : [],
          used: valueNames(defines ? code.slice(equals) : code)};
}

/** The op of a line, its first word where there is none. */
const opOf = line => (/^\s*(?:%.*? = )?([^\s(<]+)/.exec(line) || ['', ''])[1];

/** Pairs of equal lines that stand in another order. */
function movedLines(a, b, pairs) {
  const inPairs = [new Set(pairs.map(pair => pair[0])), new Set(pairs.map(pair => pair[1]))];
  const waiting = new Map();
  a.forEach((key, i) => {
    if (inPairs[0].has(i) || key === '}' || key.startsWith('yield')) return;
    if (!waiting.has(key)) waiting.set(key, []);
    waiting.get(key).push(i);
  });
  const moved = [];
  b.forEach((key, j) => {
    if (inPairs[1].has(j) || !waiting.get(key)?.length) return;
    moved.push([waiting.get(key).shift(), j]);
  });
  return moved;
}

/** Constants by name, as their lines read: copies of one are as good as the one. */
function constantsOf(lines, keys) {
  const constants = new Map();
  lines.forEach((line, i) => {
    if (/^\s*%[^ ]+ = constant /.test(line)) constants.set(valueNames(line)[0], splitLocation(keys[i]).code.replace(/\{buffers = [^\]]*\], /, '{'));
  });
  return constants;
}

/**
 * `rows`: {left, right, kind}, where left and right are line numbers or -1 and kind is same,
 * changed, removed, added or moved. `renamed`: the name on the right of each value on the left.
 */
function diffIr(before, after) {
  const left = before.split('\n');
  const right = after.split('\n');
  const leftKeys = left.map(diffKey);
  const rightKeys = right.map(diffKey);
  const pairs = matchLines(leftKeys, rightKeys);
  const moved = movedLines(leftKeys, rightKeys, pairs);
  const renamed = new Map();
  for (const [i, j] of [...pairs, ...moved]) {
    const names = definitionAndUses(right[j]).defined;
    definitionAndUses(left[i]).defined.forEach((name, k) => renamed.set(name, names[k]));
  }
  const isSame = sameUses(before, after, renamed, constantsOf(left, leftKeys), constantsOf(right, rightKeys));
  const movedLeft = new Set(moved.map(pair => pair[0]));
  const movedRight = new Set(moved.map(pair => pair[1]));
  const leftOps = left.map(opOf);
  const rightOps = right.map(opOf);
  const rows = [];
  let i = 0;
  let j = 0;
  const removeTo = end => {
    for (; i < end; ++i) rows.push({left: i, right: -1, kind: movedLeft.has(i) ? 'moved' : 'removed'});
  };
  const addTo = end => {
    for (; j < end; ++j) rows.push({left: -1, right: j, kind: movedRight.has(j) ? 'moved' : 'added'});
  };
  for (const [toI, toJ] of [...pairs, [left.length, right.length]]) {
    const sameOps = toI > i && toJ > j ? longestCommon(leftOps, i, toI, rightOps, j, toJ) : [];
    for (const [atI, atJ] of sameOps) {
      if (movedLeft.has(atI) || movedRight.has(atJ)) continue;
      removeTo(atI);
      addTo(atJ);
      rows.push({left: i++, right: j++, kind: 'changed'});
    }
    removeTo(toI);
    addTo(toJ);
    if (toI < left.length) rows.push({left: i, right: j, kind: isSame(left[i++], right[j++]) ? 'same' : 'changed'});
  }
  return {rows, renamed};
}

/** Tells whether two lines read the same values, whatever their names. */
function sameUses(before, after, renamed, leftConstants, rightConstants) {
  const leftAliases = parseIr(before).aliases;
  const rightAliases = parseIr(after).aliases;
  return (left, right) => {
    if (/^\s*(graph @|\^\(|yield|return|\})/.test(left)) return true;
    const names = definitionAndUses(right).used;
    return definitionAndUses(left).used.every((name, k) => {
      const a = resolve(leftAliases, name);
      const b = resolve(rightAliases, names[k]);
      const counterpart = renamed.has(a) ? resolve(rightAliases, renamed.get(a)) : a;
      return counterpart === b || (leftConstants.has(a) && leftConstants.get(a) === rightConstants.get(b));
    });
  };
}
