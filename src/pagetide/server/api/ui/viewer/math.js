// A formula in LaTeX as MathML, which browsers draw: what models write of it, no more. What is not
// known is shown as it is written, so that nothing is lost.

import { fill, h } from '../dom.js';

const MATH = 'http://www.w3.org/1998/Math/MathML';
const SIGNS = Object.fromEntries(
  ('alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ phi φ varphi φ chi χ psi ψ omega ω ' +
  'Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω ' +
  'sum ∑ prod ∏ int ∫ oint ∮ cup ∪ cap ∩ in ∈ notin ∉ subset ⊂ subseteq ⊆ forall ∀ exists ∃ nabla ∇ partial ∂ infty ∞ cdot · cdots ⋯ ldots … dots … times × div ÷ pm ± mp ∓ ' +
  'leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ approx ≈ equiv ≡ sim ∼ propto ∝ to → rightarrow → leftarrow ← Rightarrow ⇒ Leftrightarrow ⇔ mapsto ↦ langle ⟨ rangle ⟩ mid ∣ quad \u2003 qquad \u2003 ' +
  'prime ′ circ ∘ star ⋆ ast ∗ oplus ⊕ otimes ⊗ perp ⊥ parallel ∥ angle ∠ ell ℓ hbar ℏ Re ℜ Im ℑ lbrace { rbrace }').split(' ').reduce((pairs, one, i, all) => (i % 2 ? [...pairs, [all[i - 1], one]] : pairs), []));
const NAMES = new Set('sin cos tan cot sec csc sinh cosh tanh log ln exp lim max min sup inf det dim ker arg deg gcd Pr'.split(' '));
const OVER = { hat: '^', bar: '¯', overline: '¯', vec: '→', tilde: '~', dot: '˙', ddot: '¨' };
const LETTERS = new Set(['text', 'mathrm', 'mathbf', 'mathit', 'mathbb', 'mathcal', 'operatorname', 'boldsymbol']);
const IGNORED = new Set(['left', 'right', 'limits', 'displaystyle', 'textstyle', 'big', 'Big', 'bigg', 'Bigg', ',', ';', ':', '!', ' ']);
const TOKENS = /\\([a-zA-Z]+|.)|(\d+(?:\.\d+)?)|(\s+)|(.)/gsu;
const LONGEST = 5000; // letters: what is longer is no formula, whatever a model says
const DEEPEST = 40; // parts within parts

const m = (tag, ...children) => fill(document.createElementNS(MATH, tag), {}, children);

/** A formula, as an element. Tokens are kept with the next one last. */
export function mathOf(latex) {
  if (latex.length > LONGEST) return h('code', { text: latex });
  const tokens = [...latex.matchAll(TOKENS)].filter((token) => token[3] === undefined).reverse();
  const element = m('math', row(tokens, () => false, 0));
  element.setAttribute('display', 'block');
  element.setAttribute('aria-label', latex);
  return element;
}

/** Everything up to what ends it, with powers and indexes at what they belong to. */
function row(tokens, ends, depth) {
  const parts = [];
  while (tokens.length && !ends(tokens.at(-1))) {
    const sign = tokens.at(-1)[0];
    if (sign === '^' || sign === '_') {
      tokens.pop();
      parts.push(raised(parts.pop() ?? m('mrow'), sign, one(tokens, depth), tokens, depth));
    } else parts.push(one(tokens, depth));
  }
  return m('mrow', parts);
}

function raised(base, sign, first, tokens, depth) {
  const other = { '^': '_', _: '^' }[sign];
  if (tokens.at(-1)?.[0] !== other) return m(sign === '^' ? 'msup' : 'msub', base, first);
  tokens.pop();
  const second = one(tokens, depth);
  return m('msubsup', base, ...(sign === '_' ? [first, second] : [second, first]));
}

/** The next thing: a group, a command with what it takes, a number, a letter. */
function one(tokens, depth) {
  const token = tokens.pop();
  if (!token) return m('mrow');
  const [written, command, number, , sign] = token;
  if (depth > DEEPEST) return m('mtext', written);
  if (number) return m('mn', number);
  if (sign === '{') return group(tokens, depth + 1);
  if (sign) return m(/\p{L}/u.test(sign) ? 'mi' : 'mo', sign);
  if (command === 'frac' || command === 'dfrac' || command === 'tfrac') return m('mfrac', one(tokens, depth + 1), one(tokens, depth + 1));
  if (command === 'sqrt') return root(tokens, depth + 1);
  if (Object.hasOwn(OVER, command)) return m('mover', one(tokens, depth + 1), m('mo', OVER[command]));
  if (LETTERS.has(command)) return m('mtext', plain(tokens));
  if (command === 'begin') return grid(tokens, depth + 1);
  if (NAMES.has(command)) return m('mi', command);
  if (Object.hasOwn(SIGNS, command)) return m(/\p{L}/u.test(SIGNS[command]) ? 'mi' : 'mo', SIGNS[command]);
  if (IGNORED.has(command)) return m('mrow');
  if (/^[{}%&#_$|]$/.test(command)) return m('mo', command);
  return m('mtext', written);
}

function group(tokens, depth) {
  const content = row(tokens, ([sign]) => sign === '}', depth);
  tokens.pop();
  return content;
}

function root(tokens, depth) {
  if (tokens.at(-1)?.[0] !== '[') return m('msqrt', one(tokens, depth));
  tokens.pop();
  const index = row(tokens, ([sign]) => sign === ']', depth);
  tokens.pop();
  return m('mroot', one(tokens, depth), index);
}

/** The letters of a group as they are. */
function plain(tokens) {
  if (tokens.at(-1)?.[0] !== '{') return tokens.pop()?.[0] ?? '';
  tokens.pop();
  let text = '';
  for (let token = tokens.pop(); token && token[0] !== '}'; token = tokens.pop()) text += token[0];
  return text;
}

/** `\begin{…} a & b \\ c & d \end{…}` as a table, whatever stands around it. */
function grid(tokens, depth) {
  const name = plain(tokens);
  if (name === 'array') plain(tokens);
  const ends = ([sign]) => sign === '&' || sign === '\\\\' || sign === '\\end';
  const rows = [[]];
  while (tokens.length && tokens.at(-1)[0] !== '\\end') {
    rows.at(-1).push(row(tokens, ends, depth));
    if (tokens.at(-1)?.[0] === '\\\\') rows.push([]);
    if (tokens.at(-1)?.[0] !== '\\end') tokens.pop();
  }
  tokens.pop();
  plain(tokens);
  const table = m('mtable', rows.filter((cells) => cells.length).map((cells) => m('mtr', cells.map((cell) => m('mtd', cell)))));
  const [left, right] = { pmatrix: '()', bmatrix: '[]', vmatrix: '||', cases: '{ ' }[name] ?? '';
  return m('mrow', left && m('mo', left), table, right?.trim() && m('mo', right));
}
