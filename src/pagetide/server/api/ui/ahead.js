// What does not wait for the shell: the theme, so that the page never flashes in the other one;
// and where the address names a job, its place, so that nothing moves, and its view's files.
(() => {
  const { dataset } = document.documentElement;
  const chosen = localStorage.getItem('pagetide.theme');
  if (chosen === 'light' || chosen === 'dark') dataset.theme = chosen;
  if (!location.hash.startsWith('#/jobs/')) return;
  dataset.view = 'viewer';
  const ask = (link) => document.head.append(Object.assign(document.createElement('link'), link));
  ask({ rel: 'modulepreload', href: 'ui/viewer/viewer.js' });
  for (const name of ['viewer', 'pictures', 'result']) ask({ rel: 'preload', as: 'style', href: `ui/viewer/${name}.css` });
})();
