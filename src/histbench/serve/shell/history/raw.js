/**
 * The raw form, as in `histbench.history.raw`: `{events: [{event, view?}], hasMore}`.
 *
 * Its deltas become rows while they are read, so that what a page costs its reader afterwards is
 * the same in every form.
 */

import { Coalescer } from "./coalesce.js";
import { InvalidPage } from "./errors.js";
import { checkHeld, countKeys, decode, isObject } from "./jsontext.js";
import { HistoryPage } from "./page.js";
import { Plain, eventOfValue } from "./records.js";

/** @typedef {import("./records.js").PageRecord} PageRecord */

/**
 * The page's JSON value, nothing of it checked.
 *
 * @param {Uint8Array | string} data
 * @returns {unknown}
 * @throws {InvalidJson} not JSON
 */
export function parseRaw(data) {
  return decode(data);
}

/**
 * The page; its events must follow each other unless the form is `lossy`.
 *
 * @param {unknown} parsed
 * @param {{lossy?: boolean}} [options]
 * @returns {HistoryPage}
 * @throws {InvalidPage} `page_shape`, `page_record`, `page_gap` or `page_overlap`
 * @throws {InvalidEvent | InvalidJson} an event is none
 */
export function validateRaw(parsed, { lossy = false } = {}) {
  if (
    !isObject(parsed) ||
    countKeys(parsed) !== 2 ||
    !Array.isArray(parsed.events) ||
    typeof parsed.hasMore !== "boolean"
  ) {
    checkHeld(parsed);
    throw new InvalidPage("not a raw page", {
      code: "page_shape",
      found: parsed,
      expected: "{events, hasMore}",
    });
  }
  const coalescer = new Coalescer();
  for (const entry of parsed.events) {
    coalescer.addPlain(plainOfEntry(entry));
  }
  const records = coalescer.finish();
  checkOrder(records, lossy);
  return new HistoryPage({
    records,
    hasMore: parsed.hasMore,
    fromSeq: records[0]?.seq ?? 0,
    toSeq: records[records.length - 1]?.endSeq ?? 0,
    covered: !lossy,
  });
}

/**
 * @param {unknown} entry
 * @returns {Plain}
 */
function plainOfEntry(entry) {
  if (isObject(entry) && entry.event !== undefined) {
    const { event, view } = entry;
    if (countKeys(entry) === 1 + Number(view !== undefined)) {
      return eventOfValue(event, view);
    }
  }
  checkHeld(entry);
  throw new InvalidPage("not an entry", {
    code: "page_record",
    found: entry,
    expected: "{event, view?}",
  });
}

/**
 * @param {readonly PageRecord[]} records
 * @param {boolean} lossy
 */
function checkOrder(records, lossy) {
  let due = records[0]?.seq ?? 0;
  for (const record of records) {
    if (record.seq < due || (record.seq > due && !lossy)) {
      throw new InvalidPage("events do not follow each other", {
        code: record.seq > due ? "page_gap" : "page_overlap",
        seq: record.seq,
        found: record.seq,
        expected: String(due),
      });
    }
    due = record.endSeq;
  }
}
