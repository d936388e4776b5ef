/**
 * The row grammar and the packable delta, as in `histbench.codec`.
 *
 * One difference is JavaScript's: a turn, step or index past 2^53 has been rounded before anybody
 * could look, so a delta with one is packable here, whatever its digits were.
 */

import { InvalidRow } from "./errors.js";
import { CHUNK_TYPE, KIND_BY_DELTA, MAX_SAFE_INTEGER, isNumber, isSafeInteger } from "./events.js";
import { checkHeld, countKeys, isObject } from "./jsontext.js";
import { PackedRow } from "./rows.js";

/** @typedef {import("./events.js").DeltaKind} DeltaKind */
/** @typedef {import("./jsontext.js").JsonObject} JsonObject */

/** Shorter runs cost more as a row than as events. */
export const MIN_RUN = 3;

/**
 * A packable delta's own event, typed.
 *
 * @typedef {object} DeltaEvent
 * @property {string} type
 * @property {number} seq
 * @property {number} time
 * @property {{turn: number, step: number, chunk: DeltaChunk}} data
 */

/**
 * @typedef {object} DeltaChunk
 * @property {string} type
 * @property {number} index
 * @property {string} [id]
 * @property {string} [name]
 * @property {string} [text]
 * @property {string} [argumentsDelta]
 */

const ENVELOPE_KEYS = ["type", "seq0", "time0", "data"];

/**
 * The kind of a packable delta; null for every other value.
 *
 * @param {unknown} event
 * @returns {DeltaKind | null}
 */
export function deltaKind(event) {
  if (!isObject(event) || event.type !== CHUNK_TYPE || countKeys(event) !== 4) {
    return null;
  }
  const data = event.data;
  if (!isObject(data) || countKeys(data) !== 3 || !isObject(data.chunk)) {
    return null;
  }
  const chunk = data.chunk;
  const kind = KIND_BY_DELTA.get(chunk.type);
  if (
    kind === undefined ||
    !isSafeInteger(event.seq) ||
    event.seq < 0 ||
    !isSafeInteger(event.time) ||
    !isNumber(data.turn) ||
    !isNumber(data.step) ||
    !isNumber(chunk.index) ||
    typeof chunk[kind.textKey] !== "string"
  ) {
    return null;
  }
  if (!kind.isCall) {
    return countKeys(chunk) === 3 ? kind : null;
  }
  const named = chunk.name !== undefined;
  const fits = countKeys(chunk) === (named ? 5 : 4) && typeof chunk.id === "string";
  return fits && (!named || typeof chunk.name === "string") ? kind : null;
}

/**
 * A packable delta as a row of one member; null for every other value.
 *
 * @param {unknown} event
 * @returns {PackedRow | null}
 */
export function splitDelta(event) {
  const kind = deltaKind(event);
  if (kind === null) {
    return null;
  }
  const { seq, time, data } = /** @type {DeltaEvent} */ (event);
  return new PackedRow({
    kind,
    seq0: seq,
    time0: time,
    turn: data.turn,
    step: data.step,
    index: data.chunk.index,
    callId: data.chunk.id ?? null,
    name: data.chunk.name ?? null,
    count: 1,
    gaps: [],
    texts: [/** @type {string} */ (data.chunk[kind.textKey])],
  });
}

/**
 * The row that a value with `kind`'s tag holds.
 *
 * @param {JsonObject} value
 * @param {DeltaKind} kind
 * @returns {PackedRow}
 * @throws {InvalidRow} with the code of the first of the twelve rules that it breaks
 */
export function checkRow(value, kind) {
  const { seq0, time0, data } = value;
  /** @type {(rule: string, reason: string, found: unknown, expected: string) => InvalidRow} */
  const refuse = (rule, reason, found, expected) => {
    checkHeld(value);
    return new InvalidRow(`malformed ${kind.tag} row: ${reason}`, {
      code: `row_${rule}`,
      seq: isSafeInteger(seq0) && seq0 >= 0 ? seq0 : null,
      found,
      expected,
    });
  };

  if (countKeys(value) !== 4 || !ENVELOPE_KEYS.every((key) => Object.hasOwn(value, key))) {
    throw refuse("envelope", "wrong envelope", value, "type, seq0, time0, data");
  }
  if (!isSafeInteger(seq0) || seq0 < 0) {
    throw refuse("seq0", "bad seq0", seq0, "a non-negative safe integer");
  }
  if (!isSafeInteger(time0)) {
    throw refuse("time0", "bad time0", time0, "a safe integer");
  }
  if (typeof data !== "object" || data === null) {
    throw refuse("data", "bad data", data, "an object");
  }
  const columns = /** @type {JsonObject} */ (data);
  const expected = ["turn", "step", "index", "dt", ...(kind.isCall ? ["id"] : []), kind.textsKey];
  const named = kind.isCall && Object.hasOwn(columns, "name");
  if (
    countKeys(columns) !== expected.length + Number(named) ||
    !expected.every((key) => Object.hasOwn(columns, key))
  ) {
    throw refuse("data_keys", "wrong keys in data", data, expected.join(", "));
  }
  const { turn, step, index, id, name, dt } = columns;
  if (kind.isCall && !(typeof id === "string" && (!named || typeof name === "string"))) {
    throw refuse("call_strings", "bad id or name", id, "strings");
  }
  if (!isNumber(turn) || !isNumber(step) || !isNumber(index)) {
    throw refuse("numbers", "bad turn, step or index", [turn, step, index], "numbers");
  }
  const texts = columns[kind.textsKey];
  if (!isStrings(texts)) {
    throw refuse("texts", `bad ${kind.textsKey}`, texts, "a non-empty array of strings");
  }
  if (!areSafeIntegers(dt)) {
    throw refuse("dt", "bad dt", dt, "an array of safe integers");
  }
  if (dt.length !== texts.length - 1) {
    throw refuse("dt_length", "dt does not fit", dt.length, `${texts.length - 1} gaps`);
  }
  if (texts.length - 1 > MAX_SAFE_INTEGER - seq0) {
    throw refuse("seq_range", "member seqs leave the safe integers", seq0, "safe integers");
  }
  let time = time0;
  for (const gap of dt) {
    time += gap;
    if (!isSafeInteger(time)) {
      throw refuse("time_range", "member times leave the safe integers", time, "safe integers");
    }
  }
  return new PackedRow({
    kind,
    seq0,
    time0,
    turn,
    step,
    index,
    callId: kind.isCall ? /** @type {string} */ (id) : null,
    name: named ? /** @type {string} */ (name) : null,
    count: texts.length,
    gaps: dt,
    texts,
  });
}

/**
 * @param {unknown} value
 * @returns {value is string[]}
 */
function isStrings(value) {
  if (!Array.isArray(value) || value.length === 0) {
    return false;
  }
  for (const member of value) {
    if (typeof member !== "string") {
      return false;
    }
  }
  return true;
}

/**
 * @param {unknown} value
 * @returns {value is number[]}
 */
function areSafeIntegers(value) {
  if (!Array.isArray(value)) {
    return false;
  }
  for (const member of value) {
    if (!Number.isSafeInteger(member)) {
      return false;
    }
  }
  return true;
}
