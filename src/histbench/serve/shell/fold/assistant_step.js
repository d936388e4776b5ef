/**
 * One step of the assistant while it is being folded, as in `histbench.fold.assistant_step`, whose
 * top tells the rules for blocks, first token and first visible.
 */

import { CALL_KIND, REASONING_KIND, TEXT_KIND, isBlank } from "../history/events.js";
import { isObject } from "../history/jsontext.js";

/** @typedef {import("../history/rows.js").RowHead} RowHead */
/** @typedef {import("./compact.js").CompactInput} CompactInput */
/** @typedef {import("../history/events.js").DeltaKind} DeltaKind */
/** @typedef {Record<string, unknown>} Usage */

/**
 * An event's seq, and its time in milliseconds.
 *
 * @typedef {{seq: number, time: number}} Moment
 */

/**
 * One block of a step; a call's `text` is its arguments as they were written.  `value` is the JSON
 * value of a finished block of any other kind, null elsewhere.
 *
 * @typedef {object} Block
 * @property {string} kind
 * @property {string} text
 * @property {string} callId
 * @property {string} name
 * @property {unknown} value
 */

// What block-start, block-end and a message's content call the block that a delta appends to.
/** @type {ReadonlyMap<DeltaKind, string>} */
const KIND_OF_DELTA = new Map([
  [TEXT_KIND, "text"],
  [REASONING_KIND, "reasoning"],
  [CALL_KIND, "tool-call"],
]);

/** A block that may still grow. */
class OpenBlock {
  callId = "";
  name = "";

  /**
   * @param {string} kind
   * @param {string} [text]
   * @param {unknown} [value]
   */
  constructor(kind, text = "", value = null) {
    this.kind = kind;
    this.parts = [text];
    this.value = value;
    this.visible =
      kind === "text" || kind === "reasoning" ? !isBlank(text) : kind !== "tool-call";
  }

  /** @returns {Block} as it is now */
  block() {
    const { kind, callId, name, value } = this;
    return { kind, text: this.parts.join(""), callId, name, value };
  }
}

/**
 * The block that a block-end or a message's content holds.
 *
 * @param {unknown} value
 * @returns {OpenBlock}
 */
function finishedBlock(value) {
  const fields = isObject(value) ? value : {};
  const kind = string(fields.type);
  if (kind === "text" || kind === "reasoning") {
    return new OpenBlock(kind, string(fields.text));
  }
  if (kind === "tool-call") {
    const block = new OpenBlock(kind, string(fields.arguments));
    block.callId = string(fields.id);
    block.name = string(fields.name);
    return block;
  }
  return new OpenBlock(kind, "", value);
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function string(value) {
  return typeof value === "string" ? value : "";
}

/** One step of one turn, event by event, row by row, or input by input. */
export class Step {
  /** @type {Moment | null} */
  started = null;
  /** @type {Moment | null} */
  firstToken = null;
  /** @type {Moment | null} */
  firstVisible = null;
  /** @type {Moment | null} */
  message = null;
  interrupted = false;
  // The event that ended the step before it had a message.
  /** @type {Moment | null} */
  boundary = null;
  /** @type {Usage | null} */
  lastUsage = null;
  /** @type {Usage | null} */
  summedUsage = null;
  /** @type {Map<number, OpenBlock>} */
  #blocks = new Map();

  /**
   * @param {number} turn
   * @param {number} step
   */
  constructor(turn, step) {
    this.turn = turn + 0;
    this.step = step + 0;
  }

  /** Whether anything of the step is visible now. */
  get visible() {
    return [...this.#blocks.values()].some((block) => block.visible);
  }

  /**
   * The blocks by ascending index.
   *
   * @returns {Block[]}
   */
  blocks() {
    return [...this.#blocks].sort(([a], [b]) => a - b).map(([, block]) => block.block());
  }

  /**
   * Fold a run of deltas of any length, one included.
   *
   * @param {RowHead} row
   */
  addRow(row) {
    const block = this.#growingBlock(row);
    if (this.firstToken === null) {
      this.firstToken = momentIn(row, row.firstToken());
    }
    if (!row.kind.isCall && !block.visible) {
      this.#show(block, momentIn(row, row.firstVisible()));
    }
    block.parts.push(row.text());
  }

  /**
   * Fold a compact input, dated by its first token or visible member.
   *
   * @param {CompactInput} given
   */
  addCompact(given) {
    const block = this.#growingBlock(given);
    const moment = { seq: given.seq, time: given.time };
    if (this.firstToken === null && (given.text !== "" || given.name !== null)) {
      this.firstToken = moment;
    }
    if (!given.kind.isCall && !block.visible && !isBlank(given.text)) {
      this.#show(block, moment);
    }
    block.parts.push(given.text);
  }

  /**
   * The block that a delta appends to, which it begins anew if its kind is another.
   *
   * @param {RowHead | CompactInput} delta
   * @returns {OpenBlock}
   */
  #growingBlock(delta) {
    const kind = /** @type {string} */ (KIND_OF_DELTA.get(delta.kind));
    let block = this.#blocks.get(delta.index);
    if (block === undefined || block.kind !== kind) {
      block = new OpenBlock(kind);
      this.#blocks.set(delta.index, block);
    }
    block.callId ||= delta.callId ?? "";
    block.name = delta.name ?? block.name;
    return block;
  }

  /**
   * Put an empty block at `index`.
   *
   * @param {number} index
   * @param {unknown} kind
   * @param {Moment} moment
   */
  startBlock(index, kind, moment) {
    this.#put(index, new OpenBlock(string(kind)), moment);
  }

  /**
   * Put a finished block at `index`.
   *
   * @param {number} index
   * @param {unknown} value
   * @param {Moment} moment
   */
  endBlock(index, value, moment) {
    this.#put(index, finishedBlock(value), moment);
  }

  /**
   * @param {number} index
   * @param {OpenBlock} block
   * @param {Moment} moment
   */
  #put(index, block, moment) {
    this.#blocks.set(index, block);
    if (block.visible) {
      this.#show(block, moment);
    }
  }

  /**
   * @param {OpenBlock} block
   * @param {Moment | null} moment null when nothing of it is visible
   */
  #show(block, moment) {
    if (moment !== null) {
      block.visible = true;
      this.firstVisible ??= moment;
    }
  }

  /**
   * Keep the usage for the chat, add it up for the trajectory.
   *
   * @param {unknown} usage
   */
  addUsage(usage) {
    if (!isObject(usage)) {
      return;
    }
    this.lastUsage = usage;
    // Without a prototype, so that no name of a count is taken for anything else.
    /** @type {Usage} */
    const total = Object.assign(Object.create(null), this.summedUsage);
    for (const [name, value] of Object.entries(usage)) {
      if (typeof value === "number") {
        total[name] = Number(total[name] ?? 0) + value;
      }
    }
    this.summedUsage = total;
  }

  /**
   * Take an append message's content for all blocks.
   *
   * @param {unknown} content
   * @param {Moment} moment
   * @param {boolean} interrupted
   */
  settle(content, moment, interrupted) {
    this.#blocks = new Map();
    if (Array.isArray(content)) {
      content.forEach((value, index) => this.#put(index, finishedBlock(value), moment));
    }
    this.message = moment;
    this.interrupted = interrupted;
  }

  /**
   * Learn that the step is over; without a message, that interrupts it.
   *
   * @param {Moment} moment
   */
  end(moment) {
    if (this.message === null) {
      this.boundary ??= moment;
    }
  }

  /** Forget the attempt, but for when its first token came and what it used. */
  retry() {
    this.#blocks = new Map();
    this.firstVisible = null;
    this.lastUsage = null;
    this.message = null;
    this.boundary = null;
    this.interrupted = false;
  }
}

/**
 * @param {RowHead} row
 * @param {number | null} member
 * @returns {Moment | null}
 */
function momentIn(row, member) {
  return member === null ? null : { seq: row.seq0 + member, time: row.timeOf(member) };
}
