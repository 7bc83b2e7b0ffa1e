// The Markdown that this server writes, as blocks: what each line of it begins. It is no Markdown
// of anybody else's: CommonMark with pipe tables and `$$`, tables as HTML where pipes cannot
// hold them, and comments that name pages.

const PAGE = /^<!-- page (\d+) -->/;
const ITEM = /^( *)(-|\d+\.)( +|$)(.*)$/;

/** The pages of a document's Markdown, each `{number, text}`, by the comments that name them. */
export function pagesOf(markdown) {
  const pages = [{ number: null, lines: [] }];
  for (const line of markdown.split('\n')) {
    const found = PAGE.exec(line);
    if (found) pages.push({ number: Number(found[1]), lines: [] });
    pages.at(-1).lines.push(line);
  }
  return pages.map(({ number, lines }) => ({ number, text: lines.join('\n').trim() })).filter(({ text }) => text);
}

/** @returns Blocks as `{kind, text}`, and of a list `{kind, items}`. */
export function blocksOf(text) {
  const lines = text.split('\n');
  const blocks = [];
  for (let at = 0; at < lines.length; ) {
    if (!lines[at].trim()) {
      at += 1;
      continue;
    }
    const end = endOf(lines, at);
    blocks.push(blockOf(lines.slice(at, end)));
    at = end;
  }
  return blocks;
}

function blockOf(lines) {
  const text = lines.join('\n');
  const [first] = lines;
  if (first.startsWith('<!--')) return { kind: 'comment', text: text.replace(/^<!-- ?/, '').replace(/ ?-->.*$/s, '') };
  if (/^#{1,6} /.test(first)) return { kind: 'heading', level: first.indexOf(' '), text: first.replace(/^#+ /, '') };
  if (/^`{3,}/.test(first)) return { kind: 'code', text: lines.slice(1, -1).join('\n') };
  if (first.startsWith('$$ ')) return { kind: 'formula', text: text.replace(/^\$\$ | \$\$$/g, '') };
  if (first.startsWith('<table>')) return { kind: 'html-table', text };
  if (first.startsWith('|') && /^\|( --- \|)+$/.test(lines[1] ?? '')) return { kind: 'table', text };
  if (first.startsWith('>')) return { kind: 'quote', text: lines.map((line) => line.replace(/^> ?/, '')).join('\n') };
  if (ITEM.test(first)) return { kind: 'list', items: itemsOf(lines) };
  return { kind: 'paragraph', text };
}

/** Behind a block's last line. */
function endOf(lines, start) {
  const closing = { '`': /^`{3,}$/, '<t': /<\/table>$/ }[/^```/.test(lines[start]) ? '`' : lines[start].slice(0, 2)];
  if (closing) {
    const end = lines.findIndex((line, i) => i > start && closing.test(line));
    return end < 0 ? lines.length : end + 1;
  }
  if (/^(<!--|#{1,6} )/.test(lines[start])) return start + 1;
  const end = lines.findIndex((line, i) => i > start && !line.trim());
  return end < 0 ? lines.length : end;
}

/** A list's items, with those that stand below each. */
function itemsOf(lines) {
  const top = [];
  const open = []; // the items around the line, with how far in what is below them stands
  for (const line of lines) {
    const found = ITEM.exec(line);
    const depth = found ? found[1].length : 0;
    if (!found) {
      if (open.length) open.at(-1).item.text += `\n${line.trim()}`;
      continue;
    }
    while (open.length && depth < open.at(-1).inner) open.pop();
    const item = { number: found[2] === '-' ? null : Number.parseInt(found[2], 10), text: found[4], below: [] };
    (open.at(-1)?.item.below ?? top).push(item);
    open.push({ item, inner: depth + found[2].length + 1 });
  }
  return top;
}
