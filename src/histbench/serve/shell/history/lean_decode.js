/**
 * Events of a lean page, as in `histbench.history.lean_decode`: their markers checked, and replaced
 * by what they stand for.
 *
 * What a page may expand to is bounded by what it holds: copies by MOST_COPIES times the texts that
 * they name, ranges by RANGE_BYTES for each event, and no marker names a text that has markers.
 */

import { InvalidPage, LimitExceeded } from "./errors.js";
import { isSafeInteger } from "./events.js";
import { contentBytes } from "./jsontext.js";
import { findMarkers } from "./lean_markers.js";
import { Plain, deltaOfPlain } from "./records.js";

/** @typedef {import("./lean_markers.js").Marker} Marker */
/** @typedef {import("./records.js").PageRecord} PageRecord */
/** @typedef {import("./rows.js").RowHead} RowHead */

const RANGE_BYTES = 16;
const MOST_COPIES = 8;

/** An event as its page holds it, with markers. */
export class LeanEvent extends Plain {}

/**
 * The records of a page, with each LeanEvent as the event that it stands for.
 *
 * @param {readonly PageRecord[]} records
 * @returns {PageRecord[]}
 * @throws {InvalidPage} `lean_marker`, `lean_source`
 * @throws {LimitExceeded} `lean_expands`
 */
export function expandEvents(records) {
  const expansion = new Expansion(records.reduce((sum, record) => sum + record.count, 0));
  return records.map((record) => {
    if (record instanceof LeanEvent) {
      return expansion.expand(record);
    }
    expansion.sources.set(record.seq, record);
    return record;
  });
}

/** A text, and its bytes as a JSON string's content. */
class Copy {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.bytes = contentBytes(text);
  }
}

/** Expands the lean events of a page in order, from the records before them. */
class Expansion {
  /** @param {number} events how many the page covers */
  constructor(events) {
    /** @type {Map<number, PageRecord>} */
    this.sources = new Map();
    this.rangeRoom = RANGE_BYTES * events;
    // What copies may still stand for, and the texts that gave them room.
    this.copyRoom = 0;
    /** @type {Set<number>} */
    this.named = new Set();
    // A copy is told two or three times: spelling -> text.
    /** @type {Map<string, Copy>} */
    this.copies = new Map();
  }

  /**
   * @param {LeanEvent} record
   * @returns {Plain}
   */
  expand(record) {
    const markers = findMarkers(record.event);
    if (markers === null || markers.length === 0) {
      throw noMarker(record, record.event, "markers, and no other empty keys");
    }
    /** @type {Map<unknown[], Map<number, Marker>>} */
    const ranges = new Map();
    for (const marker of markers) {
      if (marker.seqs !== null) {
        const holder = /** @type {Record<string | number, unknown>} */ (marker.holder);
        holder[marker.key] = this.copy(marker.spelling, marker.seqs, record);
      } else {
        this.checkRange(marker, record);
        const holder = /** @type {unknown[]} */ (marker.holder);
        const inHolder = ranges.get(holder) ?? new Map();
        ranges.set(holder, inHolder.set(/** @type {number} */ (marker.key), marker));
      }
    }
    // Elements move when a range is written out, so an array's ranges are written at once.
    for (const [holder, inHolder] of ranges) {
      writeRanges(holder, inHolder);
    }
    return new Plain(record.event, record.view);
  }

  /**
   * @param {Marker} marker
   * @param {LeanEvent} record
   */
  checkRange({ first, last, spelling }, record) {
    if (!(first < last && isSafeInteger(last))) {
      throw noMarker(record, spelling, "a range of two or more safe integers");
    }
    this.rangeRoom -= rangeBytes(first, last);
    if (this.rangeRoom < 0) {
      throw new LimitExceeded("the ranges of the page expand too far", {
        code: "lean_expands",
        seq: record.seq,
        found: spelling,
        expected: `at most ${RANGE_BYTES} bytes for each event of the page`,
      });
    }
  }

  /**
   * The string that a copy stands for.
   *
   * @param {string} spelling
   * @param {number[]} seqs
   * @param {LeanEvent} record
   * @returns {string}
   */
  copy(spelling, seqs, record) {
    let copy = this.copies.get(spelling);
    if (copy === undefined) {
      const texts = seqs.map((seq) => this.source(seq, record).text());
      copy = new Copy(texts.join(""));
      this.copies.set(spelling, copy);
      let fresh = 0;
      seqs.forEach((seq, number) => {
        if (!this.named.has(seq)) {
          this.named.add(seq);
          fresh += contentBytes(texts[number]);
        }
      });
      this.copyRoom += MOST_COPIES * fresh;
    }
    this.copyRoom -= copy.bytes;
    if (this.copyRoom < 0) {
      throw new LimitExceeded("the page tells its texts too often", {
        code: "lean_expands",
        seq: record.seq,
        found: spelling,
        expected: `at most ${MOST_COPIES} times on average`,
      });
    }
    return copy.text;
  }

  /**
   * @param {number} seq
   * @param {LeanEvent} record
   * @returns {RowHead}
   */
  source(seq, record) {
    const source = this.sources.get(seq);
    const row = source instanceof Plain ? deltaOfPlain(source) : source;
    if (row === undefined || row === null) {
      throw new InvalidPage("a marker names no text", {
        code: "lean_source",
        seq: record.seq,
        found: seq,
        expected: "the first seq of a row or delta before the event",
      });
    }
    return row;
  }
}

/**
 * The bytes of the integers from `first` to `last` with commas between, without writing them.
 *
 * @param {number} first
 * @param {number} last
 * @returns {number}
 */
function rangeBytes(first, last) {
  let bytes = last - first;
  for (let start = first; start <= last; ) {
    const digits = String(start).length;
    const stop = Math.min(last, 10 ** digits - 1);
    bytes += digits * (stop - start + 1);
    start = stop + 1;
  }
  return bytes;
}

/**
 * Write ranges out in the array that holds them.
 *
 * @param {unknown[]} holder
 * @param {Map<number, Marker>} ranges by place
 */
function writeRanges(holder, ranges) {
  const marked = holder.splice(0);
  marked.forEach((member, place) => {
    const range = ranges.get(place);
    if (range === undefined) {
      holder.push(member);
      return;
    }
    for (let integer = range.first; integer <= range.last; integer += 1) {
      holder.push(integer);
    }
  });
}

/**
 * @param {LeanEvent} record
 * @param {unknown} found
 * @param {string} expected
 * @returns {InvalidPage}
 */
function noMarker(record, found, expected) {
  return new InvalidPage("not a lean event", {
    code: "lean_marker",
    seq: record.seq,
    found,
    expected,
  });
}
