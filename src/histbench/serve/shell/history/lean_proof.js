/**
 * The lean events of a page proved, as in `histbench.history.lean_proof`: every marker is one, has
 * its sources, and all are not too many.
 *
 * Nothing is expanded here: what a proved event stands for is `LeanEvent`'s to tell.
 */

import { InvalidPage, LimitExceeded } from "./errors.js";
import { CopyCount, MOST_COPIES, RANGE_BYTES, rangeBytes } from "./lean_budget.js";
import { LeanEvent } from "./lean_event.js";
import { findMarkers } from "./lean_markers.js";
import { Plain, deltaOfPlain, eventOfValue } from "./records.js";

/** @typedef {import("./lean_markers.js").Marker} Marker */
/** @typedef {import("./records.js").PageRecord} PageRecord */

/**
 * The event of a lean record, its markers found and not proved yet.
 *
 * @param {unknown} value
 * @param {unknown} view
 * @returns {LeanEvent}
 * @throws {InvalidEvent | InvalidJson} as `eventOfValue`; a marker is no type, seq or time
 */
export function leanOfValue(value, view) {
  /** @type {Marker[] | null} */
  let markers = null;
  const plain = eventOfValue(value, view, (event) => {
    markers = findMarkers(event);
  });
  return new LeanEvent(plain.event, plain.view, markers);
}

/**
 * Prove the lean events of a page, each from the records before it.
 *
 * An event is refused for its markers before it is for their sources, and for these before it is
 * for what it expands to, in whatever order its markers stand.
 *
 * @param {readonly PageRecord[]} records all of the page
 * @throws {InvalidPage} `lean_marker`, `lean_source`
 * @throws {LimitExceeded} `lean_expands`
 */
export function proveEvents(records) {
  /** @type {Map<number, PageRecord>} */
  const sources = new Map();
  const count = new CopyCount();
  let rangeRoom = 0;
  for (const record of records) {
    rangeRoom += RANGE_BYTES * record.count;
  }
  for (const record of records) {
    if (!(record instanceof LeanEvent)) {
      sources.set(record.seq, record);
      continue;
    }
    rangeRoom -= proveEvent(record, sources, count);
    if (rangeRoom < 0) {
      throw expands(record, `ranges of ${RANGE_BYTES} bytes for each event of the page`);
    }
    if (count.isExceeded()) {
      throw expands(record, `copies of ${MOST_COPIES} times the texts that they name`);
    }
  }
}

/**
 * Find the sources of an event's markers; the bytes that its ranges stand for.
 *
 * @param {LeanEvent} record
 * @param {ReadonlyMap<number, PageRecord>} sources records by their first seqs
 * @param {CopyCount} count
 * @returns {number}
 */
function proveEvent(record, sources, count) {
  const { markers } = record;
  if (markers === null || markers.length === 0) {
    throw new InvalidPage("not a lean event", {
      code: "lean_marker",
      seq: record.seq,
      expected: "markers, and no other empty keys",
    });
  }
  let bytes = 0;
  for (const marker of markers) {
    if (marker.seqs === null) {
      bytes += rangeBytes(marker.first, marker.last);
    } else {
      for (const seq of marker.seqs) {
        marker.sources.push(sourceOf(seq, sources, record));
      }
      count.add(marker);
    }
  }
  return bytes;
}

/**
 * @param {number} seq
 * @param {ReadonlyMap<number, PageRecord>} sources
 * @param {LeanEvent} record
 * @returns {PageRecord}
 */
function sourceOf(seq, sources, record) {
  const source = sources.get(seq);
  if (source === undefined || (source instanceof Plain && deltaOfPlain(source) === null)) {
    throw new InvalidPage("a marker names no text", {
      code: "lean_source",
      seq: record.seq,
      found: seq,
      expected: "the first seq of a row or delta before the event",
    });
  }
  if (!(source instanceof Plain)) {
    source.keepText();
  }
  return source;
}

/**
 * @param {LeanEvent} record
 * @param {string} expected
 * @returns {LimitExceeded}
 */
function expands({ seq }, expected) {
  return new LimitExceeded("the page expands too far", {
    code: "lean_expands",
    seq,
    expected: `at most ${expected}`,
  });
}
