/**
 * TurnRail: the turns of a session, from its turn index and not from what happens to be loaded.
 *
 * A window of turns is held, so that a session of any length costs the same; at its ends more are
 * asked for, and those at the other end go.  All belong to one snapshot until the rail is opened
 * anew.
 */

import { RequestFailed } from "../daemon.js";
import { stepWithArrows } from "./arrow_keys.js";
import { button, element, isolated } from "./dom.js";
import { focusedIn, redraw } from "./kept_focus.js";

/**
 * @typedef {{ordinal: number, turnId: string, kind: string, label: string, timestamp?: string}} Turn
 */

const PAGE = 100;
const HELD = 400;

export class TurnRail {
  /**
   * @param {HTMLElement} box
   * @param {{jump: (turnId: string, snapshot: string) => void}} how
   */
  constructor(box, { jump }) {
    this._box = box;
    this._jump = jump;
    this._stop = new AbortController();
    /** @type {Turn[]} */
    this._turns = [];
    this._total = 0;
    /** @type {string | null} */
    this._snapshot = null;
    /** @type {string | null} */
    this._current = null;
    /** @type {string | null} */
    this._newest = null;
    /** @type {import("../daemon.js").Daemon | null} */
    this._daemon = null;
    this._sessionId = "";
    box.addEventListener("keydown", (event) => this._key(event));
  }

  /**
   * Show the newest turns of a session.
   * @param {import("../daemon.js").Daemon} daemon
   * @param {string} sessionId
   */
  async open(daemon, sessionId) {
    this.close();
    this._daemon = daemon;
    this._sessionId = sessionId;
    await this._load(null, "replace");
  }

  close() {
    this._stop.abort();
    this._stop = new AbortController();
    this._turns = [];
    this._snapshot = null;
    this._box.replaceChildren();
  }

  /**
   * @param {string | null} recordId the turn in sight
   * @param {string | null} newest the newest one that is loaded; null away from the newest end
   */
  mark(recordId, newest) {
    if (recordId !== this._current) {
      this._current = recordId;
      this._markCurrent();
    }
    if (newest === null || newest === this._newest || this._snapshot === null) return;
    this._newest = newest;
    const atEnd = (this._turns[0]?.ordinal ?? 0) + this._turns.length === this._total;
    // What is listed was the end, and somebody has gone on.
    if (atEnd && !this._turns.some((turn) => turn.turnId === newest)) this._load(null, "replace");
  }

  /** It can be seen now: what was hidden could not be scrolled. */
  shown() {
    this._box.scrollTop = this._box.scrollHeight;
    this._markCurrent();
  }

  _markCurrent() {
    for (const each of this._items()) {
      const current = each.dataset.turn === this._current;
      if (current) each.setAttribute("aria-current", "true");
      else each.removeAttribute("aria-current");
      if (current && focusedIn(this._box) === null) {
        each.scrollIntoView({ block: "nearest" });
      }
    }
  }

  /**
   * @param {number | null} start
   * @param {"replace" | "before" | "behind"} where
   */
  async _load(start, where) {
    const { signal } = this._stop;
    const before = this._turns[0]?.ordinal ?? 0;
    const limit = where === "before" ? Math.min(PAGE, before) : PAGE;
    const snapshot = where === "replace" && start === null ? null : this._snapshot;
    let page;
    try {
      page = await this._daemon?.turns(this._sessionId, { start, limit, snapshot, signal });
    } catch (error) {
      if (!signal.aborted) this._fail(error, () => this._load(start, where));
      return;
    }
    if (signal.aborted) return;
    this._snapshot = page.snapshot;
    this._total = page.totalTurns;
    const height = this._box.scrollHeight;
    if (where === "replace") this._turns = page.turns;
    else if (where === "before") this._turns = [...page.turns, ...this._turns].slice(0, HELD);
    else this._turns = [...this._turns, ...page.turns].slice(-HELD);
    const focus = redraw(this._box, "turn", () => this._draw());
    const stays = focus === "kept" && focusedIn(this._box)?.matches(".turn");
    if (where === "before") this._box.scrollTop += this._box.scrollHeight - height;
    else if (where === "replace" && !stays) {
      this._box.scrollTop = start === null ? this._box.scrollHeight : 0;
    }
    if (focus === "none") return;
    // A button for more has gone with the last of it, or a turn with the end that it was at.
    const end = where === "behind" || start === null ? -1 : 0;
    if (focus === "lost") this._items().at(end)?.focus({ preventScroll: true });
    const focused = focusedIn(this._box);
    if (focused?.matches(":focus-visible")) focused.scrollIntoView({ block: "nearest" });
  }

  /**
   * @param {unknown} error
   * @param {() => void} again
   */
  _fail(error, again) {
    const stale = error instanceof RequestFailed && error.status === 409;
    const retry = stale && this._snapshot !== null ? () => this._load(null, "replace") : again;
    const told = element("p", "note", error instanceof Error ? error.message : String(error));
    // One is enough, however often somebody goes on meanwhile.
    this._box.querySelector(".failure")?.remove();
    this._box.prepend(element("div", "failure", told, button("Try again", retry, "retry")));
  }

  _draw() {
    const first = this._turns[0]?.ordinal ?? 0;
    const next = first + this._turns.length;
    const list = element("ol", "turn-list", ...this._turns.map((turn) => this._item(turn)));
    const parts = [];
    if (first > 0) {
      const ends = element("div", "ends");
      ends.append(button("First", () => this._load(0, "replace"), "quiet"));
      const start = Math.max(0, first - PAGE);
      ends.append(button("Earlier", () => this._load(start, "before"), "quiet"));
      parts.push(ends);
    }
    parts.push(list);
    if (next < this._total) {
      const ends = element("div", "ends");
      ends.append(button("Later", () => this._load(next, "behind"), "quiet"));
      ends.append(button("Newest", () => this._load(null, "replace"), "quiet"));
      parts.push(ends);
    }
    if (!this._total) parts.push(element("p", "note", "No turns."));
    this._box.replaceChildren(...parts);
    this._markCurrent();
  }

  /** @param {Turn} turn */
  _item(turn) {
    const number = element("span", "ordinal", String(turn.ordinal + 1));
    const jump = button("", () => this._jump(turn.turnId, this._snapshot ?? ""), "turn");
    jump.append(number, isolated(turn.label || "(an attachment)", "turn-label"));
    jump.dataset.turn = turn.turnId;
    return element("li", "", jump);
  }

  _items() {
    return /** @type {HTMLElement[]} */ ([...this._box.querySelectorAll("button.turn")]);
  }

  /** @param {KeyboardEvent} event */
  _key(event) {
    const items = this._items();
    const current = items.findIndex((each) => each.dataset.turn === this._current);
    const step = event.key === "ArrowUp" ? -1 : 1;
    // The first step goes to the turn in sight itself.
    stepWithArrows(event, items, current - step);
  }
}
