/**
 * The Assistant fold, as in `histbench.fold.assistant`: what a reader shows of every step, as a
 * chat and as a trajectory.  It takes logical events, records with rows taken whole, or compact
 * inputs.
 */

import { splitDelta } from "../history/codec.js";
import { CHUNK_TYPE, KIND_BY_DELTA, isNumber, namedStep } from "../history/events.js";
import { isObject } from "../history/jsontext.js";
import { Plain } from "../history/records.js";
import { PackedRow, RowHead } from "../history/rows.js";
import { Step } from "./assistant_step.js";
import { CompactInput } from "./compact.js";

/** @typedef {import("../history/events.js").Event} Event */
/** @typedef {import("../history/events.js").DeltaKind} DeltaKind */
/** @typedef {import("../history/jsontext.js").JsonObject} JsonObject */
/** @typedef {import("./assistant_step.js").Block} Block */
/** @typedef {import("./assistant_step.js").Moment} Moment */
/** @typedef {import("./assistant_step.js").Usage} Usage */
/** @typedef {Event | Plain | RowHead | CompactInput} AssistantInput */

// How far before its boundary an interrupted node stands.
const BEFORE_BOUNDARY = 0.9;

/**
 * One step as shown; times are milliseconds, null where the events do not tell.
 *
 * @typedef {object} AssistantNode
 * @property {number} turn
 * @property {number} step
 * @property {"running" | "settled" | "interrupted"} status
 * @property {number | null} anchorSeq
 * @property {number | null} time
 * @property {boolean} visible
 * @property {Block[]} blocks
 * @property {Usage | null} usage
 * @property {number | null} stepStartTime
 * @property {number | null} firstTokenTime
 * @property {number | null} firstVisibleSeq
 * @property {number | null} firstVisibleTime
 * @property {number | null} completedTime
 */

/**
 * The nodes of both views, in the order in which their steps began.
 *
 * @typedef {{chat: AssistantNode[], trajectory: AssistantNode[]}} AssistantState
 */

/**
 * Both views after these inputs, given in order.
 *
 * @param {Iterable<AssistantInput>} inputs
 * @returns {AssistantState}
 */
export function foldAssistant(inputs) {
  const fold = new Fold();
  for (const given of inputs) {
    fold.add(given);
  }
  const steps = [...fold.steps.values()];
  const chat = steps.map(nodeOf);
  const trajectory = steps.map((step, k) => ({ ...chat[k], usage: step.summedUsage }));
  return { chat, trajectory };
}

/**
 * @param {Step} step
 * @returns {AssistantNode}
 */
function nodeOf(step) {
  /** @type {AssistantNode["status"]} */
  let status = "running";
  let anchor = step.started ?? step.firstToken;
  let anchorSeq = anchor?.seq ?? null;
  if (step.message !== null) {
    status = step.interrupted ? "interrupted" : "settled";
    anchor = step.message;
    anchorSeq = anchor.seq;
  } else if (step.boundary !== null) {
    status = "interrupted";
    anchor = step.boundary;
    anchorSeq = anchor.seq - BEFORE_BOUNDARY;
  }
  return {
    turn: step.turn,
    step: step.step,
    status,
    anchorSeq,
    time: anchor?.time ?? null,
    visible: step.visible,
    blocks: step.blocks(),
    usage: step.lastUsage,
    stepStartTime: step.started?.time ?? null,
    firstTokenTime: step.firstToken?.time ?? null,
    firstVisibleSeq: step.firstVisible?.seq ?? null,
    firstVisibleTime: step.firstVisible?.time ?? null,
    completedTime: (step.message ?? step.boundary)?.time ?? null,
  };
}

/** The steps seen so far, and of each turn those that have not ended. */
class Fold {
  /** @type {Map<string, Step>} */
  steps = new Map();
  /** @type {Map<number, Set<Step>>} */
  #open = new Map();

  /** @param {AssistantInput} given */
  add(given) {
    if (given instanceof RowHead) {
      this.#step(given.turn, given.step).addRow(given);
    } else if (given instanceof CompactInput) {
      this.#step(given.turn, given.step).addCompact(given);
    } else {
      this.#addEvent(given instanceof Plain ? given.tell() : given);
    }
  }

  /** @param {Event} event */
  #addEvent(event) {
    const handle = HANDLERS.get(event.type);
    if (handle === undefined) {
      return;
    }
    const delta = splitDelta(event);
    if (delta !== null) {
      this.#step(delta.turn, delta.step).addRow(delta);
    } else if (isObject(event.data)) {
      handle(this, { seq: event.seq, time: event.time }, event.data, event.surfaceOp);
    }
  }

  /**
   * The step; events may begin within one, so whatever belongs to it begins it.
   *
   * @param {number} turn
   * @param {number} step
   * @returns {Step}
   */
  #step(turn, step) {
    const key = `${turn} ${step}`;
    let found = this.steps.get(key);
    if (found === undefined) {
      found = new Step(turn, step);
      this.steps.set(key, found);
      this.#keepOpen(found);
    }
    return found;
  }

  /** @param {Step} step */
  #keepOpen(step) {
    const open = this.#open.get(step.turn) ?? new Set();
    this.#open.set(step.turn, open.add(step));
  }

  /** @param {JsonObject} data */
  retryStep(data) {
    const step = this.stepOf(data, false);
    if (step !== null) {
      step.retry();
      // An end of its turn that came before it was that of the attempt.
      this.#keepOpen(step);
    }
  }

  /**
   * @param {JsonObject} data
   * @param {boolean} begin
   * @returns {Step | null}
   */
  stepOf(data, begin) {
    const named = namedStep(data);
    if (named === null) {
      return null;
    }
    const [turn, step] = named;
    return begin ? this.#step(turn, step) : (this.steps.get(`${turn} ${step}`) ?? null);
  }

  /**
   * @param {unknown} turn
   * @param {Moment} moment
   */
  endTurn(turn, moment) {
    if (isNumber(turn)) {
      this.#open.get(turn)?.forEach((step) => step.end(moment));
      this.#open.delete(turn);
    }
  }
}

/** @typedef {(fold: Fold, moment: Moment, data: JsonObject, operation: unknown) => void} Handler */

/** @type {Handler} */
function stepStart(fold, moment, data) {
  const step = fold.stepOf(data, true);
  if (step !== null) {
    step.started ??= moment;
  }
}

/** @type {Handler} */
function chunk(fold, moment, data) {
  const said = data.chunk;
  const step = fold.stepOf(data, isObject(said));
  if (step === null || !isObject(said)) {
    return;
  }
  const { type, index } = said;
  if (type === "usage") {
    step.addUsage(said.usage);
  } else if (!isNumber(index)) {
    return;
  } else if (type === "block-start") {
    step.startBlock(index, said.blockType, moment);
  } else if (type === "block-end") {
    step.endBlock(index, said.block, moment);
  } else {
    const kind = KIND_BY_DELTA.get(type);
    const delta = kind === undefined ? null : looseDelta(moment, step, index, said, kind);
    if (delta !== null) {
      step.addRow(delta);
    }
  }
}

/**
 * A delta as a row of one member; it may have fields that keep it out of a stored row.
 *
 * @param {Moment} moment
 * @param {Step} step
 * @param {number} index
 * @param {JsonObject} said
 * @param {DeltaKind} kind
 * @returns {PackedRow | null}
 */
function looseDelta(moment, step, index, said, kind) {
  const text = said[kind.textKey];
  if (typeof text !== "string") {
    return null;
  }
  return new PackedRow({
    kind,
    seq0: moment.seq,
    time0: moment.time,
    turn: step.turn,
    step: step.step,
    index,
    callId: kind.isCall && typeof said.id === "string" ? said.id : null,
    name: kind.isCall && typeof said.name === "string" ? said.name : null,
    count: 1,
    gaps: [],
    texts: [text],
  });
}

/** @type {Handler} */
function message(fold, moment, data, operation) {
  if (operation === "append" && isObject(data.message)) {
    fold.stepOf(data, true)?.settle(data.message.content, moment, data.interrupted === true);
  }
}

/** @type {Handler} */
function retry(fold, _moment, data) {
  fold.retryStep(data);
}

/** @type {Handler} */
function stepEnd(fold, moment, data) {
  fold.stepOf(data, false)?.end(moment);
}

/** @type {Handler} */
function turnEnd(fold, moment, data) {
  fold.endTurn(data.turn, moment);
}

/** @type {ReadonlyMap<string, Handler>} */
const HANDLERS = new Map([
  ["step/start", stepStart],
  [CHUNK_TYPE, chunk],
  ["assistant/message", message],
  ["llm/retry", retry],
  ["step/end", stepEnd],
  ["turn/end", turnEnd],
]);
