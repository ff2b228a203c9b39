'use strict';
// Colours of the languages that a report shows, a line at a time.

const kIrTokens = /("(?:[^"\\]|\\.)*")|(%[\w.$-]+)|([@^][\w.$-]*)|\b(graph|return|yield|fusion|kernel|loop|outer|inner|in|out|load|store|accumulate|params|vector)\b(?! =)|\b((?:f16|bf16|f32|f64|i8|i16|i32|i64|u8|bool)(?:\[[\d,]*\])?)|(-?\b(?:\d[\d.]*(?:e[+-]?\d+)?|inf|nan)\b)/g;
const kLlvmTokens = /(;.*$|#.*$)|("(?:[^"\\]|\\.)*")|([%@!][\w.$-]+)|\b(define|declare|ret|br|label|phi|call|tail|load|store|getelementptr|inbounds|icmp|fcmp|select|fadd|fmul|fsub|fdiv|add|sub|mul|and|or|xor|shl|lshr|ashr|zext|sext|trunc|fptrunc|fpext|bitcast|align|nuw|nsw|contract|reassoc|attributes|source_filename|target|insertelement|extractelement|shufflevector)\b|(<\d+ x [^>]*>|\b(?:float|double|ptr|void|half|bfloat|i\d+)\b)|(-?\b(?:0x[\dA-Fa-f]+|\d[\d.]*(?:e[+-]?\d+)?)\b)/g;
const kAsmTokens = /(#.*$)|("(?:[^"\\]|\\.)*")|(%\w+)|(^\s*[.\w$]+:)|(^\s+\.\w+)|(^\s+[a-z]\w*)|(\$?-?\b(?:0x[\da-f]+|\d+)\b)/g;

const kLanguages = {
  ir: {tokens: kIrTokens, classes: ['text', 'value', 'symbol', 'word', 'type', 'number']},
  llvm: {tokens: kLlvmTokens, classes: ['comment', 'text', 'value', 'word', 'type', 'number']},
  asm: {tokens: kAsmTokens, classes: ['comment', 'text', 'value', 'symbol', 'comment', 'word', 'number']},
};

const languageOf = extension => ({wick: 'ir', kernel: 'ir', ll: 'llvm', s: 'asm'})[extension] || 'llvm';

/** HTML of a line; values carry `data-v` with their name. */
function colored(line, language) {
  const {tokens, classes} = kLanguages[language];
  let html = '';
  let from = 0;
  for (const match of line.matchAll(tokens)) {
    html += escapeHtml(line.slice(from, match.index));
    const kind = classes[match.slice(1).findIndex(group => group !== undefined)];
    const name = kind === 'value' ? ` data-v="${escapeHtml(match[0].slice(1))}"` : '';
    html += `<span class="t-${kind}"${name}>${escapeHtml(match[0])}</span>`;
    from = match.index + match[0].length;
  }
  return html + escapeHtml(line.slice(from));
}

const kLongLine = 600;  // a graph's signature may be longer; a click unfolds it

/** A cell of code with its source place at the end. */
function codeCell(line, language) {
  const {code, where} = language === 'ir' ? splitLocation(line) : {code: line, where: ''};
  let html = colored(code, language);
  if (code.length > kLongLine) {
    html = `<span class="clamp" title="Click to see all" onclick="this.classList.toggle('open')">${html}</span>`;
  }
  if (!where) return html;
  return `${html}<span class="place" data-where="${escapeHtml(where)}" title="${escapeHtml(where)}">${escapeHtml(shortPlace(where))}</span>`;
}

/**
 * Lights up all uses of the value under the pointer; a click keeps them lit. `counterpart` gives
 * the name of a value in another pane.
 */
function lightUses(root, counterpart = (name, pane) => name) {
  let kept = null;
  const light = target => {
    root.querySelectorAll('.hot').forEach(node => node.classList.remove('hot'));
    if (!target) return;
    const own = target.closest('[data-pane]');
    for (const pane of root.querySelectorAll('[data-pane]')) {
      const name = pane.dataset.pane === (own && own.dataset.pane) ? target.dataset.v : counterpart(target.dataset.v, own.dataset.pane);
      if (name === undefined) continue;
      pane.querySelectorAll(`[data-v="${CSS.escape(name)}"]`).forEach(node => node.classList.add('hot'));
    }
  };
  root.addEventListener('mouseover', e => {
    const target = e.target.closest('[data-v]');
    if (target) light(target);
    else if (!kept) light(null);
    else light(kept);
  });
  root.addEventListener('click', e => {
    const target = e.target.closest('[data-v]');
    kept = target && kept !== target ? target : null;
    light(kept);
  });
}

/** A whole text with line numbers; long ones begin with their first lines. */
function codeBlock(text, language, title) {
  const kFirst = 4000;
  const lines = text.replace(/\n$/, '').split('\n');
  const list = el('div', {class: 'lines', 'data-pane': title});
  const add = (from, to) => list.insertAdjacentHTML('beforeend', lines.slice(from, to).map((line, i) =>
      `<div class="line"><span class="no">${from + i + 1}</span><span class="c">${codeCell(line, language)}</span></div>`).join(''));
  add(0, kFirst);
  const block = el('div', {class: 'code'}, list);
  if (lines.length > kFirst) {
    const more = el('button', {onclick: () => {
      add(kFirst, lines.length);
      more.remove();
    }}, `Show ${plural(lines.length - kFirst, 'more line')}`);
    block.append(more);
  }
  return block;
}
