'use strict';

const colors = {good: '#2a7f62', short: '#c9822b', bad: '#b5443c', wick: '#2f6fb3', floor: '#9aa5b1'};
const escape = text => String(text).replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`);
const number = (x, digits = 2) => x ? x.toFixed(digits) : '';
const measured = data.rows.filter(row => !row.error);
const grade = row => !row.goal ? 'wick' : row.fraction >= row.goal ? 'good' : row.fraction >= 0.8 * row.goal ? 'short' : 'bad';

function svg(height, body) {
  return `<svg viewBox="0 0 1000 ${height}" role="img">${body}</svg>`;
}

function families(rows) {
  const all = new Map();
  for (const row of rows) all.set(row.family, [...(all.get(row.family) || []), row]);
  return all;
}

function floorBars(rows) {
  const left = 240, width = 640, line = 22;
  let body = '';
  rows.forEach((row, i) => {
    const y = i * line, length = Math.min(row.fraction, 1.15) / 1.15 * width;
    body += `<text x="${left - 8}" y="${y + 15}" text-anchor="end">${escape(row.name)}</text>` +
      `<rect x="${left}" y="${y + 4}" width="${length}" height="14" fill="${colors[grade(row)]}"><title>${escape(row.what)}</title></rect>` +
      `<text class="faint" x="${left + length + 6}" y="${y + 15}">${number(row.fraction)}</text>`;
    if (row.goal) {
      const x = left + Math.min(row.goal, 1.15) / 1.15 * width;
      body += `<line x1="${x}" x2="${x}" y1="${y + 1}" y2="${y + 21}" stroke="#1d2733" stroke-width="2"/>`;
    }
  });
  return svg(rows.length * line + 4, body);
}

function peerDots(rows) {
  const left = 240, width = 620, line = 22, low = 0.5, high = 64;
  const at = ratio => left + Math.log(Math.min(Math.max(ratio, low), high) / low) / Math.log(high / low) * width;
  const palette = {stock: '#8a6fb0', tuned: '#b5443c'};
  let body = '';
  for (const ratio of [0.5, 1, 2, 4, 8, 16, 32, 64]) {
    body += `<line x1="${at(ratio)}" x2="${at(ratio)}" y1="16" y2="${rows.length * line + 20}" stroke="${ratio === 1 ? '#1d2733' : '#dde3ea'}"/>` +
      `<text class="faint" x="${at(ratio)}" y="11" text-anchor="middle">${ratio}</text>`;
  }
  rows.forEach((row, i) => {
    const y = i * line + 31;
    body += `<text x="${left - 8}" y="${y + 4}" text-anchor="end">${escape(row.name)}</text>`;
    for (const peer of row.peers)
      body += `<circle cx="${at(peer.ratio)}" cy="${y}" r="5" fill="${palette[peer.name] || '#c9822b'}" fill-opacity=".8">` +
        `<title>${escape(peer.name)}: ${number(peer.ratio)} x (${number(peer.median, 3)} ms)</title></circle>`;
    const fastest = row.peers.reduce((best, peer) => peer.ratio < best.ratio ? peer : best);
    body += `<text class="faint" x="${left + width + 12}" y="${y + 4}">${escape(fastest.name)} ${number(fastest.ratio)}</text>`;
  });
  return svg(rows.length * line + 24, body);
}

/* Every turn of every contestant, so that one sees what noise there was. */
function turns(row) {
  const series = [{name: 'floor', ms: row.floor}, row.wick, ...row.peers].filter(s => s.ms.length);
  const all = series.flatMap(s => s.ms), low = Math.min(...all) * 0.95, high = Math.max(...all) * 1.05;
  const left = 130, width = 840, line = 24;
  const at = ms => left + Math.log(ms / low) / Math.log(high / low) * width;
  let body = '';
  series.forEach((s, i) => {
    const y = i * line + 14, color = s.name === 'floor' ? colors.floor : s.name === 'wick' ? colors.wick : '#b5443c';
    body += `<text x="${left - 8}" y="${y + 4}" text-anchor="end">${escape(s.name)}</text>`;
    for (const ms of s.ms)
      body += `<circle cx="${at(ms)}" cy="${y}" r="4" fill="${color}" fill-opacity=".55"><title>${number(ms, 4)} ms</title></circle>`;
  });
  const y = series.length * line + 12;
  for (const ms of [Math.min(...all), Math.max(...all)])
    body += `<text class="faint" x="${at(ms)}" y="${y}" text-anchor="middle">${number(ms, 3)} ms</text>`;
  const f = row.facts;
  return svg(y + 8, body) + `<p>${escape(row.what)}. ${f.ops} ops recorded, ${f.programs} programs, ${f.kernels} kernels, ` +
    `${f.library_calls} library calls, ${f.interpreted} interpreted; first step ${number(row.wick.first_ms, 1)} ms.</p>`;
}

function rowTable() {
  const peers = measured.some(row => row.peers.length);
  const table = document.getElementById('rows');
  const heads = ['row', 'median ms', 'floor ms', 'of floor', 'goal', 'rate', 'peak MiB', 'others', ...(peers ? ['peers'] : [])];
  table.innerHTML = `<tr>${heads.map(h => `<th>${h}</th>`).join('')}</tr>`;
  for (const row of data.rows) {
    const line = table.insertRow();
    line.className = 'row';
    if (row.error) {
      line.innerHTML = `<td>${escape(row.name)}</td><td colspan="${heads.length - 1}" class="bad">${escape(row.error)}</td>`;
      continue;
    }
    const cells = [escape(row.name), number(row.wick.median, 3), number(row.floor_median, 3),
      `<span class="${grade(row)}">${number(row.fraction)}</span>`, number(row.goal), escape(row.rate),
      row.wick.peak_mib.toFixed(0), row.others.toFixed(2)];
    if (peers) cells.push(row.peers.map(p => `${escape(p.name)} ${number(p.ratio)}`).join(', '));
    line.innerHTML = cells.map(c => `<td>${c}</td>`).join('');
    const detail = table.insertRow();
    detail.hidden = true;
    detail.innerHTML = `<td class="detail" colspan="${heads.length}">${turns(row)}</td>`;
    line.onclick = () => { detail.hidden = !detail.hidden; };
  }
}

function modelTable() {
  const heads = ['model', 'first step, no kernels', 'kernels on disk', 'arena MiB', '/ live', '/ intermediates', 'ops', 'kernels', 'calls'];
  const lines = measured.filter(row => row.warm_first_ms !== null).map(row => {
    const f = row.facts, extra = ms => `${((ms - row.wick.median) / 1000).toFixed(2)} s more`;
    return [escape(row.name), extra(row.wick.first_ms), extra(row.warm_first_ms), (f.arena_bytes / 1048576).toFixed(0),
      number(f.arena_bytes / f.peak_live_bytes), number(f.arena_bytes / f.intermediate_bytes), f.ops, f.kernels, f.library_calls];
  });
  document.getElementById('models').innerHTML = [heads.map(h => `<th>${h}</th>`), ...lines.map(l => l.map(c => `<td>${c}</td>`))]
    .map(cells => `<tr>${cells.join('')}</tr>`).join('');
}

document.getElementById('about').innerHTML = `<code>${escape(data.command)}</code>, ${escape(data.when)}`;
for (const [name, rows] of families(measured.filter(row => row.floor.length)))
  document.getElementById('floors').innerHTML += `<h3>${escape(name)}</h3>${floorBars(rows)}`;
const compared = measured.filter(row => row.peers.length);
if (compared.length) document.getElementById('peers').innerHTML = peerDots(compared);
else for (const each of document.querySelectorAll('.peers')) each.hidden = true;
rowTable();
modelTable();
