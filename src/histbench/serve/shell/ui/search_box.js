/**
 * SearchBox: the newest records that show a text, and a way to each.
 */

import { stepWithArrows } from "./arrow_keys.js";
import { button, element, isolated, timeElement } from "./dom.js";
import { focusedIn } from "./kept_focus.js";

const PAGE = 20;
const PAUSE = 250;
const NAMES = new Map([["user", "You"], ["assistant", "Assistant"]]);

export class SearchBox {
  /**
   * @param {HTMLInputElement} input
   * @param {HTMLElement} hits
   * @param {{go: (recordId: string) => void, say: (text: string) => void}} how
   */
  constructor(input, hits, { go, say }) {
    this._go = go;
    this._say = say;
    this.input = input;
    this._hits = hits;
    this._stop = new AbortController();
    /** @type {import("../daemon.js").Daemon | null} */
    this._daemon = null;
    this._sessionId = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this._timer = undefined;
    this.input.addEventListener("input", () => {
      clearTimeout(this._timer);
      this._timer = setTimeout(() => this._search(null), PAUSE);
    });
    this.input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      clearTimeout(this._timer);
      this._search(null);
    });
    for (const each of [input, hits]) {
      each.addEventListener("keydown", (event) => {
        const items = /** @type {HTMLElement[]} */ ([...hits.querySelectorAll("button.hit")]);
        // The words stand before the first of them.
        stepWithArrows(event, [input, ...items]);
      });
    }
  }

  /**
   * @param {import("../daemon.js").Daemon} daemon
   * @param {string} sessionId
   */
  open(daemon, sessionId) {
    this._daemon = daemon;
    this._sessionId = sessionId;
    this.clear();
  }

  clear() {
    clearTimeout(this._timer);
    this._stop.abort();
    this.input.value = "";
    this._hits.hidden = true;
    this._hits.replaceChildren();
  }

  /** @param {string | null} before */
  async _search(before) {
    this._stop.abort();
    this._stop = new AbortController();
    const { signal } = this._stop;
    const text = this.input.value.trim();
    if (!text) {
      this._hits.hidden = true;
      return;
    }
    let page;
    try {
      page = await this._daemon?.search(this._sessionId, { text, before, limit: PAGE, signal });
    } catch (error) {
      if (signal.aborted) return;
      const told = element("p", "note", error instanceof Error ? error.message : String(error));
      const again = button("Try again", () => this._search(before), "retry");
      this._hits.hidden = false;
      this._hits.replaceChildren(element("div", "failure", told, again));
      return;
    }
    if (signal.aborted) return;
    this._draw(page, before !== null);
  }

  /**
   * @param {{hits: any[], hasMore: boolean, next?: string}} page
   * @param {boolean} more
   */
  _draw(page, more) {
    const items = page.hits.map((hit) => this._item(hit));
    const askedByKey = more && focusedIn(this._hits)?.matches(".more");
    this._hits.hidden = false;
    this._hits.querySelector(".more")?.remove();
    if (!more) this._hits.replaceChildren(element("ol", "hit-list"));
    this._hits.querySelector("ol")?.append(...items);
    const count = this._hits.querySelectorAll("li").length;
    if (!count) this._hits.replaceChildren(element("p", "note", "Nothing found."));
    const { next } = page;
    if (next !== undefined) {
      this._hits.append(button("More results", () => this._search(next), "more"));
    }
    if (askedByKey) items[0]?.querySelector("button")?.focus();
    this._say(count ? `${count} results` : "Nothing found.");
  }

  /** @param {{recordId: string, type: string, timestamp?: string, preview: string}} hit */
  _item(hit) {
    const go = button("", () => this._go(hit.recordId), "hit");
    const about = element("span", "hit-about", NAMES.get(hit.type) ?? hit.type);
    const time = timeElement(hit.timestamp);
    if (time) about.append(time);
    go.append(about, isolated(hit.preview, "hit-preview"));
    return element("li", "", go);
  }
}
