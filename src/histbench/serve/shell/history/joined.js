/**
 * The `joined` row, as in `histbench.history.joined`: texts and gaps as one string each.
 *
 *     joined row = {type, seq0, time0, data}              type: text-joined, reasoning-joined,
 *     data       = {turn, step, index, dt, [id], [name], text}  tool-call-joined
 *     text       = the members' texts with U+007F between neighbours
 *     dt         = one sign for every gap: 0-9 a-z A-Z for 0 to 61, otherwise (n), n in decimal
 */

import { InvalidPage, InvalidRow } from "./errors.js";
import { KIND_BY_JOINED_TAG, MAX_SAFE_INTEGER, isNumber, isSafeInteger } from "./events.js";
import { checkHeld, countKeys, isObject } from "./jsontext.js";
import { RowHead } from "./rows.js";

const SEPARATOR = "\x7f";
const SEPARATOR_CODE = 0x7f;
const SIGNS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const VALUE_OF_SIGN = new Map([...SIGNS].map((sign, value) => [sign, value]));
const ONLY_SIGNS = /^[0-9a-zA-Z]*$/;
const LONG_GAP = /\((-?[1-9][0-9]{0,16})\)/;
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
    return readGaps(this.gaps).gaps;
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
 * The gaps that a column spells.  `stray` tells whether anything in it is no gap, `longs` which of
 * them are spelled in decimal.
 *
 * @param {string} column
 * @returns {{gaps: number[], longs: number[], stray: boolean}}
 */
function readGaps(column) {
  /** @type {number[]} */
  const gaps = [];
  /** @type {number[]} */
  const longs = [];
  let stray = false;
  column.split(LONG_GAP).forEach((part, number) => {
    if (number % 2 === 1) {
      longs.push(Number(part));
      gaps.push(Number(part));
      return;
    }
    for (const sign of part) {
      const gap = VALUE_OF_SIGN.get(sign);
      stray ||= gap === undefined;
      gaps.push(gap ?? 0);
    }
  });
  return { gaps, longs, stray };
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
  const furthest = Math.abs(time0) + count * SIGNS.length;
  const plain = furthest <= MAX_SAFE_INTEGER && ONLY_SIGNS.test(data.dt);
  const gaps = plain ? data.dt.length : checkGaps(data.dt, time0, refuse);
  if (gaps !== count - 1) {
    throw refuse("dt_length", "dt does not fit", gaps, `${count - 1} gaps`);
  }
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

/**
 * The number of gaps in a column with long ones, or with times near the last safe one.
 *
 * @param {string} column
 * @param {number} time0
 * @param {(rule: string, reason: string, found: unknown, expected: string) => InvalidRow} refuse
 * @returns {number}
 */
function checkGaps(column, time0, refuse) {
  const { gaps, longs, stray } = readGaps(column);
  if (stray) {
    throw refuse("dt", "bad dt", column, "signs 0-9 a-z A-Z and (n)");
  }
  if (longs.some((gap) => gap >= 0 && gap < SIGNS.length)) {
    throw refuse("dt", "a short gap spelled long", column, "one sign for 0 to 61");
  }
  // Safe times can lie further apart than a packed row may say.
  if (!longs.every(isSafeInteger)) {
    throw refuse("dt", "bad dt", column, "safe integers");
  }
  let time = time0;
  for (const gap of gaps) {
    time += gap;
    if (!isSafeInteger(time)) {
      throw refuse("time_range", "member times leave the safe integers", time, "safe integers");
    }
  }
  return gaps.length;
}
