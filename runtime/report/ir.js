'use strict';
// Reads graph IR text: enough of it to draw the graph and to compare two texts.

const kLocation = / loc\("((?:[^"\\]|\\.)*)":(\d+):(\d+)\)$/;

/** `{code, where}` of a line; where is `file:line:column` or ''. */
function splitLocation(line) {
  const found = kLocation.exec(line);
  if (!found) return {code: line, where: ''};
  const file = found[1].replace(/\\(.)/g, '$1');
  return {code: line.slice(0, found.index), where: `${file}:${found[2]}:${found[3]}`};
}

const valueNames = text => [...text.replace(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/%([\w.$-]+)/g)].map(m => m[1]);

/** Op name, attributes and types of what stands right of `=`. */
function parseOperation(text) {
  const colon = text.lastIndexOf(' : ');
  const type = colon < 0 ? '' : text.slice(colon + 3);
  const left = colon < 0 ? text : text.slice(0, colon);
  const brace = left.search(/ ?\{/);
  const attributes = brace < 0 ? '' : left.slice(brace).trim().slice(1, -1);
  const head = brace < 0 ? left : left.slice(0, brace);
  const op = (/^[^\s(]+/.exec(head) || [''])[0].replace(/^"|"$/g, '');  // ops from outside stand in quotes
  return {op, operands: valueNames(head), attributes, type};
}

/** Commas inside brackets do not part. */
function splitList(text) {
  const parts = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; ++i) {
    if ('([{<'.includes(text[i])) ++depth;
    else if (')]}>'.includes(text[i])) --depth;
    else if (text[i] === ',' && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.map(part => part.trim()).filter(part => part);
}

function parseParameters(text, line) {
  return splitList(text).map(part => {
    const [, name, type, attributes] = /^%([\w.$-]+): ([^{]*?)(?: \{(.*)\})?$/.exec(part) || [, part, '', ''];
    return {names: [name], op: 'parameter', operands: [], attributes: attributes || '', type, where: '', line, fusion: -1};
  });
}

/**
 * `nodes` in order, those of fusion bodies included: {names, op, operands, attributes, type, where,
 * line, fusion}, where fusion is the number of the fusion it is in or -1. `fusions`: {name, kind,
 * node, operands, parameters, yields}. `aliases`: what a fusion's parameters and results stand for.
 */
function parseIr(text) {
  const graph = {nodes: [], fusions: [], results: [], aliases: new Map()};
  let fusion = null;
  text.split('\n').forEach((line, number) => {
    const {code, where} = splitLocation(line);
    const trimmed = code.trim();
    let found;
    if ((found = /^graph @\S*?\((.*)\) -> \(/.exec(trimmed))) {
      graph.nodes.push(...parseParameters(found[1], number));
    } else if ((found = /^(%.*?) = fusion(?:<([^>]*)>)? @([^(]*)\((.*)\) \{$/.exec(trimmed))) {
      const node = {names: valueNames(found[1]), op: 'fusion', operands: valueNames(found[4]), attributes: '', type: '',
                    where: '', line: number, fusion: -1, isFusion: graph.fusions.length};
      fusion = {name: found[3], kind: found[2] || '', node, parameters: [], yields: [], size: 0};
      graph.nodes.push(node);
      graph.fusions.push(fusion);
    } else if (fusion && (found = /^\^\((.*)\):$/.exec(trimmed))) {
      fusion.parameters = parseParameters(found[1], number).map(p => p.names[0]);
      fusion.parameters.forEach((name, i) => graph.aliases.set(name, fusion.node.operands[i]));
    } else if (fusion && /^yield\b/.test(trimmed)) {
      fusion.yields = valueNames(trimmed);
      fusion.node.names.forEach((name, i) => graph.aliases.set(name, fusion.yields[i]));
    } else if (fusion && /^\}/.test(trimmed)) {
      Object.assign(fusion.node, parseOperation('fusion' + trimmed.slice(1)), {op: 'fusion', operands: fusion.node.operands, where});
      fusion = null;
    } else if (/^return\b/.test(trimmed)) {
      graph.results = valueNames(trimmed);
    } else if ((found = /^(%.*?) = (.*)$/.exec(trimmed))) {
      const inside = fusion ? graph.fusions.length - 1 : -1;
      if (fusion && !trimmed.includes(' = constant ')) ++fusion.size;
      graph.nodes.push({...parseOperation(found[2]), names: valueNames(found[1]), where, line: number, fusion: inside});
    }
  });
  return graph;
}

/** The value that a name stands for in the end, fusions seen through. */
function resolve(aliases, name) {
  for (let steps = 0; aliases.has(name) && steps < 100; ++steps) name = aliases.get(name);
  return name;
}
