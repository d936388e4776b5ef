/**
 * The `joined` row, as in `histbench.history.joined`: texts and gaps as one string each.
 *
 *     joined row = {type, seq0, time0, data}              type: text-joined, reasoning-joined,
 *     data       = {turn, step, index, dt, [id], [name], text}  tool-call-joined
 *     text       = the members' texts with U+007F between neighbours
 *     dt         = the gaps between their times, as one string (`gap_maps.js`)
 */

import { InvalidPage, InvalidRow } from "./errors.js";
import { KIND_BY_JOINED_TAG, MAX_SAFE_INTEGER, isNumber, isSafeInteger } from "./events.js";
import { checkGaps, readGaps, timeBehind } from "./gap_maps.js";
import { checkHeld, countKeys, isObject } from "./jsontext.js";
import { RowHead } from "./rows.js";

const SEPARATOR = "\x7f";
const SEPARATOR_CODE = 0x7f;
const VISIBLE = /[^\s\x7f]/;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A row whose columns are the two strings. */
export class JoinedRow extends RowHead {
  /** @param {import("./rows.js").Head & {gaps: string, joined: string}} row */
  constructor(row) {
    super(row);
    this.gaps = row.gaps;
    this.joined = row.joined;
  }

  gapList() {
    return readGaps(this.gaps, this.count - 1);
  }

  /**
   * One member's time, from no more of the text than the gaps before it can take.
   *
   * @param {number} member
   * @returns {number}
   */
  timeOf(member) {
    return timeBehind(this.gaps, this.time0, member);
  }

  textList() {
    return this.joined.split(SEPARATOR);
  }

  joinTexts() {
    if (!this.joined.isWellFormed()) {
      return this.joined.replaceAll(SEPARATOR, "");
    }
    // In UTF-8 the separator's byte stands for nothing else, and bytes are moved several times as
    // fast as a text is cut and joined.
    const bytes = encoder.encode(this.joined);
    let kept = 0;
    for (let k = 0; k < bytes.length; k += 1) {
      bytes[kept] = bytes[k];
      kept += Number(bytes[k] !== SEPARATOR_CODE);
    }
    return decoder.decode(bytes.subarray(0, kept));
  }

  firstToken() {
    if (this.name !== null) {
      return 0;
    }
    let member = 0;
    while (this.joined.charCodeAt(member) === SEPARATOR_CODE) {
      member += 1;
    }
    return member === this.joined.length ? null : member;
  }

  firstVisible() {
    const found = this.kind.isCall ? -1 : this.joined.search(VISIBLE);
    return found < 0 ? null : countSeparators(this.joined, found);
  }
}

/**
 * @param {string} text
 * @param {number} stop
 * @returns {number} how many separators stand before `stop`
 */
function countSeparators(text, stop) {
  let count = 0;
  for (let k = 0; k < stop; k += 1) {
    if (text.charCodeAt(k) === SEPARATOR_CODE) {
      count += 1;
    }
  }
  return count;
}

/**
 * @typedef {object} StoredJoined
 * @property {string} type
 * @property {number} seq0
 * @property {number} time0
 * @property {StoredData} data
 */

/**
 * @typedef {object} StoredData
 * @property {number} turn
 * @property {number} step
 * @property {number} index
 * @property {string} dt
 * @property {string} text
 * @property {string} [id]
 * @property {string} [name]
 */

/**
 * Whether a value has the shape of a joined row; what types cannot say is `joinedOfValue`'s.
 *
 * @param {unknown} value
 * @returns {value is StoredJoined}
 */
function isStoredJoined(value) {
  if (!isObject(value) || countKeys(value) !== 4 || !isObject(value.data)) {
    return false;
  }
  const data = value.data;
  const calls = Number(data.id !== undefined) + Number(data.name !== undefined);
  return (
    typeof value.type === "string" &&
    Number.isInteger(value.seq0) &&
    Number.isInteger(value.time0) &&
    countKeys(data) === 5 + calls &&
    isNumber(data.turn) &&
    isNumber(data.step) &&
    isNumber(data.index) &&
    typeof data.dt === "string" &&
    typeof data.text === "string" &&
    (data.id === undefined || typeof data.id === "string") &&
    (data.name === undefined || typeof data.name === "string")
  );
}

/**
 * The row of a parsed wire record.
 *
 * @param {unknown} value
 * @returns {JoinedRow}
 * @throws {InvalidPage} `page_record`, no joined row by its shape
 * @throws {InvalidRow} the code that the packed row's same rule has
 */
export function joinedOfValue(value) {
  if (!isStoredJoined(value)) {
    checkHeld(value);
    throw new InvalidPage("not a joined row", { code: "page_record", found: value });
  }
  const { type, seq0, time0, data } = value;
  /** @type {(rule: string, reason: string, found: unknown, expected: string) => InvalidRow} */
  const refuse = (rule, reason, found, expected) =>
    new InvalidRow(`malformed joined row: ${reason}`, {
      code: `row_${rule}`,
      seq: seq0 >= 0 ? seq0 : null,
      found,
      expected,
    });

  const kind = KIND_BY_JOINED_TAG.get(type);
  if (kind === undefined) {
    throw refuse("tag", "unknown tag", type, [...KIND_BY_JOINED_TAG.keys()].join(", "));
  }
  if (!isSafeInteger(seq0) || seq0 < 0) {
    throw refuse("seq0", "bad seq0", seq0, "a non-negative safe integer");
  }
  if (!isSafeInteger(time0)) {
    throw refuse("time0", "bad time0", time0, "a safe integer");
  }
  if ((data.id !== undefined) !== kind.isCall || (data.name !== undefined && !kind.isCall)) {
    throw refuse("data_keys", "wrong keys in data", type, "id only on tool calls");
  }
  const count = countSeparators(data.text, data.text.length) + 1;
  if (count - 1 > MAX_SAFE_INTEGER - seq0) {
    throw refuse("seq_range", "member seqs leave the safe integers", count, "safe integers");
  }
  checkGaps(data.dt, time0, count - 1, refuse);
  return new JoinedRow({
    kind,
    seq0,
    time0,
    turn: data.turn,
    step: data.step,
    index: data.index,
    callId: data.id ?? null,
    name: data.name ?? null,
    count,
    gaps: data.dt,
    joined: data.text,
  });
}
