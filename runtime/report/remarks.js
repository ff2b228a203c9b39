'use strict';
// What the passes said, and why they did not do more.

/** Equal remarks count once, with how many there were. */
function groupRemarks(remarks) {
  const groups = new Map();
  for (const remark of remarks) {
    const key = JSON.stringify(remark);
    if (!groups.has(key)) groups.set(key, {...remark, count: 0});
    ++groups.get(key).count;
  }
  return [...groups.values()].sort((a, b) => b.missed - a.missed);  // chances first
}

function remarksView(record, args, go) {
  const remarks = groupRemarks(record.remarks);
  const view = el('div', {class: 'page'});
  if (!remarks.length) {
    view.append(el('p', {class: 'lead'}, 'The passes had nothing to say about this program.'));
    return view;
  }
  const missed = record.remarks.filter(remark => remark.missed).length;
  view.append(el('p', {class: 'lead'}, `${plural(record.remarks.length - missed, 'thing')} done, ${plural(missed, 'chance')} missed. Choose a row to see its op.`));
  const codes = new Map();
  for (const remark of record.remarks) codes.set(remark.code, {count: (codes.get(remark.code)?.count || 0) + 1, missed: remark.missed});
  const chosen = new Set(args[0] ? [decodeURIComponent(args[0])] : []);
  let text = '';
  const holder = el('div');
  const count = el('span', {class: 'muted'});
  const show = () => {
    const shown = remarks.filter(remark => (!chosen.size || chosen.has(remark.code)) &&
        `${remark.pass} ${remark.code} ${remark.where} ${remark.other} ${remark.text}`.toLowerCase().includes(text));
    count.textContent = shown.length === remarks.length ? '' : `${shown.length} of ${remarks.length} rows`;
    holder.replaceChildren(table([
      {title: 'Source', value: remark => place(remark.where), sort: remark => remark.where},
      {title: 'Pass', value: remark => remark.pass},
      {title: '', hint: 'Done or missed', value: remark => el('span', {class: remark.missed ? 'tag missed' : 'tag'}, remark.missed ? 'missed' : 'done'), sort: remark => remark.missed},
      {title: 'Code', hint: 'Stable name of this kind of remark', value: remark => el('code', {}, remark.code), sort: remark => remark.code},
      {title: 'Remark', value: remark => remark.text},
      {title: 'Other end', value: remark => place(remark.other), sort: remark => remark.other},
      {title: 'Times', number: true, value: remark => remark.count},
    ], shown, remark => remark.where && go(`passes/${remarkStage(record, remark)}/${encodeURIComponent(remark.where)}`)));
  };
  const search = el('input', {type: 'search', class: 'search', placeholder: 'Search ( / )', oninput: () => {
    text = search.value.toLowerCase();
    show();
  }});
  view.append(el('div', {class: 'bar-top chips'}, [...codes].sort((a, b) => b[1].count - a[1].count).map(([code, info]) =>
      toggle(el('span', {}, code, ' ', el('small', {}, info.count)), chosen.has(code), on => {
        on ? chosen.add(code) : chosen.delete(code);
        show();
      }, info.missed ? 'Something that was not done, and why' : 'Something that was done')), search, count), holder);
  show();
  return view;
}

/** The stage that a remark's pass made; the last one when it changed nothing. */
function remarkStage(record, remark) {
  const index = record.stages.findLastIndex(stage => stage.pass === remark.pass && stage.changed);
  return index < 0 ? lastStage(record) : index + 1;
}
