/**
 * Blocks: what is shown of a transcript, folded from session updates and nothing else.
 *
 * The same rules as `histbench.transcript.blocks`, which is the oracle of this module; see there.
 * `dropNewest` is the browser's own: a reader who goes back far lets go of the newer end.
 */

/** @typedef {Record<string, any>} Update */

/**
 * One block; `recordIds` in the order they came, `updates` likewise, `size` bytes of JSON.
 * @typedef {object} Block
 * @property {number} ordinal
 * @property {string} kind
 * @property {string | null} key
 * @property {string[]} recordIds
 * @property {Update[]} updates
 * @property {number} size
 */

const RECORD_ID = "qwen.session.recordId";
const TRANSCRIPT = "qwenTranscript";
const TOOL = "tool";
const TOOL_KINDS = new Set(["tool_call", "tool_call_update"]);
const NOWHERE = Infinity;

const utf8 = new TextEncoder();

/**
 * @param {unknown} value
 * @returns {value is Record<string, any>}
 */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * @param {unknown} value
 * @returns {Record<string, any>}
 */
function objectOf(value) {
  return isObject(value) ? value : {};
}

/**
 * The record that an update was replayed from.
 * @param {unknown} update
 * @returns {string | null}
 */
export function recordOf(update) {
  const found = objectOf(objectOf(update)._meta)[RECORD_ID];
  return typeof found === "string" ? found : null;
}

/**
 * The bytes of an update's JSON.
 * @param {Update} update
 */
function sizeOf(update) {
  return utf8.encode(JSON.stringify(update)).length;
}

/** Some blocks in order, and how many bytes they have. */
export class Blocks {
  /** @param {number} nextOrdinal the first ordinal that is free */
  constructor(nextOrdinal = 0) {
    /** @type {Block[]} */
    this.blocks = [];
    this.size = 0;
    this.nextOrdinal = nextOrdinal;
    /** @type {Map<string, Block>} */
    this._tools = new Map();
    // Where records stand among each other: in the order they came, older pages before.
    /** @type {Map<string, number>} */
    this._places = new Map();
    this._firstPlace = 0;
    this._nextPlace = 0;
  }

  /** The records that are shown. */
  recordIds() {
    return new Set(this.blocks.flatMap((block) => block.recordIds));
  }

  /**
   * Fold an update in; false, and nothing changed, for what is none.
   * @param {unknown} update
   */
  take(update) {
    if (!isObject(update) || typeof update.sessionUpdate !== "string") return false;
    this._addTo(this._blockOf(update.sessionUpdate, update), update, sizeOf(update));
    return true;
  }

  /**
   * @param {string} kind
   * @param {Update} update
   * @returns {Block}
   */
  _blockOf(kind, update) {
    const callId = update.toolCallId;
    if (TOOL_KINDS.has(kind) && typeof callId === "string" && callId) {
      let block = this._tools.get(callId);
      if (block === undefined) {
        block = this.add(TOOL, callId);
        this._tools.set(callId, block);
      }
      return block;
    }
    if (!kind.endsWith("_chunk")) return this.add(kind, null);
    const segment = objectOf(objectOf(update._meta)[TRANSCRIPT]).segmentId;
    const key = typeof segment === "string" ? segment : recordOf(update);
    const last = this.blocks.at(-1);
    return last && last.kind === kind && last.key === key ? last : this.add(kind, key);
  }

  /**
   * @param {Block} block
   * @param {Update} update
   * @param {number} size
   */
  _addTo(block, update, size) {
    block.updates.push(update);
    block.size += size;
    this.size += size;
    const recordId = recordOf(update);
    if (recordId !== null) this._name(block, recordId);
  }

  /**
   * @param {Block} block
   * @param {string} recordId
   */
  _name(block, recordId) {
    if (!this._places.has(recordId)) this._places.set(recordId, this._nextPlace++);
    if (!block.recordIds.includes(recordId)) block.recordIds.push(recordId);
  }

  /**
   * A new block at the end.
   * @param {string} kind
   * @param {string | null} key
   * @param {string | null} recordId
   * @returns {Block}
   */
  add(kind, key, recordId = null) {
    const block = { ordinal: this.nextOrdinal++, kind, key, recordIds: [], updates: [], size: 0 };
    this.blocks.push(block);
    if (recordId !== null) this._name(block, recordId);
    return block;
  }

  /**
   * Put older blocks before these.
   *
   * Where a page was cut between a call and its result, the result's block is already shown: it
   * stays where it is and gets the call.
   * @param {Blocks} older
   */
  prepend(older) {
    this.size += older.size;
    this.nextOrdinal = Math.max(this.nextOrdinal, older.nextOrdinal);
    /** @type {Block[]} */
    const kept = [];
    for (const block of older.blocks) {
      const own = block.kind === TOOL && block.key ? this._tools.get(block.key) : undefined;
      if (own === undefined) {
        kept.push(block);
        continue;
      }
      own.updates.unshift(...block.updates);
      own.size += block.size;
      own.recordIds.unshift(...block.recordIds.filter((each) => !own.recordIds.includes(each)));
    }
    this.blocks = kept.concat(this.blocks);
    this._tools = new Map([...older._tools, ...this._tools]);
    const fresh = [...older._places.keys()].filter((each) => !this._places.has(each));
    this._firstPlace -= fresh.length;
    fresh.forEach((each, number) => this._places.set(each, this._firstPlace + number));
  }

  /**
   * Drop the oldest blocks until this many are left, whole records only; whether any went.
   * @param {number} maxBlocks
   * @param {number} maxSize
   */
  dropOldest(maxBlocks, maxSize) {
    const cut =
      this._cut(maxBlocks, maxSize, true) || this._cut(maxBlocks, maxSize, false);
    const dropped = this.blocks.splice(0, cut);
    this._forget(dropped);
    const first = dropped.length ? this._earliest(this.blocks[0]) : NOWHERE;
    for (const block of dropped) this._keepLate(block, first);
    this._forgetPlaces();
    return cut > 0;
  }

  /**
   * Drop the newest blocks until this many are left, whole records only; whether any went.
   * @param {number} maxBlocks
   * @param {number} maxSize
   */
  dropNewest(maxBlocks, maxSize) {
    // The latest record of the blocks before each.
    const latest = [-NOWHERE];
    for (const block of this.blocks) latest.push(Math.max(latest[latest.length - 1], this._latest(block)));
    let cut = this.blocks.length;
    let size = this.size;
    let passed = NOWHERE;
    for (let place = this.blocks.length - 1; place > 0; place--) {
      if (cut === place + 1 && cut <= maxBlocks && size <= maxSize) break;
      const block = this.blocks[place];
      size -= block.size;
      if (block.recordIds.length) passed = Math.min(passed, this._earliest(block));
      if (latest[place] < passed && latest[place] > -NOWHERE) cut = place;
    }
    const dropped = this.blocks.splice(cut);
    this._forget(dropped);
    this._forgetPlaces();
    return dropped.length > 0;
  }

  /** The newest record that is shown. */
  lastRecordId() {
    let found = null;
    let at = -NOWHERE;
    for (const [recordId, place] of this._places) {
      if (place >= at) [found, at] = [recordId, place];
    }
    return found;
  }

  /** @param {Block[]} dropped */
  _forget(dropped) {
    for (const block of dropped) {
      this.size -= block.size;
      if (block.kind === TOOL && block.key && this._tools.get(block.key) === block) {
        this._tools.delete(block.key);
      }
    }
  }

  _forgetPlaces() {
    const kept = this.recordIds();
    this._places = new Map([...this._places].filter(([each]) => kept.has(each)));
  }

  /**
   * How many blocks to drop: the fewest whole records that are enough, or all that can go.
   * @param {number} maxBlocks
   * @param {number} maxSize
   * @param {boolean} named
   */
  _cut(maxBlocks, maxSize, named) {
    const count = this.blocks.length;
    // The earliest record from each block on.
    const earliest = new Array(count + 1).fill(NOWHERE);
    for (let place = count - 1; place >= 0; place--) {
      earliest[place] = Math.min(earliest[place + 1], this._earliest(this.blocks[place]));
    }
    let size = this.size;
    let cut = 0;
    let passed = -NOWHERE;
    for (let place = 0; place < count - 1; place++) {
      if (cut === place && count - cut <= maxBlocks && size <= maxSize) break;
      const block = this.blocks[place];
      size -= block.size;
      if (block.recordIds.length) passed = Math.max(passed, this._earliest(block));
      const begins = this._earliest(this.blocks[place + 1]);
      const names = begins < NOWHERE && begins === earliest[place + 1];
      if (passed < earliest[place + 1] && (!named || names)) cut = place + 1;
    }
    return cut;
  }

  /** @param {Block} block */
  _earliest(block) {
    return block.recordIds.reduce(
      (least, each) => Math.min(least, this._places.get(each) ?? NOWHERE),
      NOWHERE,
    );
  }

  /** @param {Block} block */
  _latest(block) {
    return block.recordIds.reduce(
      (most, each) => Math.max(most, this._places.get(each) ?? -NOWHERE),
      -NOWHERE,
    );
  }

  /**
   * Keep the results of a dropped call that came with records which stay.
   * @param {Block} block
   * @param {number} first
   */
  _keepLate(block, first) {
    const late = block.updates.filter(
      (each) => (this._places.get(recordOf(each) ?? "") ?? -NOWHERE) >= first,
    );
    if (!late.length || block.key === null) return;
    const kept = this.add(TOOL, block.key);
    this._tools.set(block.key, kept);
    for (const update of late) this._addTo(kept, update, sizeOf(update));
    this.blocks.pop();
    const place = this._earliest(kept);
    const at = this.blocks.findIndex((each) => {
      const begins = this._earliest(each);
      return place < begins && begins < NOWHERE;
    });
    this.blocks.splice(at < 0 ? this.blocks.length : at, 0, kept);
  }
}
