/**
 * A row: a run of deltas of one block held as one value, as in `histbench.rows`.
 *
 * Members share everything but seq (consecutive), time and text.  `PackedRow` has the columns as
 * arrays, `joined.js` adds the spelling with strings; everything else asks only what `RowHead`
 * answers.
 */

import { CHUNK_TYPE, isBlank } from "./events.js";

/** @typedef {import("./events.js").DeltaKind} DeltaKind */
/** @typedef {import("./events.js").Event} Event */

/**
 * What all members share; `callId` is set on calls only, `name` on some of them.
 *
 * @typedef {object} Head
 * @property {DeltaKind} kind
 * @property {number} seq0
 * @property {number} time0
 * @property {number} turn
 * @property {number} step
 * @property {number} index
 * @property {string | null} callId
 * @property {string | null} name
 * @property {number} count
 */

/** The questions that every spelling of a row answers; times are milliseconds. */
export class RowHead {
  // Whether the text is told again, and then the text once it was joined.
  #copied = false;
  /** @type {string | null} */
  #text = null;

  /** @param {Head} head */
  constructor({ kind, seq0, time0, turn, step, index, callId, name, count }) {
    this.kind = kind;
    // Adding 0 makes -0, which JSON can spell, the 0 that it is.
    this.seq0 = seq0 + 0;
    this.time0 = time0 + 0;
    this.turn = turn + 0;
    this.step = step + 0;
    this.index = index + 0;
    this.callId = callId;
    this.name = name;
    this.count = count;
  }

  /** The first member's seq, under the name that ordinary records use too. */
  get seq() {
    return this.seq0;
  }

  /** One past the last member's seq. */
  get endSeq() {
    return this.seq0 + this.count;
  }

  /**
   * The `count - 1` differences between neighbours' times.
   *
   * @returns {number[]}
   */
  gapList() {
    throw new TypeError("a spelling's own");
  }

  /**
   * The members' texts.
   *
   * @returns {string[]}
   */
  textList() {
    throw new TypeError("a spelling's own");
  }

  /** Learn that the text is told again: it is joined once then, and all who tell it share it. */
  keepText() {
    this.#copied = true;
  }

  /**
   * All texts joined.
   *
   * @returns {string}
   */
  text() {
    if (!this.#copied) {
      return this.joinTexts();
    }
    this.#text ??= this.joinTexts();
    return this.#text;
  }

  /**
   * @protected
   * @returns {string}
   */
  joinTexts() {
    return this.textList().join("");
  }

  /**
   * The members' times.
   *
   * @returns {number[]}
   */
  times() {
    let time = this.time0;
    const times = [time];
    for (const gap of this.gapList()) {
      time += gap;
      times.push(time);
    }
    return times;
  }

  /**
   * One member's time.
   *
   * @param {number} member
   * @returns {number}
   */
  timeOf(member) {
    return member === 0 ? this.time0 : this.times()[member];
  }

  /**
   * The first member that carries a token, null when none does; a named call carries one at once.
   *
   * @returns {number | null}
   */
  firstToken() {
    return this.name === null ? place(this.textList().findIndex((text) => text !== "")) : 0;
  }

  /**
   * The first member that is not blank, null when all are; calls never are visible.
   *
   * @returns {number | null}
   */
  firstVisible() {
    return this.kind.isCall ? null : place(this.textList().findIndex((text) => !isBlank(text)));
  }

  /**
   * Whether members of `other` could stand in this row.
   *
   * @param {Head} other
   * @returns {boolean}
   */
  sameBlock(other) {
    return (
      this.kind === other.kind &&
      this.turn === other.turn &&
      this.step === other.step &&
      this.index === other.index &&
      this.callId === other.callId &&
      this.name === other.name
    );
  }

  /**
   * The members as logical events: new objects, keys in the order the format writes.
   *
   * @returns {Event[]}
   */
  events() {
    const times = this.times();
    return this.textList().map((text, member) => {
      /** @type {Record<string, unknown>} */
      const chunk = { type: this.kind.delta, index: this.index };
      if (this.callId !== null) {
        chunk.id = this.callId;
      }
      if (this.name !== null) {
        chunk.name = this.name;
      }
      chunk[this.kind.textKey] = text;
      return {
        type: CHUNK_TYPE,
        seq: this.seq0 + member,
        time: times[member],
        data: { turn: this.turn, step: this.step, chunk },
      };
    });
  }

  /**
   * Members `start` to `stop` (exclusive, at least one) as a row.
   *
   * @param {number} start
   * @param {number} stop
   * @returns {PackedRow}
   */
  cut(start, stop) {
    return new PackedRow({
      ...headOf(this),
      seq0: this.seq0 + start,
      time0: this.timeOf(start),
      count: stop - start,
      gaps: this.gapList().slice(start, stop - 1),
      texts: this.textList().slice(start, stop),
    });
  }
}

/**
 * What a row's members share, without its columns.
 *
 * @param {Head} row
 * @returns {Head}
 */
export function headOf({ kind, seq0, time0, turn, step, index, callId, name, count }) {
  return { kind, seq0, time0, turn, step, index, callId, name, count };
}

/**
 * @param {number} found what `findIndex` says
 * @returns {number | null}
 */
function place(found) {
  return found < 0 ? null : found;
}

/** A row whose columns are arrays, which are the row's own. */
export class PackedRow extends RowHead {
  /** @param {Head & {gaps: number[], texts: string[]}} row */
  constructor(row) {
    super(row);
    this.gaps = row.gaps;
    this.texts = row.texts;
  }

  gapList() {
    return this.gaps;
  }

  textList() {
    return this.texts;
  }
}
