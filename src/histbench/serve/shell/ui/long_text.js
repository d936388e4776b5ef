/**
 * Texts of any length: the beginning as it reads best, the rest on demand, a piece at a time.
 *
 * Laying out ten megabytes stops a browser for seconds, so nobody gets them at once.  Of the marks
 * that models write, fences, headings, bold and code are shown as what they mean; everything else
 * stays as it was written.
 */

import { button, element } from "./dom.js";

export const SHOWN = 12_000;
const PIECE = 50_000;

const number = new Intl.NumberFormat();

/**
 * A place at or before `at` that does not part a surrogate pair.
 * @param {string} text
 * @param {number} at
 */
function cutAt(text, at) {
  const code = text.charCodeAt(at - 1);
  return at < text.length && code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
}

/**
 * Put a text into an element, and a way to what is not shown of it.
 * @param {HTMLElement} parent
 * @param {string} text
 * @param {{formatted?: boolean}} how
 * @returns {((grown: string) => void) | null} for a text that was cut: takes the same text when
 *   more was appended, without drawing anything anew
 */
export function fillText(parent, text, { formatted = false } = {}) {
  let shown = cutAt(text, Math.min(SHOWN, text.length));
  const head = text.slice(0, shown);
  parent.replaceChildren(...(formatted ? formattedNodes(head) : [head]));
  if (shown === text.length) return null;
  const rest = element("span", "rest");
  const more = button("", () => {
    const next = cutAt(text, Math.min(shown + PIECE, text.length));
    rest.append(text.slice(shown, next));
    shown = next;
    label();
  }, "more");
  const label = () => {
    const left = text.length - shown;
    more.hidden = left === 0;
    const piece = number.format(Math.min(PIECE, left));
    more.textContent = `Show ${piece} more of ${number.format(text.length)} characters`;
  };
  label();
  parent.append(rest, more);
  return (grown) => {
    text = grown;
    label();
  };
}

const FENCE = /^```[^\n]*\n([\s\S]*?)(?:\n```[ \t]*(?:\n|$)|$(?![\s\S]))/m;
const INLINE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*/g;
const HEADING = /^#{1,4} /;

/**
 * @param {string} text
 * @returns {Node[]}
 */
function formattedNodes(text) {
  /** @type {Node[]} */
  const nodes = [];
  for (let rest = text; rest; ) {
    const fence = FENCE.exec(rest);
    const until = fence ? fence.index : rest.length;
    nodes.push(...paragraphs(rest.slice(0, until)));
    if (!fence) break;
    const code = element("pre", "code", fence[1]);
    code.tabIndex = 0;
    code.dir = "ltr";
    nodes.push(code);
    rest = rest.slice(until + fence[0].length);
  }
  return nodes;
}

/**
 * @param {string} text
 * @returns {Node[]}
 */
function paragraphs(text) {
  return text
    .split(/\n{2,}/)
    .map((each) => each.replace(/^\n+|\n+$/g, ""))
    .filter((each) => each)
    .map((each) => {
      const heading = HEADING.test(each) && !each.includes("\n");
      const made = element("p", heading ? "heading" : "");
      made.dir = "auto";
      made.append(...inline(heading ? each.replace(HEADING, "") : each));
      return made;
    });
}

/**
 * @param {string} text
 * @returns {(Node | string)[]}
 */
function inline(text) {
  /** @type {(Node | string)[]} */
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(INLINE)) {
    nodes.push(text.slice(from, found.index));
    nodes.push(found[1] ? element("code", "", found[1]) : element("strong", "", found[2]));
    from = found.index + found[0].length;
  }
  nodes.push(text.slice(from));
  return nodes;
}
