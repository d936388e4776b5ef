/**
 * Compact inputs, as in `histbench.fold.compact`: at most two per row, for a reader that wants what
 * was said and not each token.
 *
 * - no member carries a token: one input, the empty text, at the row's first time;
 * - the first token is visible, or nothing is: one input, all text, at the first token's time;
 * - otherwise: what comes before the first visible member at the first token's time, and the rest
 *   at the first visible member's.
 *
 * What is lost is the number of members and every other time and seq, so a window must not be
 * stitched by these inputs.  Ordinary records pass through untouched.
 */

import { Plain } from "../history/records.js";

/** @typedef {import("../history/events.js").DeltaKind} DeltaKind */
/** @typedef {import("../history/records.js").PageRecord} PageRecord */
/** @typedef {import("../history/rows.js").RowHead} RowHead */
/** @typedef {Plain | CompactInput} Input */

/** Several deltas of one block as one, dated by one member; `time` in milliseconds. */
export class CompactInput {
  /**
   * @param {RowHead} row
   * @param {number} member
   * @param {string} text
   */
  constructor(row, member, text) {
    this.kind = row.kind;
    this.seq = row.seq0 + member;
    this.time = row.timeOf(member);
    this.turn = row.turn;
    this.step = row.step;
    this.index = row.index;
    this.text = text;
    this.callId = row.callId;
    this.name = row.name;
  }
}

/**
 * The inputs of these records, in order.
 *
 * @param {Iterable<PageRecord>} records
 * @returns {Input[]}
 */
export function compactInputs(records) {
  /** @type {Input[]} */
  const inputs = [];
  for (const record of records) {
    if (record instanceof Plain) {
      // Now, for afterwards the rows that it is told from need not stay.
      record.tell();
      inputs.push(record);
    } else {
      inputs.push(...compactRow(record));
    }
  }
  return inputs;
}

/**
 * The one or two inputs of a row.
 *
 * @param {RowHead} row
 * @returns {CompactInput[]}
 */
export function compactRow(row) {
  const token = row.firstToken();
  const visible = token === null ? null : row.firstVisible();
  if (token === null || visible === null || visible === token) {
    return [new CompactInput(row, token ?? 0, row.text())];
  }
  const texts = row.textList();
  return [
    new CompactInput(row, token, texts.slice(0, visible).join("")),
    new CompactInput(row, visible, texts.slice(visible).join("")),
  ];
}
