/**
 * HistoryWindow, as in `histbench.history.window`, whose top lists every input and what it does.
 *
 * The window is always one interval `[fromSeq, toSeq)` of a session's log, or empty.  It does no
 * I/O: a driver tells it what happened, sends what `takeRequests` hands out, and reads it.
 */

import { InvalidEvent, UsageError } from "./errors.js";
import { decode } from "./jsontext.js";
import { readValue } from "./records.js";
import { RowHead } from "./rows.js";
import { Aside } from "./window_aside.js";
import { recordsBetween } from "./window_interval.js";
import { REWRITTEN, checkCount } from "./window_requests.js";
import { WindowView } from "./window_view.js";

/** @typedef {import("./page.js").HistoryPage} HistoryPage */
/** @typedef {import("./window_requests.js").Limits} Limits */
/** @typedef {import("./window_requests.js").PageRequest} PageRequest */
/** @typedef {import("./window_requests.js").RequestKind} RequestKind */

// Events asked for towards the newer end, where pages are not aligned to messages.
const NEWER_EVENTS = 1024;

/** The client's state of one session; see the module. */
export class HistoryWindow extends WindowView {
  #retainEvents;
  #aside = new Aside();
  // The end that the reader asked at last, and how many events that page had.
  /** @type {"older" | "newer"} */
  #readerAt = "newer";
  #askedEvents = 0;
  // Whether the newer end was let go: live events then pass by.
  #detached = false;
  #newerEvents = NEWER_EVENTS;

  /**
   * @param {string} sessionId whose log it is
   * @param {Partial<Limits> & {retainEvents?: number | null}} [options]
   *   what to ask for in a page, and how many events to keep beside it; null keeps everything
   */
  constructor(sessionId, { retainEvents = null, ...limits } = {}) {
    super(sessionId, limits);
    checkCount("retain_events", retainEvents ?? 0, 0);
    this.#retainEvents = retainEvents;
  }

  /** Begin, or begin anew after a lost connection: nothing of an earlier generation stays. */
  open() {
    this.#dropAll();
    this.state = "opening";
    this.#want("newest");
  }

  /** Forget everything; replies and frames still under way will be ignored. */
  close() {
    this.#dropAll();
    this.state = "closed";
  }

  #dropAll() {
    this.requests.begin();
    this.interval.replace([], 0, 0);
    this.epoch += 1;
    this.hasMore = false;
    this.projections = null;
    this.knownToSeq = 0;
    this.#aside.clear();
    this.#readerAt = "newer";
    this.#askedEvents = 0;
    this.#detached = false;
  }

  /**
   * Learn how far the host's log reaches.
   * @param {number} toSeq
   * @param {number} generation
   */
  logEndsAt(toSeq, generation) {
    if (generation === this.generation && this.state !== "closed") {
      this.#learn(toSeq);
    }
  }

  /**
   * Take one live frame, an event or its JSON text; whether the window grew by it.
   * @param {unknown} event
   * @param {number} generation
   * @returns {boolean}
   * @throws {HistbenchError} the frame is no event, a row for example; nothing changed
   */
  receiveEvent(event, generation) {
    const record = readValue(typeof event === "string" ? decode(event) : event);
    if (record instanceof RowHead) {
      const found = record.kind.tag;
      throw new InvalidEvent("a frame holds one event", { code: "event_type", found });
    }
    if (generation !== this.generation || this.state === "closed" || record.seq < this.toSeq) {
      return false;
    }
    const follows = this.state === "open" && !this.#detached && record.seq === this.toSeq;
    if (follows) {
      this.interval.append(record);
      this.#aside.appendTo(this.interval);
    } else if (!this.#detached) {
      this.#aside.keep(record);
    }
    this.#learn(record.endSeq);
    if (follows) {
      this.#trim();
    }
    return follows;
  }

  /** Want the page before the window, if there is one and it is not under way. */
  loadOlder() {
    if (this.state === "open" && this.hasMore) {
      this.#stayAt("older");
      this.#want("older");
    }
  }

  /** Want the page after the window, if the newer end was let go. */
  loadNewer() {
    if (this.state === "open" && this.#detached) {
      this.#stayAt("newer");
      this.#newerEvents = this.requests.limits.maxEvents ?? NEWER_EVENTS;
      this.#want("newer");
    }
  }

  /** Be at the log's end again, whatever has to be let go for it. */
  follow() {
    if (this.state === "open") {
      this.#stayAt("newer");
      if (this.#detached) {
        this.requests.cancel("newer");
        this.#want("newest");
      }
    }
  }

  /** Ask again for every page that a fault tells of. */
  retry() {
    const kinds = new Set(this.requests.faults.keys());
    this.requests.faults.clear();
    if (kinds.has("newest") && (this.state === "opening" || this.hasNewer)) {
      this.#want("newest");
    }
    if (kinds.has("older")) {
      this.loadOlder();
    } else if (kinds.has("newer")) {
      this.loadNewer();
    }
  }

  /**
   * Learn that a request will not be answered; whether it was waited for.
   * @param {PageRequest} request
   * @param {string} [message]
   * @returns {boolean}
   */
  fail(request, message = "no reply") {
    if (!this.requests.settle(request)) {
      return false;
    }
    this.requests.fail(request.kind, "request_failed", message);
    return true;
  }

  /**
   * Take a reply; whether the window took anything from it.
   * @param {PageRequest} request
   * @param {HistoryPage} page
   * @returns {boolean}
   * @throws {UsageError} `lossy_page`
   */
  receive(request, page) {
    if (!page.covered) {
      throw new UsageError("a lossy page covers no interval", { code: "lossy_page" });
    }
    if (!this.requests.settle(request)) {
      return false;
    }
    if (page.fromSeq === page.toSeq && page.hasMore) {
      return this.#refuse(request.kind, "page_empty", page);
    }
    if (request.kind === "older") {
      return this.#receiveOlder(page);
    }
    return request.kind === "newer" ? this.#receiveNewer(page) : this.#receiveNewest(page);
  }

  /**
   * @param {RequestKind} kind
   * @param {string} code
   * @param {HistoryPage} page
   */
  #refuse(kind, code, { fromSeq, toSeq }) {
    const held = `${this.fromSeq} to ${this.toSeq} of ${this.knownToSeq}`;
    this.requests.fail(kind, code, `the page holds ${fromSeq} to ${toSeq}, the window ${held}`);
    return false;
  }

  /** @param {HistoryPage} page */
  #receiveOlder(page) {
    if (page.toSeq !== this.fromSeq) {
      return this.#refuse("older", "page_discontinuous", page);
    }
    this.interval.prepend(page.records, page.fromSeq);
    this.hasMore = page.hasMore;
    this.#askedEvents = page.toSeq - page.fromSeq;
    this.#trim();
    return true;
  }

  /** @param {HistoryPage} page */
  #receiveNewer(page) {
    if (page.fromSeq > this.toSeq && this.#newerEvents > 1) {
      // Cut by bytes: fewer events may fit.
      this.#newerEvents = Math.floor(this.#newerEvents / 2);
      this.#want("newer");
      return false;
    }
    if (!(page.fromSeq <= this.toSeq && this.toSeq < page.toSeq)) {
      return this.#refuse("newer", "page_discontinuous", page);
    }
    this.#detached = page.toSeq < this.knownToSeq;
    this.#askedEvents = page.toSeq - this.toSeq;
    this.#growNewer(page);
    return true;
  }

  /** @param {HistoryPage} page */
  #receiveNewest(page) {
    this.projections = page.projections ?? this.projections;
    if (this.state === "opening") {
      this.state = "open";
      this.#become(page);
      return true;
    }
    const overlaps = page.fromSeq <= this.toSeq;
    if (this.#readerAt === "newer" || (overlaps && this.toSeq < page.toSeq)) {
      this.#detached = false;
    }
    if (page.toSeq <= this.toSeq) {
      if (this.hasNewer && !this.#detached) {
        return this.#refuse("newest", "gap_unrepaired", page);
      }
      return false;
    }
    if (overlaps) {
      this.#growNewer(page);
      return true;
    }
    if (this.#readerAt === "older") {
      this.#letGoOfNewer();
      this.#learn(page.toSeq);
      return false;
    }
    this.#become(page);
    return true;
  }

  // Hold this newest page instead of what was held, and what came live after it.
  /** @param {HistoryPage} page */
  #become(page) {
    this.requests.cancel("older", "newer");
    this.interval.replace(page.records, page.fromSeq, page.toSeq);
    this.epoch += 1;
    this.hasMore = page.hasMore;
    this.#readerAt = "newer";
    this.#detached = false;
    this.#askedEvents = page.toSeq - page.fromSeq;
    this.#joinAside(page.toSeq);
  }

  // Take from a page that touches or overlaps the window what lies beyond it.
  /** @param {HistoryPage} page */
  #growNewer(page) {
    if (!this.interval.agrees(page.records, page.fromSeq, page.toSeq)) {
      this.knownToSeq = page.toSeq;
      this.#become(page);
      this.requests.faults.set("newest", REWRITTEN);
      return;
    }
    this.interval.extend(recordsBetween(page.records, this.toSeq, page.toSeq), page.toSeq);
    this.#joinAside(page.toSeq);
    this.#trim();
  }

  // Forget the frames kept aside that a page has brought, and append those that now follow.
  /** @param {number} toSeq */
  #joinAside(toSeq) {
    this.#aside.forgetBefore(this.toSeq);
    this.#aside.appendTo(this.interval);
    this.#learn(toSeq);
  }

  // The host's log reaches at least to `toSeq`; ask for what the window lacks of it.
  /** @param {number} toSeq */
  #learn(toSeq) {
    this.knownToSeq = Math.max(this.knownToSeq, toSeq);
    if (this.state !== "open" || this.#detached) {
      return;
    }
    if (this.hasNewer) {
      this.#want("newest");
    } else if (this.requests.faults.get("newest") !== REWRITTEN) {
      this.requests.faults.delete("newest");
    }
  }

  #trim() {
    if (this.#retainEvents === null) {
      return;
    }
    const keep = this.#retainEvents + this.#askedEvents;
    if (this.#readerAt === "older") {
      if (this.interval.dropNewest(keep)) {
        this.#letGoOfNewer();
      }
    } else if (this.interval.dropOldest(keep)) {
      this.hasMore = true;
    }
  }

  /** Live events pass by from now on; nothing beyond the window is missing. */
  #letGoOfNewer() {
    this.#detached = true;
    this.#aside.clear();
    this.requests.cancel("newest");
  }

  // The reader asks at this end: a page under way for the other one no longer counts.
  /** @param {"older" | "newer"} end */
  #stayAt(end) {
    this.#readerAt = end;
    this.requests.cancel(end === "older" ? "newer" : "older");
  }

  /** @param {RequestKind} kind */
  #want(kind) {
    if (kind === "newer") {
      // As many messages as events: only the number of events cuts, which is known here.
      const events = this.#newerEvents;
      const limits = { ...this.requests.limits, maxMessages: events, maxEvents: events };
      this.requests.ask(kind, this.toSeq + events, limits);
    } else {
      this.requests.ask(kind, kind === "older" ? this.fromSeq : null);
    }
  }
}
