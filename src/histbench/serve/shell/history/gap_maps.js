/**
 * The gaps of a row as one string, as in `histbench.history.gap_maps`.
 *
 *     dt     = signs                        every gap, each with its sign (`signs.js`)
 *            | zeros "." ones "." waits     where that is shorter
 *     zeros  = a bit for every gap, 0 where it is 0
 *     ones   = a bit for every other gap, 0 where it is 1
 *     waits  = the signs of the gaps that are neither
 *
 * Bits are told six a character, by base64url's alphabet and without padding; the first gap's is
 * the highest of the first character, and the last character is filled up with zeros.
 */

import { MAX_SAFE_INTEGER, isSafeInteger } from "./events.js";
import { HIGHEST_SIGN, LONGEST_SPELLING, onlySigns, readSigns, splitSigns } from "./signs.js";

const MAP_END = ".";
const BITS = 6;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const NO_DIGIT = 64;

// By a character's code: its six bits; and by six bits, how many of them are set.
const DIGIT_OF = new Uint8Array(128).fill(NO_DIGIT);
const BIT_COUNT = new Uint8Array(64);
for (let digit = 0; digit < ALPHABET.length; digit += 1) {
  DIGIT_OF[ALPHABET.charCodeAt(digit)] = digit;
  BIT_COUNT[digit] = BIT_COUNT[digit >> 1] + (digit & 1);
}

/**
 * The gaps that are told; what tells none must have been refused before.
 *
 * @param {string} text
 * @param {number} count how many gaps there are
 * @returns {number[]}
 */
export function readGaps(text, count) {
  const [zeros, ones, signs] = text.split(MAP_END);
  if (signs === undefined) {
    return readSigns(zeros);
  }
  const waits = readSigns(signs);
  /** @type {number[]} */
  const gaps = new Array(count);
  let others = 0;
  let waited = 0;
  for (let k = 0; k < count; k += 1) {
    gaps[k] = bitAt(zeros, k);
    if (gaps[k] === 1) {
      if (bitAt(ones, others) === 1) {
        gaps[k] = waits[waited];
        waited += 1;
      }
      others += 1;
    }
  }
  return gaps;
}

/**
 * The time behind the first gaps, from no more of the text than they can take.
 *
 * @param {string} text
 * @param {number} time0
 * @param {number} count of how many gaps
 * @returns {number}
 */
export function timeBehind(text, time0, count) {
  const [zeros, ones, signs] = text.split(MAP_END);
  if (signs === undefined) {
    return firstNumbers(zeros, count).reduce(sum, time0);
  }
  const others = countBits(zeros, count);
  const waiting = countBits(ones, others);
  const waits = firstNumbers(signs, waiting);
  if (waits.reduce(sumSizes, Math.abs(time0) + others) <= MAX_SAFE_INTEGER) {
    return waits.reduce(sum, time0 + others - waiting);
  }
  // In another order sums might not be safe.
  return readGaps(text, count).reduce(sum, time0);
}

/**
 * Prove the text of a row's gaps without listing them.
 *
 * @param {string} text
 * @param {number} time0
 * @param {number} expected how many gaps there are
 * @param {(rule: string, reason: string, found: unknown, expected: string) => Error} refuse
 */
export function checkGaps(text, time0, expected, refuse) {
  // One map more than there may be is enough to know.
  const maps = text.split(MAP_END, 4);
  const waits = maps.pop() ?? "";
  const { short, longs } = splitSigns(waits);
  if ((maps.length !== 0 && maps.length !== 2) || !onlySigns(short)) {
    throw refuse("dt", "bad dt", text, "signs 0-9 a-z A-Z and (n), perhaps behind two maps");
  }
  if (maps.length > 0 && (short.includes("0") || short.includes("1"))) {
    throw refuse("dt", "a mapped gap spelled", text, "0 and 1 in the maps alone");
  }
  if (longs.some((gap) => gap >= 0 && gap <= HIGHEST_SIGN)) {
    throw refuse("dt", "a short gap spelled long", text, "one sign for 0 to 61");
  }
  // Safe times can lie further apart than a packed row may say.
  if (!longs.every(isSafeInteger)) {
    throw refuse("dt", "bad dt", text, "safe integers");
  }
  let left = expected;
  for (const map of maps) {
    if (!isMap(map)) {
      throw refuse("dt", "bad map", text, "base64url without padding");
    }
    if (map.length !== Math.ceil(left / BITS)) {
      throw refuse("dt_length", "a map does not fit", map.length, `a map of ${left} gaps`);
    }
    const bits = countBits(map, left);
    if (bits !== countBits(map, BITS * map.length)) {
      throw refuse("dt", "a map with more bits than gaps", text, "zeros at its end");
    }
    left = bits;
  }
  const count = short.length + longs.length;
  if (count !== left) {
    throw refuse("dt_length", "dt does not fit", count, `${left} gaps`);
  }
  if (longs.reduce(sumSizes, Math.abs(time0) + expected * HIGHEST_SIGN) <= MAX_SAFE_INTEGER) {
    return;
  }
  let time = time0;
  for (const gap of readGaps(text, expected)) {
    time += gap;
    if (!isSafeInteger(time)) {
      throw refuse("time_range", "member times leave the safe integers", time, "safe integers");
    }
  }
}

/**
 * @param {string} map
 * @returns {boolean}
 */
function isMap(map) {
  for (let k = 0; k < map.length; k += 1) {
    const code = map.charCodeAt(k);
    if (code >= DIGIT_OF.length || DIGIT_OF[code] === NO_DIGIT) {
      return false;
    }
  }
  return true;
}

/**
 * @param {string} map a proved one
 * @param {number} place
 * @returns {number}
 */
function bitAt(map, place) {
  const digit = DIGIT_OF[map.charCodeAt(Math.floor(place / BITS))];
  return (digit >> (BITS - 1 - (place % BITS))) & 1;
}

/**
 * @param {string} map
 * @param {number} stop
 * @returns {number} how many of the bits before `stop` are set
 */
function countBits(map, stop) {
  const whole = Math.floor(stop / BITS);
  let count = 0;
  for (let k = 0; k < whole; k += 1) {
    count += BIT_COUNT[DIGIT_OF[map.charCodeAt(k)]];
  }
  for (let place = whole * BITS; place < stop; place += 1) {
    count += bitAt(map, place);
  }
  return count;
}

/**
 * @param {string} signs
 * @param {number} count
 * @returns {number[]} the first numbers that are spelled
 */
function firstNumbers(signs, count) {
  // What may be left of a number that is cut stands behind them.
  return readSigns(signs.slice(0, count * LONGEST_SPELLING)).slice(0, count);
}

/**
 * @param {number} before
 * @param {number} number
 * @returns {number}
 */
function sum(before, number) {
  return before + number;
}

/**
 * @param {number} before
 * @param {number} number
 * @returns {number}
 */
function sumSizes(before, number) {
  return before + Math.abs(number);
}
