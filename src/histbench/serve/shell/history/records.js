/**
 * Storage records: a row, or an ordinary event, as in `histbench.records`.
 */

import { InvalidEvent } from "./errors.js";
import { KIND_BY_TAG, CHUNK_TYPE, isNumber, isSafeInteger } from "./events.js";
import { checkRow, splitDelta } from "./codec.js";
import { checkHeld, isObject } from "./jsontext.js";
import { RowHead } from "./rows.js";

/** @typedef {import("./events.js").Event} Event */
/** @typedef {import("./jsontext.js").JsonObject} JsonObject */
/** @typedef {Plain | RowHead} PageRecord */

/** An ordinary event: the object that was read, and what a host adds for showing it. */
export class Plain {
  /**
   * @param {Event} event
   * @param {unknown} [view] undefined where there is none
   */
  constructor(event, view) {
    /** @protected */
    this.read = event;
    this.view = view;
  }

  /** The event, with everything that belongs to it. */
  get event() {
    return this.read;
  }

  /**
   * The event as far as folds look at it.  In one of a lean page, ranges of seqs stay ranges.
   *
   * @returns {Event}
   */
  tell() {
    return this.read;
  }

  get type() {
    return this.read.type;
  }

  get seq() {
    return this.read.seq;
  }

  get time() {
    return this.read.time;
  }

  /** An ordinary record holds one event. */
  get count() {
    return 1;
  }

  /** One past the event's seq. */
  get endSeq() {
    return this.read.seq + 1;
  }
}

/**
 * The record that a stored JSON value holds; a row for a value with a row's tag.
 *
 * @param {unknown} value
 * @param {(event: JsonObject) => void} [check] looks at all that an event holds
 * @returns {PageRecord}
 * @throws {InvalidRow} the value has a row's tag and breaks the grammar
 * @throws {InvalidEvent} `event_shape`, `event_type`, `event_seq`, `event_time`
 * @throws {InvalidJson} `number_out_of_range`
 */
export function readValue(value, check = checkHeld) {
  if (!isObject(value)) {
    checkHeld(value);
    throw new InvalidEvent("not an event", {
      code: "event_shape",
      found: value,
      expected: "an object",
    });
  }
  const { type, seq, time } = value;
  const kind = KIND_BY_TAG.get(type);
  if (kind !== undefined) {
    return checkRow(value, kind);
  }
  check(value);
  if (typeof type !== "string") {
    throw new InvalidEvent("bad event type", {
      code: "event_type",
      found: type,
      expected: "a string",
    });
  }
  if (!isSafeInteger(seq) || seq < 0) {
    const expected = "a non-negative safe integer";
    throw new InvalidEvent("bad event seq", { code: "event_seq", found: seq, expected });
  }
  if (!isNumber(time)) {
    throw new InvalidEvent("bad event time", {
      code: "event_time",
      seq,
      found: time,
      expected: "a number",
    });
  }
  return new Plain(/** @type {Event} */ (value));
}

/**
 * The ordinary record of one event, which may be a delta but no row.
 *
 * @param {unknown} value
 * @param {unknown} [view]
 * @param {(event: JsonObject) => void} [check] looks at all that the event holds
 * @returns {Plain}
 * @throws {InvalidEvent} also for a row (`event_type`)
 */
export function eventOfValue(value, view, check = checkHeld) {
  const record = readValue(value, check);
  if (record instanceof RowHead) {
    throw new InvalidEvent("a packed row is no event", {
      code: "event_type",
      seq: record.seq0,
      found: record.kind.tag,
    });
  }
  if (view !== undefined) {
    checkHeld(view);
    record.view = view;
  }
  return record;
}

/**
 * The packable delta that an ordinary record holds, as a row of one member; null when it is none.
 *
 * @param {Plain} record
 * @returns {import("./rows.js").PackedRow | null}
 */
export function deltaOfPlain(record) {
  return record.type === CHUNK_TYPE ? splitDelta(record.tell()) : null;
}

/**
 * The logical events of a record; an ordinary one is the object that the record holds.
 *
 * @param {PageRecord} record
 * @returns {Event[]}
 */
export function recordEvents(record) {
  return record instanceof Plain ? [record.event] : record.events();
}
