/**
 * A history page, as in `histbench.history.page`: records that cover `[fromSeq, toSeq)`.
 */

import { InvalidPage } from "./errors.js";
import { MAX_SAFE_INTEGER } from "./events.js";
import { recordEvents } from "./records.js";

/** @typedef {import("./events.js").Event} Event */
/** @typedef {import("./records.js").PageRecord} PageRecord */
/** @typedef {"events" | "bytes" | "oversize"} PageCut */
/** @typedef {{asOfSeq: number, values: unknown}} Projections */

/** Why a page begins where no message asked it to. */
export const PAGE_CUTS = Object.freeze(["events", "bytes", "oversize"]);

/** The records of one interval; `covered` is false only for a page of a lossy form. */
export class HistoryPage {
  /**
   * @param {object} page
   * @param {readonly PageRecord[]} page.records
   * @param {boolean} page.hasMore
   * @param {number} page.fromSeq
   * @param {number} page.toSeq
   * @param {boolean} [page.covered]
   * @param {Projections | null} [page.projections]
   * @param {PageCut | null} [page.cut]
   */
  constructor({ records, hasMore, fromSeq, toSeq, ...others }) {
    this.records = records;
    this.hasMore = hasMore;
    this.fromSeq = fromSeq;
    this.toSeq = toSeq;
    this.covered = others.covered ?? true;
    this.projections = others.projections ?? null;
    this.cut = others.cut ?? null;
  }

  /**
   * The logical events in order.
   *
   * @returns {Event[]}
   */
  events() {
    return this.records.flatMap(recordEvents);
  }
}

/**
 * Refuse records that do not cover `[fromSeq, toSeq)` exactly.
 *
 * @param {readonly PageRecord[]} records
 * @param {number} fromSeq
 * @param {number} toSeq
 * @throws {InvalidPage} `page_interval`, `page_gap`, `page_overlap` or `page_end`
 */
export function checkCover(records, fromSeq, toSeq) {
  if (!(fromSeq >= 0 && fromSeq <= toSeq && toSeq <= MAX_SAFE_INTEGER + 1)) {
    throw new InvalidPage("bad interval", {
      code: "page_interval",
      found: `${fromSeq} to ${toSeq}`,
      expected: "0 <= fromSeq <= toSeq, at most one past the largest seq",
    });
  }
  let due = fromSeq;
  for (const record of records) {
    if (record.seq !== due) {
      throw new InvalidPage("records do not follow each other", {
        code: record.seq > due ? "page_gap" : "page_overlap",
        seq: record.seq,
        found: record.seq,
        expected: String(due),
      });
    }
    due = record.endSeq;
  }
  if (due !== toSeq) {
    throw new InvalidPage("records do not end at toSeq", {
      code: "page_end",
      seq: due,
      found: due,
      expected: String(toSeq),
    });
  }
}
