/**
 * TranscriptView: what is shown of one session, and which page it wants next.
 *
 * The same rules as `histbench.transcript.view`, which is the oracle of this module and says what
 * they are.  It does no I/O: a driver hands on the requests it takes from `takeRequests`.
 */

import { Blocks, recordOf } from "./blocks.js";
import { ViewBounds } from "./view_bounds.js";
import { failureOfStatus, readAnswer, updateOf } from "./view_requests.js";

/** @typedef {import("./view_requests.js").Answer} Answer */
/** @typedef {import("./view_requests.js").RequestKind} RequestKind */
/** @typedef {import("./view_requests.js").ViewFailure} ViewFailure */
/** @typedef {import("./view_requests.js").ViewRequest} ViewRequest */

// Pages asked for by nobody, in a row.
export const MAX_AUTOMATIC = 8;
const CURSOR_REFUSED = "invalid_transcript_cursor";

export class TranscriptView {
  /** @type {"closed" | "opening" | "open"} */
  state = "closed";
  generation = 0;
  lastEventId = 0;
  /** @type {string | null} */
  epoch = null;
  hasOlder = false;
  hasNewer = false;
  capacityReached = false;
  /** @type {ViewFailure | null} */
  failure = null;
  /** @type {Record<string, number>} */
  notices = {}; // how often something was skipped: `malformed_event`, `already_shown`
  _blocks = new Blocks();
  /** @type {string | null} */
  _boundary = null;
  /** @type {string | null} */
  _cursor = null;
  /** @type {"older" | "newer"} */
  _readerAt = "newer";
  _automatic = 0;
  _number = 0;
  /** @type {ViewRequest | null} */
  _waiting = null;
  /** @type {ViewRequest[]} */
  _unsent = [];

  /**
   * @param {string} sessionId
   * @param {{pageSize?: number, maxBlocks?: number, maxBytes?: number}} bounds
   */
  constructor(sessionId, { pageSize = 100, ...bounds } = {}) {
    if (!(Number.isInteger(pageSize) && pageSize >= 1 && pageSize <= 500)) {
      throw new RangeError("invalid_transcript_limit");
    }
    this.sessionId = sessionId;
    this._pageSize = pageSize;
    this._bounds = new ViewBounds(bounds);
  }

  _forget() {
    this._blocks = new Blocks();
    this._boundary = this._cursor = null;
    this.lastEventId = 0;
    this.epoch = null;
    this.hasOlder = this.hasNewer = this.capacityReached = false;
    this.failure = null;
    this.notices = {};
    this._readerAt = "newer";
    this._automatic = 0;
  }

  /** What is shown, oldest first; not to be changed. */
  get blocks() {
    return this._blocks.blocks;
  }

  /** The bytes of all updates' JSON. */
  get byteSize() {
    return this._blocks.size;
  }

  /** The record that the next older page ends before. */
  get boundary() {
    return this._boundary;
  }

  /** What is under way. */
  get loading() {
    return this._waiting ? this._waiting.kind : null;
  }

  /** Whether asking for an older page would be of use. */
  get canLoadOlder() {
    const latched = this.failure !== null && !this.failure.retryable;
    const blocked = this.capacityReached || latched || this._waiting !== null;
    return this.state === "open" && this.hasOlder && !blocked;
  }

  /** The requests to send now, each handed out once. */
  takeRequests() {
    const unsent = this._unsent;
    this._unsent = [];
    return unsent.filter((request) => request === this._waiting);
  }

  /** Begin, or begin anew: after a lost stream, a resync, or at the newest end again. */
  open() {
    this.generation += 1;
    this.state = "opening";
    this.failure = null;
    this._want("load");
  }

  /** Forget everything; what is still under way will be ignored. */
  close() {
    this.generation += 1;
    this.state = "closed";
    this._waiting = null;
    this._unsent = [];
    this._forget();
  }

  /**
   * Want the page before what is shown; whether it is under way now.
   * @param {{automatic?: boolean}} how automatic: nobody asked
   */
  loadOlder({ automatic = false } = {}) {
    if (!this.canLoadOlder) return false;
    if (automatic && (this.failure !== null || this._automatic >= MAX_AUTOMATIC)) return false;
    this._automatic = automatic ? this._automatic + 1 : 0;
    if (!automatic) this._readerAt = "older";
    return this._wantOlder();
  }

  /** Be at the newest end again. */
  follow() {
    this._readerAt = "newer";
    if (this.state === "open" && this.hasNewer) this.open();
  }

  /** Ask again for the page that a failure tells of. */
  retry() {
    if (this.failure === null || this._waiting !== null || this.state === "closed") return;
    const failure = this.failure;
    this.failure = null;
    if (failure.kind === "load") this._want("load");
    else this._wantOlder();
  }

  /** Go on before the record that no page can hold, and show that it is missing. */
  passOver() {
    if (this.failure === null || this.failure.beyond === null || this.state !== "open") return;
    this._boundary = this.failure.beyond;
    this._cursor = null;
    const missing = new Blocks(this._blocks.nextOrdinal);
    missing.add("unavailable", null, this.failure.beyond);
    this._blocks.prepend(missing);
    this.failure = null;
    this._wantOlder();
  }

  _wantOlder() {
    if (this._cursor === null && this._boundary === null) {
      this._failed("no_anchor", "nothing that is shown names a record", "older");
      return false;
    }
    const recordId = this._cursor === null ? this._boundary : null;
    this._want("older", { cursor: this._cursor, recordId });
    return true;
  }

  /**
   * @param {RequestKind} kind
   * @param {{cursor?: string | null, recordId?: string | null, snapshot?: string | null}} where
   */
  _want(kind, { cursor = null, recordId = null, snapshot = null } = {}) {
    this._waiting = {
      sessionId: this.sessionId,
      generation: this.generation,
      number: ++this._number,
      kind,
      limit: this._pageSize,
      cursor,
      recordId,
      snapshot,
    };
    this._unsent = [this._waiting];
  }

  /** @param {ViewRequest} request */
  _settle(request) {
    if (this._waiting === null || request !== this._waiting) return false;
    this._waiting = null;
    return true;
  }

  /**
   * Learn that a page will not come; whether it was waited for.
   * @param {ViewRequest} request
   * @param {{code?: string, message?: string, status?: number | null, beyond?: string | null}} why
   */
  fail(request, why = {}) {
    if (!this._settle(request)) return false;
    const { code = "request_failed", message = "no answer", status = null, beyond = null } = why;
    const failure = failureOfStatus(request.kind, code, message, status, beyond);
    if (request.cursor !== null && this._boundary !== null && !failure.retryable) {
      // Whatever the daemon has against the cursor: the boundary names the same page.
      this._cursor = null;
      if (code === CURSOR_REFUSED) {
        this._want("older", { recordId: this._boundary });
        return true;
      }
    }
    this.failure = failure;
    return true;
  }

  /**
   * @param {string} code
   * @param {string} message
   * @param {RequestKind} kind
   */
  _failed(code, message, kind) {
    this.failure = { code, message, kind, retryable: false, beyond: null };
  }

  /**
   * Take an answer as the daemon sent it; whether anything is shown by it.
   * @param {ViewRequest} request
   * @param {unknown} answer
   */
  receive(request, answer) {
    if (!this._settle(request)) return false;
    const page = readAnswer(answer);
    const fault = faultOf(page, this.sessionId);
    if (page === null || fault !== null) {
      this._failed(fault ?? "page_malformed", "the page cannot be shown", request.kind);
      return false;
    }
    return this._show(request, page);
  }

  /**
   * @param {ViewRequest} request
   * @param {Answer} page
   */
  _show(request, page) {
    return request.kind === "load" ? this._load(page) : this._prepend(request, page);
  }

  /** @param {Answer} page */
  _load(page) {
    const shown = new Blocks(this._blocks.nextOrdinal);
    const notices = this.notices;
    this._forget();
    this.notices = notices;
    this._fold(shown, page.updates);
    this._blocks = shown;
    this.state = "open";
    this.lastEventId = page.lastEventId;
    this.epoch = page.epoch;
    this.hasOlder = page.hasMore;
    this._boundary = page.firstRecordId;
    this._cursor = page.nextCursor;
    // A whole first page is shown however large it is; then there is no room for another.
    this.capacityReached = this._bounds.areOver(shown);
    return true;
  }

  /**
   * @param {ViewRequest} request
   * @param {Answer} page
   */
  _prepend(request, page) {
    const boundary = page.firstRecordId ?? this._boundary;
    const goesOn = page.nextCursor !== null && page.nextCursor !== request.cursor;
    const moved = boundary !== this._boundary || goesOn;
    if (page.hasMore && !moved) {
      this._failed("page_stalled", "there is more, and no way to it", "older");
      return false;
    }
    const older = new Blocks(this._blocks.nextOrdinal);
    this._fold(older, this._fresh(page));
    if (this._bounds.areOver(this._blocks, older) && !this._makeRoomFor(older)) {
      this.capacityReached = true;
      return false;
    }
    this._blocks.prepend(older);
    this.failure = null;
    this.hasOlder = page.hasMore;
    this._boundary = boundary;
    this._cursor = page.nextCursor;
    return true;
  }

  /**
   * The updates of a page whose records are not shown already.
   * @param {Answer} page
   */
  _fresh(page) {
    const shown = this._blocks.recordIds();
    const fresh = page.updates.filter((each) => {
      const recordId = recordOf(each);
      return recordId === null || !shown.has(recordId);
    });
    this._note("already_shown", page.updates.length - fresh.length);
    return fresh;
  }

  /** Whether an older page fits after all. @param {Blocks} _older */
  _makeRoomFor(_older) {
    return false;
  }

  /**
   * Take what was appended; whether it is shown.
   * @param {unknown[]} events what a stream's frames hold, oldest first
   * @param {{lastEventId?: number | null, generation: number}} where the watermark behind them,
   *   and the view's generation when the stream was opened
   */
  receiveUpdates(events, { lastEventId = null, generation }) {
    if (this.state !== "open" || generation !== this.generation) return false;
    if (lastEventId !== null) {
      if (lastEventId <= this.lastEventId) return false;
      this.lastEventId = lastEventId;
    }
    if (this.hasNewer) return false;
    const updates = events.map(updateOf);
    if (this._readerAt === "older") {
      const appended = new Blocks();
      for (const update of updates) appended.take(update);
      this.hasNewer = this._bounds.areOver(this._blocks, appended);
      if (this.hasNewer) return false;
    }
    this._fold(this._blocks, updates);
    if (this._bounds.areOver(this._blocks)) this._makeRoom();
    return true;
  }

  _makeRoom() {
    let dropped = false;
    const { blocks, bytes } = this._bounds.trimmed();
    while (this._bounds.areOver(this._blocks) && this._blocks.dropOldest(blocks, bytes)) dropped = true;
    if (!dropped) return;
    this._boundary = this._blocks.blocks[0].recordIds[0] ?? null;
    this._cursor = null;
    this.hasOlder = true;
    this.capacityReached = false;
    // It would end before what was dropped.
    if (this._waiting !== null && this._waiting.kind === "older") this._waiting = null;
  }

  /**
   * @param {Blocks} blocks
   * @param {unknown[]} updates
   */
  _fold(blocks, updates) {
    let malformed = 0;
    for (const update of updates) if (!blocks.take(update)) malformed += 1;
    this._note("malformed_event", malformed);
  }

  /**
   * @param {string} code
   * @param {number} count
   */
  _note(code, count) {
    if (count) this.notices[code] = (this.notices[code] ?? 0) + count;
  }
}

/**
 * Why a page cannot be shown.
 * @param {Answer | null} page
 * @param {string} sessionId
 */
function faultOf(page, sessionId) {
  if (page === null) return "page_malformed";
  if (page.sessionId !== null && page.sessionId !== sessionId) return "page_foreign";
  return page.partial ? "page_partial" : null;
}
