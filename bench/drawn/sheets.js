// Breaks what flows over sheets of a fixed size, and tells where everything stands on them.
(() => {
  const CJK = "\\u2e80-\\u9fff\\uf900-\\ufaff\\uff00-\\uffef";
  const WORD = new RegExp(`[${CJK}]|[^\\s${CJK}]+`, "g");
  const sheets = [];

  function newSheet() {
    const rest = sheets.length && document.getElementById("rest");
    const template = rest || document.getElementById("first");
    const sheet = template.content.firstElementChild.cloneNode(true);
    document.body.append(sheet);
    sheets.push(sheet);
    return sheet;
  }

  const slotsOf = (sheet, flow) => [...sheet.querySelectorAll(`.slot[data-flow="${flow}"]`)];
  const isOver = (slot) => slot.scrollHeight > slot.clientHeight + 1;

  function pour(flow, first) {
    const queue = [...flow.content.children].map((unit) => unit.cloneNode(true));
    let slots = slotsOf(first, flow.dataset.flow);
    let slot = slots.shift();
    while (queue.length) {
      const unit = queue.shift();
      slot.append(unit);
      const notes = addNotes(unit, slot);
      if (!isOver(slot)) continue;
      const rest = notes.length ? null : split(unit, slot);
      if (rest) queue.unshift(rest);
      else if (slot.children.length > 1) {
        notes.forEach((note) => note.remove());
        takeBack(slot, queue);
      } else continue; // alone and still too tall: it stays
      if (!slots.length) {
        if ("cut" in flow.dataset) return;
        slots = slotsOf(newSheet(), flow.dataset.flow);
      }
      slot = slots.shift();
    }
  }

  function takeBack(slot, queue) {
    do {
      const last = slot.lastElementChild;
      last.remove();
      queue.unshift(last);
    } while (slot.children.length > 1 && "keep" in slot.lastElementChild.dataset);
  }

  function addNotes(unit, slot) {
    const feet = slot.parentElement.querySelector(".feet");
    return [...unit.querySelectorAll("[data-note]")].map((mark) => {
      const note = document.createElement("p");
      note.className = "note";
      note.dataset.kind = "footnote";
      note.dataset.late = "";
      note.textContent = mark.dataset.note;
      feet.append(note);
      return note;
    });
  }

  function split(unit, slot) {
    if (unit.tagName === "TABLE") return splitRows(unit, slot);
    if (unit.tagName === "UL" || unit.tagName === "OL") return splitItems(unit, slot);
    return "split" in unit.dataset ? splitText(unit, slot) : null;
  }

  function splitRows(table, slot) {
    const rest = table.cloneNode(false);
    table.querySelectorAll(":scope > colgroup, :scope > thead").forEach((part) =>
      rest.append(part.cloneNode(true)));
    const from = table.tBodies[0], into = document.createElement("tbody");
    rest.append(into);
    const tied = () => into.firstElementChild && "tied" in into.firstElementChild.dataset;
    while (from.rows.length && (isOver(slot) || tied())) into.prepend(from.lastElementChild);
    if (from.rows.length > 1) return rest;
    from.append(...into.children);
    return null;
  }

  function splitItems(list, slot) {
    const rest = list.cloneNode(false);
    while (list.children.length && isOver(slot)) rest.prepend(list.lastElementChild);
    if (list.children.length) return rest;
    list.append(...rest.children);
    return null;
  }

  // Two lines at least stay, and two at least go on.
  function splitText(part, slot) {
    const height = parseFloat(getComputedStyle(part).lineHeight);
    const all = part.getBoundingClientRect();
    const limit = Math.min(slot.getBoundingClientRect().bottom, all.bottom - 2 * height) + 0.5;
    const words = runsOf(part).flatMap((run) => [...run.text.matchAll(WORD)].map((found) =>
      run.places[found.index]));
    const bottom = (place) => rangeOf([place]).getBoundingClientRect().bottom;
    const cut = words.findIndex((place) => bottom(place) > limit);
    if (cut < 3 || limit - all.top < 2 * height) return null;
    const range = document.createRange();
    range.setStart(...words[cut]);
    range.setEndAfter(part.lastChild);
    const rest = part.cloneNode(false);
    rest.append(range.extractContents());
    rest.classList.add("rest");
    part.classList.add("cut");
    if (!isOver(slot)) return rest;
    part.append(...rest.childNodes);
    part.classList.remove("cut");
    return null;
  }

  function rangeOf(places) {
    const range = document.createRange();
    const [first, last] = [places[0], places[places.length - 1]];
    range.setStart(...first);
    range.setEnd(last[0], last[1] + 1);
    return range;
  }

  // Text of one line box context: what stands in one container without a forced break.
  function runsOf(element) {
    const runs = [];
    let container = null, run = null;
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.nodeType === Node.ELEMENT_NODE) {
        if (node.tagName === "BR") run = null;
        continue;
      }
      const holder = holderOf(node);
      if (holder !== container || !run) {
        run = { text: "", places: [], holder };
        runs.push(run);
        container = holder;
      }
      for (let i = 0; i < node.length; i++) run.places.push([node, i]);
      run.text += node.data;
    }
    return runs;
  }

  function holderOf(node) {
    let holder = node.parentElement;
    while (getComputedStyle(holder).display === "inline" && !holder.closest("svg"))
      holder = holder.parentElement;
    return holder;
  }

  const plain = (text) => text.replace(/\u00ad/g, "").replace(/\s+/g, " ").trim();
  const textOf = (element) => runsOf(element).map((run) => plain(run.text)).filter(Boolean);

  function wordsOf(element, order, origin) {
    return runsOf(element).flatMap((run) => [...run.text.matchAll(WORD)].flatMap((found) => {
      const places = run.places.slice(found.index, found.index + found[0].length);
      return piecesOf(found[0], places, origin).map((piece) => ({ ...piece, block: order }));
    }));
  }

  // A word that is broken over two lines is two words, the first with its hyphen.
  function piecesOf(text, places, origin) {
    const whole = [...rangeOf(places).getClientRects()].filter((r) => r.width > 0);
    if (!whole.length) return [];
    const apart = isBelow(whole[whole.length - 1], whole[0]);
    if (!apart) return [{ text: text.replace(/\u00ad/g, ""), box: boxOf(whole, origin) }];
    const pieces = [];
    places.forEach((place, i) => {
      const rects = [...rangeOf([place]).getClientRects()].filter((r) => r.width > 0);
      const last = pieces[pieces.length - 1];
      if (text[i] === "\u00ad") {
        if (rects.length && last) { last.text += "-"; last.rects.push(...rects); }
      } else if (!rects.length) { if (last) last.text += text[i]; }
      else if (!last || isBelow(rects[0], last.rects[0]))
        pieces.push({ text: text[i], rects });
      else { last.text += text[i]; last.rects.push(...rects); }
    });
    return pieces.map((piece) => ({ text: piece.text, box: boxOf(piece.rects, origin) }));
  }

  // Boxes of lines that are set close together share some of their height.
  const isBelow = (rect, other) => rect.top > other.top + 0.6 * other.height;

  function boxOf(rects, origin) {
    return [
      Math.min(...rects.map((r) => r.left)) - origin.left,
      Math.min(...rects.map((r) => r.top)) - origin.top,
      Math.max(...rects.map((r) => r.right)) - origin.left,
      Math.max(...rects.map((r) => r.bottom)) - origin.top,
    ].map((n) => Math.round(n * 100) / 100);
  }

  const boxAround = (element, origin) => boxOf([element.getBoundingClientRect()], origin);

  function tableOf(table, origin) {
    const taken = new Set(), cells = [];
    let columns = 0;
    [...table.rows].forEach((tr, row) => {
      let column = 0;
      for (const td of tr.cells) {
        while (taken.has(`${row},${column}`)) column++;
        for (let r = 0; r < td.rowSpan; r++)
          for (let c = 0; c < td.colSpan; c++) taken.add(`${row + r},${column + c}`);
        cells.push({ row, column, row_span: td.rowSpan, column_span: td.colSpan,
          text: textOf(td).join(" "), header: td.tagName === "TH", box: boxAround(td, origin) });
        columns = Math.max(columns, column + td.colSpan);
      }
    });
    return { rows: table.rows.length, columns, cells };
  }

  function itemsOf(list, origin) {
    return [...list.querySelectorAll("li")].map((item) => {
      let depth = -1;
      for (let e = item; e !== list.parentElement; e = e.parentElement)
        if (e.tagName === "UL" || e.tagName === "OL") depth++;
      const own = runsOf(item).filter((run) => run.holder.closest("li") === item);
      return { depth, text: own.map((run) => plain(run.text)).filter(Boolean).join(" "),
        box: boxAround(item, origin) };
    });
  }

  function blockOf(element, order, words, origin) {
    const { kind, also = "", level } = element.dataset;
    const around = ["table", "figure", "chart"].includes(kind);
    const rects = words.map(({ box }) => ({ left: box[0], top: box[1], right: box[2], bottom: box[3] }));
    return { kind, order, text: textOf(element).join("\n"), also: also.split(" ").filter(Boolean),
      level: level ? Number(level) : null, late: "late" in element.dataset,
      box: around ? boxAround(element, origin) : boxOf(rects, { left: 0, top: 0 }),
      table: kind === "table" ? tableOf(element, origin) : null,
      items: kind === "list" ? itemsOf(element, origin) : [] };
  }

  function pageOf(sheet, place) {
    const origin = sheet.getBoundingClientRect();
    const blocks = [], words = [];
    for (const element of sheet.querySelectorAll("[data-kind]")) {
      const own = wordsOf(element, blocks.length, origin);
      if (!own.length && !["figure", "chart"].includes(element.dataset.kind)) continue;
      blocks.push(blockOf(element, blocks.length, own, origin));
      words.push(...own);
    }
    const links = [...sheet.querySelectorAll("a[href]")].map((link) => ({
      address: link.getAttribute("href"), text: plain(link.textContent),
      box: boxOf([...link.getClientRects()], origin) }));
    return { number: place + 1, width: origin.width, height: origin.height, words, blocks, links };
  }

  function numbered(sheet, place) {
    for (const element of sheet.querySelectorAll("[data-number]"))
      element.textContent = element.dataset.number
        .replace("{n}", place + 1).replace("{N}", sheets.length);
  }

  const first = newSheet();
  document.querySelectorAll("template[data-flow]").forEach((flow) => pour(flow, first));
  document.querySelectorAll(".feet:empty").forEach((feet) => feet.remove());
  sheets.forEach(numbered);
  document.querySelectorAll("[data-shrink]").forEach((sheet) => {
    // A receipt is as long as what is on it.
    sheet.style.setProperty("height", `${Math.ceil(sheet.offsetHeight) + 1}px`, "important");
    document.head.append(Object.assign(document.createElement("style"), { textContent:
      `@page { size: ${sheet.offsetWidth}px ${sheet.offsetHeight}px }` }));
  });
  return sheets.map(pageOf);
})()
