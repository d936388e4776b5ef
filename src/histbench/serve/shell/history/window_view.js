/**
 * What a window shows: its bounds, its records, what it asks for and what went wrong.
 *
 * Only HistoryWindow, which extends it, changes any of it.
 */

import { compactInputs } from "../fold/compact.js";
import { recordEvents } from "./records.js";
import { Interval } from "./window_interval.js";
import { Requests } from "./window_requests.js";

/** @typedef {import("./window_requests.js").Fault} Fault */
/** @typedef {import("./window_requests.js").PageRequest} PageRequest */
/** @typedef {import("./window_requests.js").RequestKind} RequestKind */

/** The readable side of a HistoryWindow. */
export class WindowView {
  /**
   * @param {string} sessionId whose log it is
   * @param {Partial<import("./window_requests.js").Limits>} limits what to ask for in a page
   */
  constructor(sessionId, limits) {
    this.sessionId = sessionId;
    /** @type {"closed" | "opening" | "open"} */
    this.state = "closed";
    // Counts how often the window became another interval instead of growing or shrinking.
    this.epoch = 0;
    this.hasMore = false;
    /** @type {import("./page.js").Projections | null} */
    this.projections = null;
    /** @protected */
    this.interval = new Interval();
    /** @protected */
    this.requests = new Requests(sessionId, limits);
    // One past the last seq that the host is known to have.
    /** @protected */
    this.knownToSeq = 0;
  }

  /** Counts how often the window was opened or closed; frames and requests carry it. */
  get generation() {
    return this.requests.generation;
  }

  /** The first seq of the window. */
  get fromSeq() {
    return this.interval.fromSeq;
  }

  /** One past the last seq of the window. */
  get toSeq() {
    return this.interval.toSeq;
  }

  /** Whether the host is known to have events beyond the window. */
  get hasNewer() {
    return this.toSeq < this.knownToSeq;
  }

  /** @returns {ReadonlyMap<RequestKind, Fault>} what is missing and why, by the kind of page */
  get faults() {
    return this.requests.faults;
  }

  /** The requests whose replies would count. */
  get waiting() {
    return [...this.requests.waiting.values()];
  }

  /** The requests to send now, each handed out once. */
  takeRequests() {
    return this.requests.take();
  }

  /** The window's records, rows unexpanded; they cover `[fromSeq, toSeq)`. */
  records() {
    return this.interval.records();
  }

  /** The window's logical events. */
  events() {
    return this.records().flatMap(recordEvents);
  }

  /** The window's compact inputs, for a fold; their seqs say nothing of its bounds. */
  inputs() {
    return compactInputs(this.records());
  }
}
