// A formula in LaTeX as MathML, which browsers draw: what models write of it, no more. What is not
// known is shown as it is written, so that nothing is lost.

import { fill } from '../dom.js';

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
const DEEPEST = 40; // groups within groups

const m = (tag, ...children) => fill(document.createElementNS(MATH, tag), {}, children);

/** A formula, as an element. */
export function mathOf(latex) {
  const tokens = [...latex.matchAll(TOKENS)].filter((token) => token[3] === undefined);
  const element = m('math', row(tokens, () => false, 0));
  element.setAttribute('display', 'block');
  element.setAttribute('aria-label', latex);
  return element;
}

/** Everything up to what ends it, with powers and indexes at what they belong to. */
function row(tokens, ends, depth) {
  const parts = [];
  while (tokens.length && !ends(tokens[0])) {
    const sign = tokens[0][0];
    if (sign === '^' || sign === '_') {
      tokens.shift();
      parts.push(raised(parts.pop() ?? m('mrow'), sign, one(tokens, depth), tokens, depth));
    } else parts.push(one(tokens, depth));
  }
  return m('mrow', parts);
}

function raised(base, sign, first, tokens, depth) {
  const other = { '^': '_', _: '^' }[sign];
  if (tokens[0]?.[0] !== other) return m(sign === '^' ? 'msup' : 'msub', base, first);
  tokens.shift();
  const second = one(tokens, depth);
  return m('msubsup', base, ...(sign === '_' ? [first, second] : [second, first]));
}

/** The next thing: a group, a command with what it takes, a number, a letter. */
function one(tokens, depth) {
  const token = tokens.shift();
  if (!token) return m('mrow');
  const [written, command, number, , sign] = token;
  if (number) return m('mn', number);
  if (sign === '{') return depth > DEEPEST ? m('mtext', sign) : group(tokens, depth + 1);
  if (sign) return m(/\p{L}/u.test(sign) ? 'mi' : 'mo', sign);
  if (command === 'frac' || command === 'dfrac' || command === 'tfrac') return m('mfrac', one(tokens, depth), one(tokens, depth));
  if (command === 'sqrt') return root(tokens, depth);
  if (command in OVER) return m('mover', one(tokens, depth), m('mo', OVER[command]));
  if (LETTERS.has(command)) return m('mtext', plain(tokens));
  if (command === 'begin') return grid(tokens, depth + 1);
  if (NAMES.has(command)) return m('mi', command);
  if (command in SIGNS) return m(/\p{L}/u.test(SIGNS[command]) ? 'mi' : 'mo', SIGNS[command]);
  if (IGNORED.has(command)) return m('mrow');
  if (/^[{}%&#_$|]$/.test(command)) return m('mo', command);
  return m('mtext', written);
}

function group(tokens, depth) {
  const content = row(tokens, ([sign]) => sign === '}', depth);
  tokens.shift();
  return content;
}

function root(tokens, depth) {
  if (tokens[0]?.[0] !== '[') return m('msqrt', one(tokens, depth));
  tokens.shift();
  const index = row(tokens, ([sign]) => sign === ']', depth);
  tokens.shift();
  return m('mroot', one(tokens, depth), index);
}

/** The letters of a group as they are. */
function plain(tokens) {
  if (tokens[0]?.[0] !== '{') return tokens.shift()?.[0] ?? '';
  tokens.shift();
  let text = '';
  for (let token = tokens.shift(); token && token[0] !== '}'; token = tokens.shift()) text += token[0];
  return text;
}

/** `\begin{…} a & b \\ c & d \end{…}` as a table, whatever stands around it. */
function grid(tokens, depth) {
  const name = plain(tokens);
  if (name === 'array') plain(tokens);
  const ends = ([sign]) => sign === '&' || sign === '\\\\' || sign === '\\end';
  const rows = [[]];
  while (tokens.length && tokens[0][0] !== '\\end') {
    rows.at(-1).push(depth > DEEPEST ? m('mtext', tokens[0][0]) : row(tokens, ends, depth));
    if (tokens[0]?.[0] === '\\\\') rows.push([]);
    if (tokens[0]?.[0] !== '\\end') tokens.shift();
  }
  tokens.shift();
  plain(tokens);
  const table = m('mtable', rows.filter((cells) => cells.length).map((cells) => m('mtr', cells.map((cell) => m('mtd', cell)))));
  const [left, right] = { pmatrix: '()', bmatrix: '[]', vmatrix: '||', cases: '{ ' }[name] ?? '';
  return m('mrow', left && m('mo', left), table, right?.trim() && m('mo', right));
}
