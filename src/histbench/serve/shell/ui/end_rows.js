/**
 * EndRows: what stands before the first block and behind the last one.
 *
 * Whether there is more, a way to it, that it comes, or why it did not.  A row is made anew only when
 * it says something else: what has the focus keeps it.
 */

import { button, element, isolated } from "./dom.js";

/** @typedef {import("../transcript/browsing_view.js").BrowsingView} BrowsingView */
/** @typedef {import("../transcript/view_requests.js").ViewFailure} ViewFailure */

// Pages that come behind what is shown; all others fail in front of it.
const BEHIND = new Set(["newer", "attach"]);

export class EndRows {
  /**
   * @param {HTMLElement} older
   * @param {HTMLElement} newer
   * @param {(change: (view: BrowsingView) => unknown) => void} act
   */
  constructor(older, newer, act) {
    this._older = older;
    this._newer = newer;
    this._act = act;
  }

  clear() {
    say(this._older, "");
    say(this._newer, "");
  }

  /**
   * Where a failure is told.
   * @param {ViewFailure} failure
   */
  rowOf(failure) {
    return BEHIND.has(failure.kind) ? this._newer : this._older;
  }

  /** @param {BrowsingView} view */
  draw(view) {
    // Who wanted to go elsewhere may be anywhere: it is told where he looks.
    this._older.classList.toggle("afloat", view.failure?.kind === "at");
    this._drawOlder(view);
    this._drawNewer(view);
  }

  /** @param {BrowsingView} view */
  _drawOlder(view) {
    const failure = view.failure;
    if (failure !== null && !BEHIND.has(failure.kind)) {
      this._putFailure(this._older, failure);
    } else if (view.state === "opening" || view.loading === "at") {
      say(this._older, "Loading…", true);
    } else if (view.loading === "older") {
      say(this._older, "Loading earlier messages…", true);
    } else if (view.capacityReached && view.hasOlder) {
      say(this._older, "Earlier messages do not fit beside this page; choose one of the turns.");
    } else if (view.hasOlder) {
      put(this._older, "older", () =>
        button("Earlier messages", () => this._act((each) => each.loadOlder()), "quiet"),
      );
    } else {
      say(this._older, view.blocks.length ? "Beginning of the session" : "Nothing was said yet.");
    }
  }

  /** @param {BrowsingView} view */
  _drawNewer(view) {
    const failure = view.failure;
    if (failure !== null && BEHIND.has(failure.kind)) {
      this._putFailure(this._newer, failure);
    } else if (view.loading !== null && BEHIND.has(view.loading)) {
      say(this._newer, "Loading later messages…", true);
    } else if (view.hasNewer) {
      put(this._newer, "newer", () =>
        button("Later messages", () => this._act((each) => each.loadNewer()), "quiet"),
      );
    } else {
      say(this._newer, "");
    }
  }

  /**
   * @param {HTMLElement} row
   * @param {ViewFailure} failure
   */
  _putFailure(row, failure) {
    put(row, `failure ${failure.kind} ${failure.code} ${failure.message}`, () => {
      const code = element("code", "", failure.code);
      const told = element("p", "failure-text", isolated(failure.message), " ", code);
      const again = button("Try again", () => this._act((each) => each.retry()), "retry");
      const box = element("div", "failure", told, again);
      box.setAttribute("role", "alert");
      if (failure.beyond !== null) {
        box.append(button("Go on before it", () => this._act((each) => each.passOver()), "retry"));
      }
      if (failure.kind === "at") {
        box.append(button("Stay here", () => this._act((each) => each.stay()), "retry"));
      }
      return box;
    });
  }
}

/**
 * Put an element into a row unless it is there.
 * @param {HTMLElement} row
 * @param {string} key
 * @param {() => HTMLElement} make
 */
function put(row, key, make) {
  if (row.dataset.shows === key) return;
  row.dataset.shows = key;
  row.replaceChildren(make());
}

/**
 * @param {HTMLElement} row
 * @param {string} text
 * @param {boolean} [busy]
 */
function say(row, text, busy = false) {
  put(row, text, () => element("p", busy ? "row-text busy" : "row-text", text));
}
