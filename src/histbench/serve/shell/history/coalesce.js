/**
 * The canonical record sequence of a stream of records, as in `histbench.coalesce`: one row for
 * every maximal run of three or more deltas, and the events themselves for the rest.
 */

import { MIN_RUN, deltaKind } from "./codec.js";
import { isSafeInteger } from "./events.js";
import { Plain } from "./records.js";
import { PackedRow, headOf } from "./rows.js";

/** @typedef {import("./codec.js").DeltaEvent} DeltaEvent */
/** @typedef {import("./records.js").PageRecord} PageRecord */
/** @typedef {import("./rows.js").RowHead} RowHead */
/** @typedef {import("./rows.js").Head} Head */

/**
 * A run that is still open.
 *
 * @typedef {object} Run
 * @property {Head} head
 * @property {number[]} times
 * @property {string[]} texts
 * @property {RowHead | null} only the row that is all of it, as long as nothing followed it
 * @property {Plain[]} plains the first events, as long as nothing but events came
 */

/** Takes records in order; `finish` gives the canonical ones. */
export class Coalescer {
  /** @type {PageRecord[]} */
  #out = [];
  /** @type {Run | null} */
  #run = null;

  /**
   * Append an ordinary record; a delta may become part of a row unless it carries a view.
   *
   * @param {Plain} record
   */
  addPlain(record) {
    const kind = record.view === undefined ? deltaKind(record.tell()) : null;
    if (kind === null) {
      this.#close();
      this.#out.push(record);
      return;
    }
    const { seq, time, data } = /** @type {DeltaEvent} */ (/** @type {unknown} */ (record.tell()));
    const chunk = data.chunk;
    const text = /** @type {string} */ (chunk[kind.textKey]);
    const run = this.#run;
    if (
      run !== null &&
      seq === run.head.seq0 + run.times.length &&
      kind === run.head.kind &&
      data.turn === run.head.turn &&
      data.step === run.head.step &&
      chunk.index === run.head.index &&
      (chunk.id ?? null) === run.head.callId &&
      (chunk.name ?? null) === run.head.name &&
      isSafeInteger(time - lastTime(run))
    ) {
      this.#grow(run);
      if (run.plains.length === run.times.length && run.plains.length < MIN_RUN) {
        run.plains.push(record);
      }
      run.times.push(time);
      run.texts.push(text);
      return;
    }
    this.#close();
    const head = {
      kind,
      seq0: seq,
      time0: time,
      turn: data.turn,
      step: data.step,
      index: chunk.index,
      callId: chunk.id ?? null,
      name: chunk.name ?? null,
      count: 1,
    };
    this.#run = { head, times: [time], texts: [text], only: null, plains: [record] };
  }

  /**
   * Append a row of any length.
   *
   * @param {RowHead} row
   */
  addRow(row) {
    const run = this.#run;
    if (
      run !== null &&
      row.seq0 === run.head.seq0 + (run.only?.count ?? run.times.length) &&
      row.sameBlock(run.head) &&
      isSafeInteger(row.time0 - lastTime(run))
    ) {
      this.#grow(run);
      for (const time of row.times()) {
        run.times.push(time);
      }
      for (const text of row.textList()) {
        run.texts.push(text);
      }
      run.plains = [];
      return;
    }
    this.#close();
    // Its columns stay as they are unless something follows.
    this.#run = { head: headOf(row), times: [], texts: [], only: row, plains: [] };
  }

  /**
   * Append one record.
   *
   * @param {PageRecord} record
   */
  add(record) {
    if (record instanceof Plain) {
      this.addPlain(record);
    } else {
      this.addRow(record);
    }
  }

  /**
   * The canonical records.
   *
   * @returns {PageRecord[]}
   */
  finish() {
    this.#close();
    const out = this.#out;
    this.#out = [];
    return out;
  }

  /** @param {Run} run about to get more */
  #grow(run) {
    if (run.only !== null) {
      run.times = run.only.times();
      run.texts = run.only.textList().slice();
      run.only = null;
    }
  }

  #close() {
    const run = this.#run;
    if (run === null) {
      return;
    }
    this.#run = null;
    const count = run.only?.count ?? run.times.length;
    if (count >= MIN_RUN) {
      this.#out.push(run.only ?? rowOf(run));
    } else if (run.plains.length === count) {
      this.#out.push(...run.plains);
    } else {
      const row = run.only ?? rowOf(run);
      this.#out.push(...row.events().map((event) => new Plain(event)));
    }
  }
}

/**
 * @param {Run} run
 * @returns {number}
 */
function lastTime(run) {
  const row = run.only;
  return row === null ? run.times[run.times.length - 1] : row.timeOf(row.count - 1);
}

/**
 * @param {Run} run
 * @returns {PackedRow}
 */
function rowOf({ head, times, texts }) {
  /** @type {number[]} */
  const gaps = [];
  for (let k = 1; k < times.length; k += 1) {
    gaps.push(times[k] - times[k - 1]);
  }
  return new PackedRow({ ...head, count: texts.length, gaps, texts });
}
