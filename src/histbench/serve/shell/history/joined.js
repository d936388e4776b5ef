/**
 * The `joined` row, as in `histbench.history.joined`: texts and gaps as one string each.
 *
 *     joined row = {type, seq0, time0, data}              type: text-joined, reasoning-joined,
 *     data       = {turn, step, index, dt, [id], [name], text}  tool-call-joined
 *     text       = the members' texts with U+007F between neighbours
 *     dt         = one sign for every gap: 0-9 a-z A-Z for 0 to 61, otherwise (n), n in decimal;
 *                  one of RUN_SIGNS for a run of 2 to 28 zeros
 */

import { InvalidPage, InvalidRow } from "./errors.js";
import { KIND_BY_JOINED_TAG, MAX_SAFE_INTEGER, isNumber, isSafeInteger } from "./events.js";
import { checkHeld, countKeys, isObject } from "./jsontext.js";
import { RowHead } from "./rows.js";

const SEPARATOR = "\x7f";
const SEPARATOR_CODE = 0x7f;
const SIGNS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const RUN_SIGNS = "#$%&'*+,-./:;<=>?@[]^_`{|}~";
const ONLY_SHORT = /^[0-9a-zA-Z]*$/;
const LONG_GAP = /\((-?[1-9][0-9]{0,16})\)/;
const LONGEST = "(-9007199254740991)".length;
const VISIBLE = /[^\s\x7f]/;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

// By the sign's code: the gap that it spells, and how many of them; none for what is no sign.
const GAP_OF_SIGN = new Uint8Array(128);
const GAPS_OF_SIGN = new Uint8Array(128);
for (let value = 0; value < SIGNS.length; value += 1) {
  GAP_OF_SIGN[SIGNS.charCodeAt(value)] = value;
  GAPS_OF_SIGN[SIGNS.charCodeAt(value)] = 1;
}
for (let k = 0; k < RUN_SIGNS.length; k += 1) {
  GAPS_OF_SIGN[RUN_SIGNS.charCodeAt(k)] = k + 2;
}

/** A row whose columns are the two strings. */
export class JoinedRow extends RowHead {
  /** @param {import("./rows.js").Head & {gaps: string, joined: string}} row */
  constructor(row) {
    super(row);
    this.gaps = row.gaps;
    this.joined = row.joined;
  }

  gapList() {
    return readGaps(this.gaps);
  }

  /**
   * One member's time, from no more signs than the gaps before it can take.
   *
   * @param {number} member
   * @returns {number}
   */
  timeOf(member) {
    // What may be left of a number that is cut stands behind those gaps.
    const gaps = readGaps(this.gaps.slice(0, member * LONGEST)).slice(0, member);
    return gaps.reduce((time, gap) => time + gap, this.time0);
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
 * The gaps that a column spells, once it is proved.
 *
 * @param {string} column
 * @returns {number[]}
 */
function readGaps(column) {
  /** @type {number[]} */
  const gaps = [];
  column.split(LONG_GAP).forEach((part, number) => {
    if (number % 2 === 1) {
      gaps.push(Number(part));
      return;
    }
    for (let k = 0; k < part.length; k += 1) {
      const code = part.charCodeAt(k);
      for (let more = GAPS_OF_SIGN[code]; more > 0; more -= 1) {
        gaps.push(GAP_OF_SIGN[code]);
      }
    }
  });
  return gaps;
}

/**
 * @param {string} signs
 * @returns {number | null} how many gaps are told without a long one among them; null when
 *     something else is told
 */
function countSigns(signs) {
  if (ONLY_SHORT.test(signs)) {
    return signs.length;
  }
  let count = 0;
  for (let k = 0; k < signs.length; k += 1) {
    const code = signs.charCodeAt(k);
    const gaps = code < 128 ? GAPS_OF_SIGN[code] : 0;
    if (gaps === 0) {
      return null;
    }
    count += gaps;
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

/**
 * Prove a column of gaps; no run of zeros is expanded before their number is known to be right.
 *
 * @param {string} column
 * @param {number} time0
 * @param {number} expected how many gaps there are
 * @param {(rule: string, reason: string, found: unknown, expected: string) => InvalidRow} refuse
 */
function checkGaps(column, time0, expected, refuse) {
  const parts = column.includes("(") ? column.split(LONG_GAP) : [column];
  const longs = parts.filter((_, number) => number % 2 === 1).map(Number);
  const signs = longs.length === 0 ? column : parts.filter((_, number) => number % 2 === 0).join("");
  const short = countSigns(signs);
  if (short === null) {
    throw refuse("dt", "bad dt", column, "signs 0-9 a-z A-Z, of runs of zeros, and (n)");
  }
  if (longs.some((gap) => gap >= 0 && gap < SIGNS.length)) {
    throw refuse("dt", "a short gap spelled long", column, "one sign for 0 to 61");
  }
  // Safe times can lie further apart than a packed row may say.
  if (!longs.every(isSafeInteger)) {
    throw refuse("dt", "bad dt", column, "safe integers");
  }
  const count = short + longs.length;
  if (count !== expected) {
    throw refuse("dt_length", "dt does not fit", count, `${expected} gaps`);
  }
  const far = longs.reduce((sum, gap) => sum + Math.abs(gap), count * SIGNS.length);
  if (Math.abs(time0) + far <= MAX_SAFE_INTEGER) {
    return;
  }
  let time = time0;
  for (const gap of readGaps(column)) {
    time += gap;
    if (!isSafeInteger(time)) {
      throw refuse("time_range", "member times leave the safe integers", time, "safe integers");
    }
  }
}
