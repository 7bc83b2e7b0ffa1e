// Tabs as ARIA wants them: arrow keys move, one panel is shown, each is made when first opened.

import { h } from '../dom.js';
import { icon } from './icons.js';

/** @param tabs `{id, label, drawing?, open(panel)}` each; `open` gives `{show?(), close?()}`.
 *  @returns `element`, `show(id)`, `current`, `part(id)` (what `open` gave), `close()`. */
export function makeTabs(tabs, { label, first }) {
  const parts = new Map();
  const buttons = tabs.map((tab) =>
    h('button', {
      type: 'button',
      role: 'tab',
      id: `tab-${tab.id}`,
      'aria-controls': `panel-${tab.id}`,
      title: tab.drawing ? tab.label : null,
      class: tab.drawing ? 'drawn' : '',
      on: { click: () => show(tab.id) },
    }, tab.drawing && icon(tab.drawing), h('span', { class: 'name', text: tab.label })),
  );
  const panels = tabs.map((tab) =>
    h('div', {
      class: `panel panel-${tab.id}`,
      role: 'tabpanel',
      id: `panel-${tab.id}`,
      'aria-labelledby': `tab-${tab.id}`,
      tabindex: '0',
      hidden: true,
    }),
  );
  const list = h('div', { class: 'tablist', role: 'tablist', ariaLabel: label, on: { keydown: move } }, buttons);
  const element = h('div', { class: 'tabs' }, list, panels);
  let current = null;

  function show(id) {
    current = id;
    tabs.forEach((tab, i) => {
      const chosen = tab.id === id;
      buttons[i].setAttribute('aria-selected', String(chosen));
      buttons[i].tabIndex = chosen ? 0 : -1;
      panels[i].hidden = !chosen;
      if (chosen) reveal(tab, panels[i], buttons[i]);
    });
  }

  function reveal(tab, panel, button) {
    button.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
    if (!parts.has(tab.id)) parts.set(tab.id, tab.open(panel) ?? {});
    parts.get(tab.id).show?.();
  }

  function move(event) {
    const at = tabs.findIndex((tab) => tab.id === current);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const index = (to + tabs.length) % tabs.length;
    show(tabs[index].id);
    buttons[index].focus();
  }

  show(first);
  return {
    element,
    show,
    get current() {
      return current;
    },
    part: (id) => parts.get(id),
    close: () => parts.forEach((part) => part.close?.()),
  };
}
