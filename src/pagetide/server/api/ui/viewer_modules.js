// The viewer's modules, which are asked for all at once when it is first opened: found one by
// one, each through the one that imports it, they take four round trips.

const NAMES = [
  'block_view.js',
  'check_tab.js',
  'chunks_tab.js',
  'code_tab.js',
  'column.js',
  'coupling.js',
  'crop.js',
  'document_tab.js',
  'figures_tab.js',
  'files_tab.js',
  'find_tab.js',
  'folding.js',
  'geometry.js',
  'hands.js',
  'icons.js',
  'job_bar.js',
  'job_watch.js',
  'json_around.js',
  'json_tab.js',
  'kinds.js',
  'layers_menu.js',
  'lists.js',
  'markdown_blocks.js',
  'markdown_inline.js',
  'markdown_tab.js',
  'markdown_view.js',
  'math.js',
  'overlay.js',
  'page_map.js',
  'pages.js',
  'picture.js',
  'picture_pane.js',
  'results.js',
  'search.js',
  'selection.js',
  'sheet.js',
  'snippets.js',
  'split.js',
  'stack.js',
  'survey.js',
  'table_view.js',
  'tables_tab.js',
  'tabs.js',
  'tags.js',
  'text_view.js',
  'thumbs.js',
  'toolbar.js',
  'view_state.js',
  'viewer.js',
];

let asked = false;

export function preloadViewer() {
  if (asked) return;
  asked = true;
  for (const name of NAMES) {
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.href = new URL(`viewer/${name}`, import.meta.url);
    document.head.append(link);
  }
}
