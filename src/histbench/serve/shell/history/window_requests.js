/**
 * What a HistoryWindow asks for, and what it shows when it was not given it, as in
 * `histbench.history.window_requests`.
 *
 * A reply counts only if its request is the very object that the window still waits for.
 */

import { UsageError } from "./errors.js";
import { isSafeInteger } from "./events.js";

/** @typedef {"newest" | "older" | "newer"} RequestKind */

/**
 * What a page may hold, as `select_page` takes it.
 *
 * @typedef {{maxMessages: number, maxEvents: number | null, maxBytes: number | null}} Limits
 */

const DEFAULT_MAX_MESSAGES = 50;

/** A page that the window wants. */
export class PageRequest {
  /**
   * @param {string} sessionId
   * @param {number} generation
   * @param {number} number
   * @param {RequestKind} kind
   * @param {number | null} beforeSeq
   * @param {Limits} limits
   */
  constructor(sessionId, generation, number, kind, beforeSeq, limits) {
    this.sessionId = sessionId;
    this.generation = generation;
    this.number = number;
    this.kind = kind;
    this.beforeSeq = beforeSeq;
    this.limits = limits;
  }

  /**
   * The request as the wire has it, what is not set left out.
   *
   * @returns {Record<string, number>}
   */
  parameters() {
    /** @type {Record<string, number>} */
    const parameters = {};
    for (const [name, value] of Object.entries({ beforeSeq: this.beforeSeq, ...this.limits })) {
      if (value !== null) {
        parameters[name] = value;
      }
    }
    return parameters;
  }
}

/**
 * Why a wanted page is not in the window; the codes are those of the Python class `Fault`.
 *
 * @typedef {object} Fault
 * @property {string} code
 * @property {string} message
 * @property {RequestKind} kind
 */

/**
 * The gap is closed when this is told, so only a retry or another page ends it.
 *
 * @type {Fault}
 */
export const REWRITTEN = Object.freeze({
  code: "history_rewritten",
  message: "the host tells other events than it did before",
  kind: "newest",
});

/** The requests of one window, at most one of each kind, and the faults of those that failed. */
export class Requests {
  #number = 0;
  /** @type {PageRequest[]} */
  #unsent = [];

  /**
   * @param {string} sessionId
   * @param {Partial<Limits>} limits
   */
  constructor(sessionId, limits) {
    const { maxMessages = DEFAULT_MAX_MESSAGES, maxEvents = null, maxBytes = null } = limits;
    checkCount("max_messages", maxMessages, 1);
    checkCount("max_events", maxEvents ?? 1, 1);
    checkCount("max_bytes", maxBytes ?? 1, 1);
    this.sessionId = sessionId;
    /** @type {Limits} */
    this.limits = { maxMessages, maxEvents, maxBytes };
    this.generation = 0;
    /** @type {Map<RequestKind, PageRequest>} */
    this.waiting = new Map();
    /** @type {Map<RequestKind, Fault>} */
    this.faults = new Map();
  }

  /** Start a new generation: no earlier request is waited for. */
  begin() {
    this.generation += 1;
    this.waiting.clear();
    this.faults.clear();
    this.#unsent = [];
  }

  /**
   * Want this page, unless one of its kind is under way.
   *
   * @param {RequestKind} kind
   * @param {number | null} [beforeSeq]
   * @param {Limits} [limits]
   */
  ask(kind, beforeSeq = null, limits = this.limits) {
    if (this.waiting.has(kind)) {
      return;
    }
    this.faults.delete(kind);
    this.#number += 1;
    const { sessionId, generation } = this;
    const request = new PageRequest(sessionId, generation, this.#number, kind, beforeSeq, limits);
    this.waiting.set(kind, request);
    this.#unsent.push(request);
  }

  /**
   * The requests to send now, each handed out once.
   *
   * @returns {PageRequest[]}
   */
  take() {
    const unsent = this.#unsent;
    this.#unsent = [];
    return unsent.filter((request) => this.waiting.get(request.kind) === request);
  }

  /**
   * Stop waiting for a request; false when it was not waited for.
   *
   * @param {PageRequest} request
   * @returns {boolean}
   */
  settle(request) {
    return this.waiting.get(request.kind) === request && this.waiting.delete(request.kind);
  }

  /**
   * Wait no longer for requests of these kinds; what they were to repair is no fault.
   *
   * @param {...RequestKind} kinds
   */
  cancel(...kinds) {
    for (const kind of kinds) {
      this.waiting.delete(kind);
      this.faults.delete(kind);
    }
  }

  /**
   * Keep a fault of this kind in sight.
   *
   * @param {RequestKind} kind
   * @param {string} code
   * @param {string} message
   */
  fail(kind, code, message) {
    this.faults.set(kind, { code, message, kind });
  }
}

/**
 * @param {string} name
 * @param {number} value
 * @param {number} least
 * @throws {UsageError} `bad_<name>`
 */
export function checkCount(name, value, least) {
  if (!isSafeInteger(value) || value < least) {
    throw new UsageError(`bad ${name}`, { code: `bad_${name}`, found: value });
  }
}
