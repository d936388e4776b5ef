/**
 * What a lean page may expand to, as in `histbench.history.lean_budget`: copies to MOST_COPIES
 * times the texts that they name, each text counted once, ranges to RANGE_BYTES for each event.
 */

import { contentBytes } from "./jsontext.js";
import { textOf } from "./lean_event.js";

/** @typedef {import("./lean_markers.js").Marker} Marker */
/** @typedef {import("./records.js").PageRecord} PageRecord */

export const RANGE_BYTES = 16;
export const MOST_COPIES = 8;

// Two escapes of six bytes each become a character of four.
const HALVES_LESS_CHARACTER = 8;

const LOW_FIRST = /^[\udc00-\udfff]/;
const HIGH_LAST = /[\ud800-\udbff]$/;

/** The bytes of a text, and whether it begins or ends with half of a surrogate pair. */
class TextSize {
  /** @param {string} text */
  constructor(text) {
    this.size = contentBytes(text);
    this.lowFirst = LOW_FIRST.test(text);
    this.highLast = HIGH_LAST.test(text.slice(-1));
  }
}

/**
 * Counts a page's copies against the texts that they name, all of one event after the other.
 *
 * A text that no more than MOST_COPIES markers name cannot be told more often than that, whatever
 * it says.  So texts are looked at only when one is named once more.
 */
export class CopyCount {
  /** @type {Map<PageRecord, number>} */
  #naming = new Map();
  #most = 0;
  /** @type {Marker[]} */
  #uncounted = [];
  /** @type {Map<PageRecord, TextSize>} */
  #sizes = new Map();
  #room = 0;

  /** @param {Marker} copy with its sources */
  add(copy) {
    this.#uncounted.push(copy);
    for (const source of copy.sources) {
      const naming = (this.#naming.get(source) ?? 0) + 1;
      this.#naming.set(source, naming);
      this.#most = Math.max(this.#most, naming);
    }
  }

  /** Whether the copies so far are too many. */
  isExceeded() {
    if (this.#most > MOST_COPIES) {
      this.#uncounted.forEach((copy) => this.#count(copy.sources));
      this.#uncounted = [];
    }
    return this.#room < 0;
  }

  /** @param {readonly PageRecord[]} sources */
  #count(sources) {
    let highLast = false;
    for (const source of sources) {
      let text = this.#sizes.get(source);
      if (text === undefined) {
        text = new TextSize(textOf(source));
        this.#sizes.set(source, text);
        this.#room += MOST_COPIES * text.size;
      }
      if (text.size > 0) {
        this.#room -= text.size - (highLast && text.lowFirst ? HALVES_LESS_CHARACTER : 0);
        highLast = text.highLast;
      }
    }
  }
}

/**
 * The bytes of the integers from `first` to `last` with commas between, without writing them.
 *
 * @param {number} first
 * @param {number} last
 * @returns {number}
 */
export function rangeBytes(first, last) {
  let bytes = last - first;
  for (let start = first; start <= last; ) {
    const digits = String(start).length;
    const stop = Math.min(last, 10 ** digits - 1);
    bytes += digits * (stop - start + 1);
    start = stop + 1;
  }
  return bytes;
}
