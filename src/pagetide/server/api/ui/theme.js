// Loaded before anything is drawn, so that the page never flashes in the other theme.
(() => {
  const chosen = localStorage.getItem('pagetide.theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
})();
