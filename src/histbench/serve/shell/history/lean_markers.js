/**
 * The markers of a lean event, as in `histbench.history.lean_markers`.
 *
 *     {"":n}           a string: the text of the record that begins at seq n
 *     {"":[n,d,...]}   a string: the texts of several records, joined
 *     {"":"a-b"}       in an array: the integers from a to b
 *
 * Here they are found in values: an object with an empty key is a marker or a fault.
 */

import { countKeys } from "./jsontext.js";

/** @typedef {import("./jsontext.js").JsonObject} JsonObject */

/**
 * One marker and where it stands: at `holder[key]`.  A copy has `seqs`, the records that it names;
 * a range has `first` and `last`.  `spelling` is what it says, the same for the same.
 *
 * @typedef {object} Marker
 * @property {JsonObject | unknown[]} holder
 * @property {string | number} key
 * @property {number[] | null} seqs
 * @property {number} first
 * @property {number} last
 * @property {string} spelling
 */

const RANGE = /^(0|[1-9][0-9]{0,15})-(0|[1-9][0-9]{0,15})$/;

// No number of more digits is read as a seq.
const NUMBER_LIMIT = 1e16;

/**
 * The markers of an event in the order in which they stand; null when an empty key is no part of
 * one.
 *
 * @param {JsonObject} event
 * @returns {Marker[] | null}
 */
export function findMarkers(event) {
  /** @type {Marker[]} */
  const found = [];
  /** @type {{holder: JsonObject | unknown[], keys: string[] | null, size: number, at: number}[]} */
  const open = [];
  /** @param {JsonObject | unknown[]} holder */
  const enter = (holder) => {
    const keys = Array.isArray(holder) ? null : Object.keys(holder);
    open.push({ holder, keys, size: keys === null ? Number(holder.length) : keys.length, at: 0 });
  };

  if (Object.hasOwn(event, "")) {
    return null;
  }
  enter(event);
  while (open.length > 0) {
    const frame = open[open.length - 1];
    const { holder, keys, at } = frame;
    if (at >= frame.size) {
      open.pop();
      continue;
    }
    frame.at += 1;
    const key = keys === null ? at : keys[at];
    const value = /** @type {Record<string | number, unknown>} */ (holder)[key];
    if (typeof value !== "object" || value === null) {
      continue;
    }
    if (Array.isArray(value)) {
      enter(value);
    } else if (Object.hasOwn(value, "")) {
      const marker = markerOf(/** @type {JsonObject} */ (value), holder, key);
      if (marker === null) {
        return null;
      }
      found.push(marker);
    } else {
      enter(/** @type {JsonObject} */ (value));
    }
  }
  return found;
}

/**
 * @param {JsonObject} value an object with an empty key
 * @param {JsonObject | unknown[]} holder
 * @param {string | number} key
 * @returns {Marker | null}
 */
function markerOf(value, holder, key) {
  if (countKeys(value) !== 1) {
    return null;
  }
  const said = value[""];
  if (typeof said === "string") {
    const range = Array.isArray(holder) ? RANGE.exec(said) : null;
    const [first, last] = range === null ? [0, 0] : [Number(range[1]), Number(range[2])];
    return range && { holder, key, seqs: null, first, last, spelling: said };
  }
  const listed = Array.isArray(said) ? said : [said];
  if (!listed.every(isListed) || (Array.isArray(said) && said.length < 2)) {
    return null;
  }
  let seq = 0;
  const seqs = listed.map((distance) => (seq += distance));
  return { holder, key, seqs, first: 0, last: 0, spelling: listed.join() };
}

/**
 * @param {unknown} value
 * @returns {value is number}
 */
function isListed(value) {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < NUMBER_LIMIT;
}
