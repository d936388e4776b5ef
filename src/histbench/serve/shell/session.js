/**
 * Session: drives a view with a daemon, its pages and its stream, and tells when to draw.
 *
 * Answers of a session that was left are dropped twice over: their requests are aborted, and the
 * view no longer waits for them.  A stream begins behind the watermark that a load gave, and is
 * begun anew with each generation of the view.
 */

import { follow } from "./stream.js";
import { BrowsingView } from "./transcript/browsing_view.js";
import { LiveLog } from "./transcript/live_log.js";
import { RequestFailed } from "./daemon.js";

/** @typedef {import("./stream.js").StreamEvent} StreamEvent */
/** @typedef {import("./stream.js").StreamState} StreamState */
/** @typedef {import("./transcript/view_requests.js").ViewRequest} ViewRequest */

/** What a browser draws without trouble; the way to the rest is never closed. */
export const BOUNDS = { pageSize: 100, maxBlocks: 1500, maxBytes: 24 * 1024 * 1024 };

export class Session {
  /**
   * @param {import("./daemon.js").Daemon} daemon
   * @param {string} sessionId
   * @param {{features: Set<string>, changed: () => void,
   *   bounds?: {pageSize?: number, maxBlocks?: number, maxBytes?: number}}} how
   */
  constructor(daemon, sessionId, { features, changed, bounds = {} }) {
    this.daemon = daemon;
    this.view = new BrowsingView(sessionId, { ...BOUNDS, ...bounds });
    this.features = features;
    /** @type {StreamState | "off"} */
    this.stream = "off";
    this._changed = changed;
    this._pages = new AbortController();
    /** @type {AbortController | null} */
    this._streaming = null;
    this._streamed = -1;
  }

  open() {
    this.view.open();
    this._drive();
  }

  close() {
    this._pages.abort();
    this._streaming?.abort();
    this.view.close();
  }

  /**
   * Do something to the view, send what it then wants, and draw.
   * @template T
   * @param {(view: BrowsingView) => T} change
   * @returns {T}
   */
  change(change) {
    const result = change(this.view);
    this._drive();
    return result;
  }

  _drive() {
    for (const request of this.view.takeRequests()) {
      // What was under way is not waited for any more.
      this._pages.abort();
      this._pages = new AbortController();
      this._send(request);
    }
    this._changed();
  }

  /** @param {ViewRequest} request */
  async _send(request) {
    const { signal } = this._pages;
    const paged = this.features.has("session_transcript_pagination");
    try {
      const answer = await this.daemon.answer(request, { paged, signal });
      if (signal.aborted) return;
      this.view.receive(request, answer);
    } catch (error) {
      if (signal.aborted) return;
      const failed = error instanceof RequestFailed ? error : new RequestFailed("shell", `${error}`);
      const { code, message, status, beyond } = failed;
      this.view.fail(request, { code, message, status, beyond });
    }
    this._follow();
    this._drive();
  }

  /** Begin a stream if the view has a new watermark. */
  _follow() {
    const { view } = this;
    if (view.state !== "open" || view.loading === "load" || view.epoch === null) return;
    if (this._streamed === view.generation || !this.features.has("session_events")) return;
    this._streaming?.abort();
    this._streaming = new AbortController();
    this._streamed = view.generation;
    const { signal } = this._streaming;
    const { generation } = view;
    const log = new LiveLog();
    follow(this.daemon, view.sessionId, {
      lastEventId: view.lastEventId,
      epoch: view.epoch,
      signal,
      receive: (event) => this._receive(event, generation, log),
      tell: (state) => {
        if (signal.aborted) return;
        this.stream = state;
        this._changed();
      },
    });
  }

  /**
   * @param {StreamEvent} event
   * @param {number} generation
   * @param {LiveLog} log
   */
  _receive({ event, id, data }, generation, log) {
    const { view } = this;
    if (event === "state_resync_required") {
      this.change(() => view.open());
    } else if (event === "session_update") {
      if (data?.partial === true) view.hasNewer = true;
      const events = Array.isArray(data?.events) ? data.events : [];
      view.receiveUpdates(events, { lastEventId: id, generation });
      this._drive();
    } else if (event === "records") {
      const updates = log.take(data);
      view.receiveUpdates(updates, { lastEventId: id, generation });
      if (log.stale) {
        log.stale = false;
        if (view.readerAtNewest) this.change(() => view.open());
        else view.hasNewer = true;
      }
      this._drive();
    }
  }
}
