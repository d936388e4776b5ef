/**
 * A box that is drawn anew under somebody's hands: what had the focus in it has it again.
 *
 * New elements stand for the same things as the old ones. Whoever goes through a list by keys would
 * otherwise be put back to the start of the page by each answer of the daemon.
 */

/**
 * The element inside a box that has the focus, also in a shadow root.
 * @param {HTMLElement} box
 * @returns {HTMLElement | null}
 */
export function focusedIn(box) {
  const root = /** @type {Document | ShadowRoot} */ (box.getRootNode());
  const focused = root.activeElement;
  return focused instanceof HTMLElement && box.contains(focused) ? focused : null;
}

/**
 * Draw, and give the focus to what stands for the same thing as what had it.
 * @param {HTMLElement} box
 * @param {string} name the data attribute that tells things apart; what has none is told by its text
 * @param {() => void} draw
 * @returns {"none" | "kept" | "lost"} whether anything in the box had the focus, and has it again
 */
export function redraw(box, name, draw) {
  /** @param {HTMLElement} each */
  const thing = (each) => each.dataset[name] ?? each.textContent;
  const focused = focusedIn(box);
  const wanted = focused && thing(focused);
  draw();
  if (focused === null) return "none";
  const items = /** @type {HTMLElement[]} */ ([...box.querySelectorAll("a, button")]);
  const again = items.find((each) => thing(each) === wanted);
  again?.focus({ preventScroll: true });
  return again === undefined ? "lost" : "kept";
}
