/**
 * The logical event and the three kinds of delta, as in `histbench.events`.
 *
 * An event is the object that JSON gave: `{type, seq, time, data, ...}`.  `seq` is a safe integer
 * of 0 or more, `time` milliseconds since the epoch.
 */

import { isObject } from "./jsontext.js";

/** @typedef {{type: string, seq: number, time: number} & Record<string, unknown>} Event */

/**
 * One kind of delta: its chunk type, the tags of its row in both spellings, the keys of its texts.
 * Only calls carry an id, and some a name.
 *
 * @typedef {object} DeltaKind
 * @property {string} delta
 * @property {string} tag
 * @property {string} joinedTag
 * @property {"text" | "argumentsDelta"} textKey
 * @property {"texts" | "args"} textsKey
 * @property {boolean} isCall
 */

export const CHUNK_TYPE = "assistant/chunk";

export const MAX_SAFE_INTEGER = Number.MAX_SAFE_INTEGER;

/**
 * @param {string} name
 * @param {"text" | "argumentsDelta"} textKey
 * @param {"texts" | "args"} textsKey
 * @param {boolean} isCall
 * @returns {DeltaKind}
 */
function kindOf(name, textKey, textsKey, isCall) {
  return Object.freeze({
    delta: `${name}-delta`,
    tag: `${name}-chunks`,
    joinedTag: `${name}-joined`,
    textKey,
    textsKey,
    isCall,
  });
}

export const TEXT_KIND = kindOf("text", "text", "texts", false);
export const REASONING_KIND = kindOf("reasoning", "text", "texts", false);
export const CALL_KIND = kindOf("tool-call", "argumentsDelta", "args", true);

export const DELTA_KINDS = Object.freeze([TEXT_KIND, REASONING_KIND, CALL_KIND]);

/** @type {ReadonlyMap<unknown, DeltaKind>} */
export const KIND_BY_DELTA = new Map(DELTA_KINDS.map((kind) => [kind.delta, kind]));
/** @type {ReadonlyMap<unknown, DeltaKind>} */
export const KIND_BY_TAG = new Map(DELTA_KINDS.map((kind) => [kind.tag, kind]));
/** @type {ReadonlyMap<unknown, DeltaKind>} */
export const KIND_BY_JOINED_TAG = new Map(DELTA_KINDS.map((kind) => [kind.joinedTag, kind]));

/**
 * @param {unknown} value
 * @returns {value is number}
 */
export function isSafeInteger(value) {
  return Number.isSafeInteger(value);
}

/**
 * @param {unknown} value
 * @returns {value is number}
 */
export function isNumber(value) {
  return Number.isFinite(value);
}

/**
 * Whether nothing of a text is visible.
 *
 * @param {string} text
 * @returns {boolean}
 */
export function isBlank(text) {
  return text.trim() === "";
}

/**
 * The turn and step that an event's `data` names, null when it names none.
 *
 * @param {unknown} data
 * @returns {[number, number] | null}
 */
export function namedStep(data) {
  if (!isObject(data) || !isNumber(data.turn) || !isNumber(data.step)) {
    return null;
  }
  return [data.turn, data.step];
}
