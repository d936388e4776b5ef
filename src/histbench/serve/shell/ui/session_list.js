/**
 * SessionList: the sessions of a daemon, the newest change first, and a filter over them.
 */

import { stepWithArrows } from "./arrow_keys.js";
import { byId, element, isolated, sizeText, timeElement } from "./dom.js";
import { redraw } from "./kept_focus.js";

/**
 * @typedef {object} SessionSummary
 * @property {string} sessionId
 * @property {string} kind
 * @property {string} workspace
 * @property {number} fileBytes
 * @property {number} modifiedMs
 * @property {string} [cwd]
 * @property {string} [parentSession]
 */

/** The address of a session in this page. @param {string} sessionId */
export function addressOf(sessionId) {
  return `#/session/${encodeURIComponent(sessionId)}`;
}

export class SessionList {
  constructor() {
    this._list = byId("session-list");
    this._note = byId("sessions-note");
    /** @type {HTMLInputElement} */
    this._filter = byId("filter");
    /** @type {SessionSummary[]} */
    this._sessions = [];
    this._total = 0;
    /** @type {string | null} */
    this._current = null;
    this._filter.addEventListener("input", () => this._draw());
    // From the filter they begin before the first one.
    for (const each of [this._filter, this._list]) {
      each.addEventListener("keydown", (event) => {
        stepWithArrows(event, [...this._list.querySelectorAll("a")]);
      });
    }
  }

  /** @param {{sessions: SessionSummary[], total: number}} listing */
  show(listing) {
    this._sessions = listing.sessions;
    this._total = listing.total;
    this._draw();
  }

  /**
   * What to call a session; its id if it is not listed.
   * @param {string} sessionId
   */
  nameOf(sessionId) {
    const found = this._sessions.find((each) => each.sessionId === sessionId);
    return found?.cwd || found?.workspace || sessionId;
  }

  /** @param {string} message */
  fail(message) {
    this._note.textContent = message;
    this._note.hidden = false;
  }

  /** @param {string | null} sessionId */
  mark(sessionId) {
    this._current = sessionId;
    for (const link of this._list.querySelectorAll("a")) {
      if (link.dataset.session === sessionId) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  _draw() {
    const words = this._filter.value.toLowerCase().split(/\s+/).filter((each) => each);
    const found = this._sessions.filter((session) => {
      const text = `${session.sessionId} ${session.workspace} ${session.cwd ?? ""} ${session.kind}`;
      return words.every((word) => text.toLowerCase().includes(word));
    });
    const focus = redraw(this._list, "session", () => {
      this._list.replaceChildren(...found.map((session) => itemOf(session)));
    });
    // Its session has gone.
    if (focus === "lost") this._filter.focus();
    this.mark(this._current);
    const hidden = this._total - this._sessions.length;
    this._note.hidden = found.length > 0 && hidden === 0;
    if (!this._sessions.length) this._note.textContent = "There are no sessions under this root.";
    else if (!found.length) this._note.textContent = "No session matches.";
    else this._note.textContent = `${hidden} older sessions are not listed.`;
  }
}

/** @param {SessionSummary} session */
function itemOf(session) {
  const link = element("a", "session");
  link.href = addressOf(session.sessionId);
  link.dataset.session = session.sessionId;
  const about = element("span", "session-about");
  const time = timeElement(session.modifiedMs);
  if (time) about.append(time);
  about.append(element("span", "size", sizeText(session.fileBytes)));
  if (session.kind === "log") about.append(element("span", "badge", "log"));
  link.append(
    isolated(session.cwd || session.workspace || "—", "session-name"),
    isolated(session.sessionId, "session-id"),
    about,
  );
  return element("li", "", link);
}
