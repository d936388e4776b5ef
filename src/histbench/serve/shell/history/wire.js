/**
 * A page from JSON, as in `histbench.history.wire`: `{records, hasMore, fromSeq, toSeq,
 * projections?, cut?}` with rows packed or joined and events whole or lean, mixed if need be.
 */

import { InvalidPage, InvalidRow } from "./errors.js";
import { KIND_BY_TAG, isNumber, isSafeInteger } from "./events.js";
import { joinedOfValue } from "./joined.js";
import { checkHeld, countKeys, decode, isObject } from "./jsontext.js";
import { leanOfValue, proveEvents } from "./lean_proof.js";
import { LeanEvent } from "./lean_event.js";
import { HistoryPage, PAGE_CUTS, checkCover } from "./page.js";
import { eventOfValue, readValue } from "./records.js";
import { RowHead } from "./rows.js";

/** @typedef {import("./jsontext.js").JsonObject} JsonObject */
/** @typedef {import("./records.js").PageRecord} PageRecord */

const REQUIRED = ["records", "hasMore", "fromSeq", "toSeq"];
const ROW_KEYS = ["turn", "step", "index", "dt", "texts", "args", "id", "name"];
const A_RECORD = "{event, view?}, {lean, view?}, {chunks} or {joined}";
const TAGS = [...KIND_BY_TAG.keys()].join(", ");

/**
 * The page's JSON value, nothing of it checked.
 *
 * @param {Uint8Array | string} data
 * @returns {unknown}
 * @throws {InvalidJson} not JSON
 */
export function parsePage(data) {
  return decode(data);
}

/**
 * The page that a parsed one says it is.  It takes the values over: lean events, proved here, are
 * told in place when somebody looks at them.
 *
 * @param {unknown} parsed
 * @returns {HistoryPage}
 * @throws {InvalidPage} `page_shape`, `page_record`, `page_projections`, what does not cover the
 *   interval, `lean_marker`, `lean_source`
 * @throws {HistbenchError} the content of a record is wrong, or expands too far
 */
export function validatePage(parsed) {
  const shape = shapeOf(parsed);
  const { hasMore, fromSeq, toSeq } = shape;
  const records = shape.records.map(recordOfValue);
  checkCover(records, fromSeq, toSeq);
  if (records.some((record) => record instanceof LeanEvent)) {
    proveEvents(records);
  }
  const projections = shape.projections === undefined ? null : projectionsOf(shape.projections);
  return new HistoryPage({ records, hasMore, fromSeq, toSeq, projections, cut: shape.cut ?? null });
}

/**
 * @typedef {object} PageShape
 * @property {unknown[]} records
 * @property {boolean} hasMore
 * @property {number} fromSeq
 * @property {number} toSeq
 * @property {unknown} [projections]
 * @property {import("./page.js").PageCut} [cut]
 */

/**
 * @param {unknown} value
 * @returns {PageShape}
 */
function shapeOf(value) {
  if (isObject(value)) {
    const extras = Number(value.projections !== undefined) + Number(value.cut !== undefined);
    if (
      REQUIRED.every((key) => Object.hasOwn(value, key)) &&
      countKeys(value) === REQUIRED.length + extras &&
      Array.isArray(value.records) &&
      typeof value.hasMore === "boolean" &&
      Number.isInteger(value.fromSeq) &&
      Number.isInteger(value.toSeq) &&
      (value.cut === undefined || PAGE_CUTS.includes(/** @type {string} */ (value.cut)))
    ) {
      return /** @type {PageShape} */ (/** @type {unknown} */ (value));
    }
  }
  checkHeld(value);
  throw new InvalidPage("not a page", {
    code: "page_shape",
    found: value,
    expected: "records, hasMore, fromSeq, toSeq and at most projections and cut",
  });
}

/**
 * @param {unknown} value
 * @returns {import("./page.js").Projections}
 */
function projectionsOf(value) {
  checkHeld(value);
  if (
    !isObject(value) ||
    countKeys(value) !== 2 ||
    value.values === undefined ||
    !isSafeInteger(value.asOfSeq) ||
    value.asOfSeq < -1
  ) {
    throw new InvalidPage("bad projections", {
      code: "page_projections",
      found: isObject(value) ? value.asOfSeq : value,
      expected: "{asOfSeq, values}, asOfSeq -1 or a seq",
    });
  }
  return { asOfSeq: value.asOfSeq, values: value.values };
}

/**
 * @param {unknown} value
 * @returns {PageRecord}
 */
function recordOfValue(value) {
  if (isObject(value)) {
    const { event, lean, view, chunks, joined } = value;
    const keys = countKeys(value);
    if (event !== undefined && keys === 1 + Number(view !== undefined)) {
      return eventOfValue(event, view);
    }
    if (lean !== undefined && keys === 1 + Number(view !== undefined)) {
      return leanOfValue(lean, view);
    }
    if (chunks !== undefined && keys === 1) {
      return rowOfValue(chunks);
    }
    if (joined !== undefined && keys === 1) {
      return joinedOfValue(joined);
    }
  }
  checkHeld(value);
  throw new InvalidPage("not a record", { code: "page_record", found: value, expected: A_RECORD });
}

/**
 * The row under `chunks`.
 *
 * @param {unknown} value
 * @returns {RowHead}
 */
function rowOfValue(value) {
  if (isObject(value) && typeof value.type === "string" && !KIND_BY_TAG.has(value.type)) {
    checkHeld(value);
    if (hasRowShape(value)) {
      throw new InvalidRow("unknown row tag", {
        code: "row_tag",
        found: value.type,
        expected: TAGS,
      });
    }
  }
  const record = readValue(value);
  if (record instanceof RowHead) {
    return record;
  }
  throw new InvalidPage("not a record", { code: "page_record", found: value, expected: A_RECORD });
}

/**
 * Whether a value would be a row, were its tag one.
 *
 * @param {JsonObject} value
 * @returns {boolean}
 */
function hasRowShape({ seq0, time0, data, ...others }) {
  return (
    countKeys(others) === 1 &&
    Number.isInteger(seq0) &&
    Number.isInteger(time0) &&
    isObject(data) &&
    Object.keys(data).every((key) => ROW_KEYS.includes(key)) &&
    [data.turn, data.step, data.index].every(isNumber) &&
    data.dt !== undefined &&
    [data.id, data.name].every((text) => text === undefined || typeof text === "string")
  );
}
