/**
 * JSON text to values, and what JavaScript's own parser leaves to be checked.
 *
 * `JSON.parse` reads half a surrogate pair, `1.0` and `-0` as the format has them.  Two things it
 * does that nobody may rely on: it makes Infinity of a number that no double can hold, which
 * `checkHeld` finds, and it rounds integers past 2^53, which nothing here can find any more.
 * Values nest as deep as a page says, so no function here calls itself.
 */

import { InvalidJson } from "./errors.js";

/** @typedef {Record<string, unknown>} JsonObject */

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The value that JSON text holds.
 *
 * @param {Uint8Array | string} data UTF-8 when bytes
 * @returns {unknown}
 * @throws {InvalidJson} `invalid_json`, `invalid_utf8` or `too_deep`
 */
export function decode(data) {
  const text = typeof data === "string" ? data : decodeUtf8(data);
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof RangeError) {
      throw new InvalidJson("nested too deeply", { code: "too_deep" });
    }
    // The engine's own message quotes the text, and every engine's is another.
    throw new InvalidJson("not JSON", { code: "invalid_json" });
  }
}

/**
 * @param {Uint8Array} data
 * @returns {string}
 */
function decodeUtf8(data) {
  try {
    return utf8.decode(data);
  } catch {
    throw new InvalidJson("text is not UTF-8", { code: "invalid_utf8" });
  }
}

/**
 * Whether a JSON value is an object; an array is none.
 *
 * @param {unknown} value
 * @returns {value is JsonObject}
 */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * How many keys an object has, counted only a little further than anybody asks.
 *
 * @param {object} value
 * @returns {number}
 */
export function countKeys(value) {
  let count = 0;
  for (const _ in value) {
    count += 1;
    if (count > 8) {
      break;
    }
  }
  return count;
}

/**
 * Refuse a value with a number that no double can hold.
 *
 * @param {unknown} value as `JSON.parse` gave it
 * @throws {InvalidJson} `number_out_of_range`
 */
export function checkHeld(value) {
  /** @type {unknown[]} */
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "number") {
      if (!Number.isFinite(next)) {
        throw new InvalidJson("number beyond the range of a double", {
          code: "number_out_of_range",
        });
      }
    } else if (Array.isArray(next)) {
      for (const member of next) {
        if (typeof member !== "string") {
          open.push(member);
        }
      }
    } else if (typeof next === "object" && next !== null) {
      const members = /** @type {JsonObject} */ (next);
      for (const key in members) {
        if (typeof members[key] !== "string") {
          open.push(members[key]);
        }
      }
    }
  }
}

/**
 * Whether two JSON values are the same one, in whatever order their keys stand.
 *
 * @param {unknown} left
 * @param {unknown} right
 * @returns {boolean}
 */
export function same(left, right) {
  /** @type {unknown[]} */
  const pairs = [left, right];
  while (pairs.length > 0) {
    const b = pairs.pop();
    const a = pairs.pop();
    if (a === b) {
      continue;
    }
    if (Array.isArray(a)) {
      if (!Array.isArray(b) || a.length !== b.length) {
        return false;
      }
      for (let k = 0; k < a.length; k += 1) {
        pairs.push(a[k], b[k]);
      }
    } else if (isObject(a)) {
      const keys = Object.keys(a);
      if (!isObject(b) || Object.keys(b).length !== keys.length) {
        return false;
      }
      for (const key of keys) {
        if (!Object.hasOwn(b, key)) {
          return false;
        }
        pairs.push(a[key], b[key]);
      }
    } else {
      return false;
    }
  }
  return true;
}

const encoder = new TextEncoder();

/**
 * The bytes of a text as JSON in UTF-8, without its quotes.
 *
 * @param {string} text
 * @returns {number}
 */
export function contentBytes(text) {
  return encoder.encode(JSON.stringify(text)).length - 2;
}
