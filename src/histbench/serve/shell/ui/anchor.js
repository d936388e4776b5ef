/**
 * Anchors: what a reader has in sight, so that it can be put back where it was, or seen whole.
 */

/** A block, and where its top was. @typedef {{child: HTMLElement, top: number}} Anchor */

// Some of them may be gone, or empty, after a drawing.
const ANCHORS = 8;

/**
 * The first blocks in sight, and where they are.
 * @param {HTMLElement} scroller
 * @param {HTMLElement} container
 * @returns {Anchor[]}
 */
export function blocksInSight(scroller, container) {
  const top = scroller.getBoundingClientRect().top;
  const children = /** @type {HTMLCollectionOf<HTMLElement>} */ (container.children);
  let low = 0;
  let high = children.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    // A hidden block has no place; the next one that has one stands for it.
    let at = middle;
    while (at < high && children[at].hidden) at += 1;
    if (at === high || children[at].getBoundingClientRect().bottom > top) high = middle;
    else low = at + 1;
  }
  const anchors = [];
  for (let at = low; at < children.length && anchors.length < ANCHORS; at++) {
    if (children[at].hidden) continue;
    anchors.push({ child: children[at], top: children[at].getBoundingClientRect().top });
  }
  return anchors;
}

/**
 * How far the first of them that is still there has moved.
 * @param {Anchor[]} anchors
 * @param {(recordId: string) => HTMLElement | undefined} drawnAs what a record is drawn as by now
 */
export function movedBy(anchors, drawnAs) {
  for (const { child, top } of anchors) {
    const { record } = child.dataset;
    const held = child.isConnected || !record ? child : drawnAs(record);
    if (held?.isConnected && !held.hidden) return held.getBoundingClientRect().top - top;
  }
  return 0;
}

/**
 * Whether some of an element can be seen.
 * @param {HTMLElement} scroller
 * @param {HTMLElement} element
 */
export function isInSight(scroller, element) {
  const [box, own] = [scroller, element].map((each) => each.getBoundingClientRect());
  return own.bottom > box.top && own.top < box.bottom;
}

/**
 * How far to scroll so that all of an element can be seen: its beginning, if it is too high.
 * @param {HTMLElement} scroller
 * @param {HTMLElement} element
 */
export function outOfSight(scroller, element) {
  const [box, own] = [scroller, element].map((each) => each.getBoundingClientRect());
  if (own.top < box.top) return own.top - box.top;
  return Math.max(0, Math.min(own.bottom - box.bottom, own.top - box.top));
}
