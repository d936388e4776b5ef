/**
 * The benchmark's fold, as in `histbench.fold.pair`: two consumers, each building its own state.
 *
 * It takes logical events, records with rows taken whole, or compact inputs; compact inputs leave
 * the two counts null.  A token is a delta with a text, or a call with a name.
 */

import { splitDelta } from "../history/codec.js";
import { isBlank, namedStep } from "../history/events.js";
import { Plain, deltaOfPlain } from "../history/records.js";
import { RowHead } from "../history/rows.js";
import { CompactInput } from "./compact.js";

/** @typedef {import("../history/events.js").Event} Event */
/** @typedef {Event | Plain | RowHead | CompactInput} FoldInput */

/**
 * What a consumer knows of one step; `blocks` maps a block's index to its text.
 *
 * @typedef {object} StepState
 * @property {number} turn
 * @property {number} step
 * @property {Map<number, string>} blocks
 * @property {number | null} deltaCount
 * @property {number | null} lastDeltaSeq
 * @property {number | null} firstTokenTime
 * @property {number | null} firstVisibleSeq
 * @property {number | null} firstVisibleTime
 */

/** One step while it is being folded. */
class Step {
  /** @type {Map<number, string[]>} */
  #parts = new Map();
  /** @type {number | null} */
  #deltaCount = 0;
  /** @type {number | null} */
  #lastDeltaSeq = null;
  /** @type {number | null} */
  #firstTokenTime = null;
  /** @type {number | null} */
  #firstVisibleSeq = null;
  /** @type {number | null} */
  #firstVisibleTime = null;

  /**
   * @param {number} turn
   * @param {number} step
   */
  constructor(turn, step) {
    this.turn = turn + 0;
    this.step = step + 0;
  }

  /**
   * Fold a row whole; its columns are read only for what is not known yet.
   *
   * @param {RowHead} row
   */
  addRow(row) {
    this.#append(row.index, row.text());
    if (this.#deltaCount !== null) {
      this.#deltaCount += row.count;
      this.#lastDeltaSeq = row.endSeq - 1;
    }
    if (this.#firstTokenTime === null) {
      const token = row.firstToken();
      if (token !== null) {
        this.#firstTokenTime = row.timeOf(token);
      }
    }
    if (this.#firstVisibleSeq === null) {
      const visible = row.firstVisible();
      if (visible !== null) {
        this.#firstVisibleSeq = row.seq0 + visible;
        this.#firstVisibleTime = row.timeOf(visible);
      }
    }
  }

  /**
   * Fold a compact input; from then on the exact counts are unknown.
   *
   * @param {CompactInput} given
   */
  addCompact(given) {
    this.#append(given.index, given.text);
    this.#deltaCount = null;
    this.#lastDeltaSeq = null;
    if (this.#firstTokenTime === null && (given.text !== "" || given.name !== null)) {
      this.#firstTokenTime = given.time;
    }
    if (this.#firstVisibleSeq === null && !given.kind.isCall && !isBlank(given.text)) {
      this.#firstVisibleSeq = given.seq;
      this.#firstVisibleTime = given.time;
    }
  }

  /**
   * @param {number} index
   * @param {string} text
   */
  #append(index, text) {
    const parts = this.#parts.get(index);
    if (parts === undefined) {
      this.#parts.set(index, [text]);
    } else {
      parts.push(text);
    }
  }

  /** @returns {StepState} */
  state() {
    return {
      turn: this.turn,
      step: this.step,
      blocks: new Map([...this.#parts].map(([index, parts]) => [index, parts.join("")])),
      deltaCount: this.#deltaCount,
      lastDeltaSeq: this.#lastDeltaSeq,
      firstTokenTime: this.#firstTokenTime,
      firstVisibleSeq: this.#firstVisibleSeq,
      firstVisibleTime: this.#firstVisibleTime,
    };
  }
}

/** One of the two: the steps it has seen, by turn and step. */
class Consumer {
  /** @type {Map<string, Step>} */
  #steps = new Map();

  /** @param {FoldInput} given */
  add(given) {
    if (given instanceof RowHead) {
      this.#step(given.turn, given.step).addRow(given);
    } else if (given instanceof CompactInput) {
      this.#step(given.turn, given.step).addCompact(given);
    } else {
      const event = given instanceof Plain ? given.tell() : given;
      const started = event.type === "step/start" ? namedStep(event.data) : null;
      if (started !== null) {
        this.#step(...started);
      }
    }
  }

  /**
   * The step; a window may begin inside one, so a delta begins it as well as its start does.
   *
   * @param {number} turn
   * @param {number} step
   * @returns {Step}
   */
  #step(turn, step) {
    const key = `${turn} ${step}`;
    let found = this.#steps.get(key);
    if (found === undefined) {
      found = new Step(turn, step);
      this.#steps.set(key, found);
    }
    return found;
  }

  /** @returns {StepState[]} in the order in which the steps began */
  states() {
    return [...this.#steps.values()].map((step) => step.state());
  }
}

/**
 * Both consumers' states after these inputs.
 *
 * @param {Iterable<FoldInput>} inputs events, records, rows or compact inputs
 * @returns {{chat: StepState[], trajectory: StepState[]}}
 */
export function foldPair(inputs) {
  const chat = new Consumer();
  const trajectory = new Consumer();
  for (const given of inputs) {
    // A delta is recognised once, whoever consumes it.
    const seen = deltaOf(given) ?? given;
    chat.add(seen);
    trajectory.add(seen);
  }
  return { chat: chat.states(), trajectory: trajectory.states() };
}

/**
 * The delta that an event, or an ordinary record, holds.
 *
 * @param {FoldInput} given
 * @returns {RowHead | null}
 */
function deltaOf(given) {
  if (given instanceof Plain) {
    return deltaOfPlain(given);
  }
  return given instanceof RowHead || given instanceof CompactInput ? null : splitDelta(given);
}
