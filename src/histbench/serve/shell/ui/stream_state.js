/**
 * How a session's stream is, in words; nothing where there is none.
 */

const WORDS = new Map([
  ["live", "Live"],
  ["connecting", "Connecting…"],
  ["waiting", "Offline — trying again"],
  ["refused", "No live events"],
]);

/**
 * @param {HTMLElement} place
 * @param {string} state
 */
export function showStream(place, state) {
  place.hidden = !WORDS.has(state);
  place.className = `stream ${state}`;
  place.textContent = WORDS.get(state) ?? "";
}
