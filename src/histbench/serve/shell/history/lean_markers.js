/**
 * The markers of a lean event, as in `histbench.history.lean_markers`.
 *
 *     {"":n}           a string: the text of the record that begins at seq n
 *     {"":[n,d,...]}   a string: the texts of several records, joined
 *     {"":"a-b"}       in an array: the integers from a to b
 *
 * Here they are found in values: an object with an empty key is a marker or a fault.  What
 * `JSON.parse` has dropped, the first of two equal keys, is not looked at.
 */

import { isSafeInteger } from "./events.js";
import { checkHeld, countKeys } from "./jsontext.js";

/** @typedef {import("./jsontext.js").JsonObject} JsonObject */
/** @typedef {import("./records.js").PageRecord} PageRecord */
/** @typedef {Record<string | number, unknown>} Holder */

const RANGE = /^(0|[1-9][0-9]{0,15})-(0|[1-9][0-9]{0,15})$/;

/** One marker, standing at `holder[key]`. */
export class Marker {
  /**
   * @param {Holder} holder an object, or an array
   * @param {string | number} key
   * @param {number[] | null} seqs of the records that a copy names; null for a range
   * @param {number} first of a range
   * @param {number} last
   */
  constructor(holder, key, seqs, first, last) {
    this.holder = holder;
    this.key = key;
    this.seqs = seqs;
    this.first = first;
    this.last = last;
    /** @type {PageRecord[]} those named, once they are found */
    this.sources = [];
  }
}

/**
 * The markers of an event, in any order; null when an empty key is no part of one.
 *
 * @param {JsonObject} event
 * @returns {Marker[] | null}
 * @throws {InvalidJson} `number_out_of_range`, as `checkHeld`: everything is looked at once
 */
export function findMarkers(event) {
  /** @type {Marker[]} */
  const found = [];
  let stray = Object.hasOwn(event, "");
  /** @type {Holder[]} */
  const open = [event];
  while (open.length > 0) {
    const holder = /** @type {Holder} */ (open.pop());
    if (Array.isArray(holder)) {
      for (let place = 0; place < holder.length; place += 1) {
        stray = look(holder[place], holder, place, found, open) || stray;
      }
    } else {
      for (const key in holder) {
        stray = look(holder[key], holder, key, found, open) || stray;
      }
    }
  }
  return stray ? null : found;
}

/**
 * Put a value where it belongs, and tell whether it is a stray empty key's.
 *
 * @param {unknown} value
 * @param {Holder} holder
 * @param {string | number} key
 * @param {Marker[]} found
 * @param {Holder[]} open what is still to be looked into
 * @returns {boolean}
 */
function look(value, holder, key, found, open) {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) {
      checkHeld(value);
    }
  } else if (typeof value === "object" && value !== null) {
    if (Array.isArray(value) || !Object.hasOwn(value, "")) {
      open.push(/** @type {Holder} */ (value));
      return false;
    }
    const marker = markerOf(/** @type {JsonObject} */ (value), holder, key);
    if (marker === null) {
      checkHeld(value);
      return true;
    }
    found.push(marker);
  }
  return false;
}

/**
 * @param {JsonObject} value an object with an empty key
 * @param {Holder} holder
 * @param {string | number} key
 * @returns {Marker | null}
 */
function markerOf(value, holder, key) {
  if (countKeys(value) !== 1) {
    return null;
  }
  const said = value[""];
  if (typeof said === "number") {
    return isSeq(said) ? new Marker(holder, key, [said], 0, 0) : null;
  }
  if (typeof said === "string") {
    const range = Array.isArray(holder) ? RANGE.exec(said) : null;
    const [first, last] = range === null ? [0, 0] : [Number(range[1]), Number(range[2])];
    return first < last && isSeq(last) ? new Marker(holder, key, null, first, last) : null;
  }
  if (!Array.isArray(said) || said.length < 2 || !said.every(isSeq) || said.includes(0, 1)) {
    return null;
  }
  let seq = 0;
  return new Marker(holder, key, said.map((distance) => (seq += distance)), 0, 0);
}

/**
 * @param {unknown} value
 * @returns {value is number}
 */
function isSeq(value) {
  return isSafeInteger(value) && value >= 0;
}
