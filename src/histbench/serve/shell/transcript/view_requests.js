/**
 * What a TranscriptView asks a daemon for, what it understands of the answers, and its failures.
 *
 * The same rules as `histbench.transcript.view_requests`, which is the oracle of this module.
 * `at`, `newer` and `attach` are asked for by `BrowsingView` only.
 */

import { isObject, recordOf } from "./blocks.js";

/** @typedef {"load" | "older" | "at" | "newer" | "attach"} RequestKind */

/**
 * A page that the view wants.
 * @typedef {object} ViewRequest
 * @property {string} sessionId
 * @property {number} generation
 * @property {number} number
 * @property {RequestKind} kind
 * @property {number} limit
 * @property {string | null} cursor
 * @property {string | null} recordId the record before, behind or around which the page is
 * @property {string | null} snapshot
 */

/**
 * Why a wanted page is not shown.
 * @typedef {object} ViewFailure
 * @property {string} code
 * @property {string} message
 * @property {RequestKind} kind
 * @property {boolean} retryable
 * @property {string | null} beyond
 */

/**
 * A load's or a page's answer; `updates` may hold what is no update, for a notice.
 * @typedef {object} Answer
 * @property {string | null} sessionId
 * @property {unknown[]} updates
 * @property {boolean} hasMore
 * @property {boolean} hasOlder
 * @property {string | null} nextCursor
 * @property {string | null} firstRecordId
 * @property {string | null} lastRecordId
 * @property {boolean} partial
 * @property {number} lastEventId
 * @property {string | null} epoch
 */

// Statuses that asking again may change; no status is a connection that failed.
const PASSING = new Set([408, 429]);

/**
 * The failure that a refusal is.
 * @param {RequestKind} kind
 * @param {string} code
 * @param {string} message
 * @param {number | null} status
 * @param {string | null} beyond
 * @returns {ViewFailure}
 */
export function failureOfStatus(kind, code, message, status, beyond) {
  const retryable = status === null || status >= 500 || PASSING.has(status);
  return { code, message, kind, retryable, beyond };
}

/**
 * What an answer says; null for what is none.
 * @param {unknown} value
 * @returns {Answer | null}
 */
export function readAnswer(value) {
  if (!isObject(value)) return null;
  const loaded = "compactedReplay" in value;
  const events = loaded
    ? [...listOf(value, "compactedReplay"), ...listOf(value, "liveJournal")]
    : listOf(value, "events");
  const updates = [];
  let marker = null;
  for (const event of events) {
    if (isObject(event) && event.type === "history_truncated") marker = event.data;
    else updates.push(isObject(event) && event.type === "session_update" ? event.data : null);
  }
  const leftOut = isObject(marker);
  let first = textOf(value, "firstRecordId") ?? firstRecord(updates);
  if (loaded && leftOut && first === null) first = textOf(marker, "recordId");
  const last = value.lastEventId;
  return {
    sessionId: textOf(value, "sessionId"),
    updates,
    hasMore: leftOut || value[loaded ? "historyHasMore" : "hasMore"] === true,
    hasOlder: value.hasOlder === true,
    nextCursor: textOf(value, "nextCursor"),
    firstRecordId: first ?? textOf(value, "historyAnchorRecordId"),
    lastRecordId: textOf(value, "lastRecordId"),
    partial: value.partial === true || textOf(value, "replayError") !== null,
    lastEventId: Number.isInteger(last) ? last : 0,
    epoch: textOf(value, "eventEpoch"),
  };
}

/**
 * The update in an event of a stream or an answer; anything else as it is.
 * @param {unknown} event
 * @returns {unknown}
 */
export function updateOf(event) {
  return isObject(event) && event.type === "session_update" ? event.data : event;
}

/** @param {unknown[]} updates */
function firstRecord(updates) {
  for (const update of updates) {
    const recordId = recordOf(update);
    if (recordId !== null) return recordId;
  }
  return null;
}

/**
 * @param {Record<string, any>} value
 * @param {string} name
 * @returns {unknown[]}
 */
function listOf(value, name) {
  return Array.isArray(value[name]) ? value[name] : [];
}

/**
 * @param {unknown} value
 * @param {string} name
 * @returns {string | null}
 */
function textOf(value, name) {
  const found = isObject(value) ? value[name] : null;
  return typeof found === "string" && found ? found : null;
}
