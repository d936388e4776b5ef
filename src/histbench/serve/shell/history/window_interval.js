/**
 * The records that a window holds, as in `histbench.history.window_interval`: one interval of a log
 * that grows and shrinks at both ends.
 */

import { Coalescer } from "./coalesce.js";
import { same } from "./jsontext.js";
import { Plain, deltaOfPlain } from "./records.js";

/** @typedef {import("./records.js").PageRecord} PageRecord */

// Enough that a row pays, few enough that reading the window meanwhile costs nothing.
const LOOSE_RECORDS = 512;

/** Records that cover `[fromSeq, toSeq)`. */
export class Interval {
  // Places run from #start to #stop; both may be negative, so that neither end is ever moved.
  /** @type {Map<number, PageRecord>} */
  #places = new Map();
  #start = 0;
  #stop = 0;
  // Live events at the newer end, not yet coalesced.
  /** @type {PageRecord[]} */
  #loose = [];

  constructor() {
    this.fromSeq = 0;
    this.toSeq = 0;
  }

  /** How many events it holds. */
  get length() {
    return this.toSeq - this.fromSeq;
  }

  /**
   * The records in order.
   *
   * @returns {PageRecord[]}
   */
  records() {
    this.#settleLoose();
    /** @type {PageRecord[]} */
    const records = [];
    for (let place = this.#start; place < this.#stop; place += 1) {
      records.push(this.#at(place));
    }
    return records;
  }

  /**
   * Hold these records and nothing else.
   *
   * @param {readonly PageRecord[]} records
   * @param {number} fromSeq
   * @param {number} toSeq
   */
  replace(records, fromSeq, toSeq) {
    this.#places = new Map();
    this.#start = 0;
    this.#stop = 0;
    this.#loose = [];
    this.#push(records);
    this.fromSeq = fromSeq;
    this.toSeq = toSeq;
  }

  /**
   * Grow at the older end by records that cover `[fromSeq, this.fromSeq)`.
   *
   * @param {readonly PageRecord[]} records
   * @param {number} fromSeq
   */
  prepend(records, fromSeq) {
    this.#start -= records.length;
    records.forEach((record, k) => this.#places.set(this.#start + k, record));
    this.fromSeq = fromSeq;
  }

  /**
   * Grow at the newer end by records that cover `[this.toSeq, toSeq)`.
   *
   * @param {readonly PageRecord[]} records
   * @param {number} toSeq
   */
  extend(records, toSeq) {
    this.#settleLoose();
    this.#push(records);
    this.toSeq = toSeq;
  }

  /**
   * Grow at the newer end by one live event.
   *
   * @param {PageRecord} record
   */
  append(record) {
    this.#loose.push(record);
    this.toSeq = record.endSeq;
    if (this.#loose.length >= LOOSE_RECORDS) {
      this.#settleLoose();
    }
  }

  /**
   * Trim the older end while at least `keep` events are left; whether anything went.
   *
   * @param {number} keep
   * @returns {boolean}
   */
  dropOldest(keep) {
    this.#settleLoose();
    const before = this.fromSeq;
    while (this.#start < this.#stop && this.length - this.#at(this.#start).count >= keep) {
      this.fromSeq = this.#at(this.#start).endSeq;
      this.#places.delete(this.#start);
      this.#start += 1;
    }
    return this.fromSeq !== before;
  }

  /**
   * Trim the newer end while at least `keep` events are left; whether anything went.
   *
   * @param {number} keep
   * @returns {boolean}
   */
  dropNewest(keep) {
    this.#settleLoose();
    const before = this.toSeq;
    while (this.#start < this.#stop && this.length - this.#at(this.#stop - 1).count >= keep) {
      this.#stop -= 1;
      this.toSeq = this.#at(this.#stop).seq;
      this.#places.delete(this.#stop);
    }
    return this.toSeq !== before;
  }

  /**
   * Whether these records, which cover `[fromSeq, toSeq)`, tell the same where they overlap.
   *
   * @param {readonly PageRecord[]} records
   * @param {number} fromSeq
   * @param {number} toSeq
   * @returns {boolean}
   */
  agrees(records, fromSeq, toSeq) {
    const start = Math.max(fromSeq, this.fromSeq);
    const stop = Math.min(toSeq, this.toSeq);
    if (start >= stop) {
      return true;
    }
    const held = canonical(this.records(), start, stop);
    const told = canonical(records, start, stop);
    return held.length === told.length && held.every((each, k) => sameRecord(each, told[k]));
  }

  /**
   * @param {number} place
   * @returns {PageRecord}
   */
  #at(place) {
    return /** @type {PageRecord} */ (this.#places.get(place));
  }

  /** @param {readonly PageRecord[]} records */
  #push(records) {
    for (const record of records) {
      this.#places.set(this.#stop, record);
      this.#stop += 1;
    }
  }

  #settleLoose() {
    if (this.#loose.length > 0) {
      const coalescer = new Coalescer();
      this.#loose.forEach((record) => coalescer.add(record));
      this.#loose = [];
      this.#push(coalescer.finish());
    }
  }
}

/**
 * What of these records lies in `[fromSeq, toSeq)`; rows at its ends are cut, however short.
 *
 * @param {readonly PageRecord[]} records
 * @param {number} fromSeq
 * @param {number} toSeq
 * @returns {PageRecord[]}
 */
export function recordsBetween(records, fromSeq, toSeq) {
  /** @type {PageRecord[]} */
  const between = [];
  for (const record of records) {
    const start = Math.max(0, fromSeq - record.seq);
    const stop = Math.min(record.count, toSeq - record.seq);
    if (stop - start === record.count) {
      between.push(record);
    } else if (stop > start && !(record instanceof Plain)) {
      between.push(record.cut(start, stop));
    }
  }
  return between;
}

/**
 * The canonical records between; deltas that stand alone may be part of a row elsewhere.
 *
 * @param {readonly PageRecord[]} records
 * @param {number} fromSeq
 * @param {number} toSeq
 * @returns {PageRecord[]}
 */
function canonical(records, fromSeq, toSeq) {
  const coalescer = new Coalescer();
  for (const record of recordsBetween(records, fromSeq, toSeq)) {
    const delta = record instanceof Plain ? deltaOfPlain(record) : null;
    coalescer.add(delta ?? record);
  }
  return coalescer.finish();
}

/**
 * @param {PageRecord} left
 * @param {PageRecord} right
 * @returns {boolean}
 */
function sameRecord(left, right) {
  if (left instanceof Plain || right instanceof Plain) {
    return left instanceof Plain && right instanceof Plain && same(left.event, right.event);
  }
  return (
    left.seq0 === right.seq0 &&
    left.time0 === right.time0 &&
    left.count === right.count &&
    left.sameBlock(right) &&
    same(left.gapList(), right.gapList()) &&
    same(left.textList(), right.textList())
  );
}
