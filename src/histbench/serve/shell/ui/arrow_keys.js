/**
 * The arrows up and down go from item to item of a list.
 */

const STEPS = new Map([["ArrowDown", 1], ["ArrowUp", -1]]);

/**
 * Step, if an arrow was pressed; from an item that has the focus, or else from the one at `from`.
 * @param {KeyboardEvent} event
 * @param {HTMLElement[]} items
 * @param {number} [from] where to stand while none has the focus; -1 is before them all
 */
export function stepWithArrows(event, items, from = -1) {
  const step = STEPS.get(event.key);
  if (step === undefined) return;
  const root = /** @type {Document | ShadowRoot} */ (/** @type {Node} */ (event.target).getRootNode());
  const at = items.findIndex((each) => each === root.activeElement);
  items[(at < 0 ? from : at) + step]?.focus();
  event.preventDefault();
}
