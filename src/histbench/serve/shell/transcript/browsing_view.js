/**
 * BrowsingView: a TranscriptView that can stand anywhere in a transcript, within the same bounds.
 *
 *     jump(recordId, snapshot)   what is shown is replaced by the page around a record
 *     stay()                     or it is not, after the page could not be had
 *     loadNewer()                the page behind what is shown; at the end, the live tail again
 *     loadOlder()                as before, but a full view lets go of its newer end
 *
 * While the newer end is let go (`hasNewer`), live updates move the watermark and nothing else.
 * Coming back to the end, a load joins what is shown to the stream: it is joined only if the two
 * share a record, so that nothing between them is missing.
 */

import { Blocks } from "./blocks.js";
import { TranscriptView } from "./view.js";

/** @typedef {import("./view_requests.js").Answer} Answer */
/** @typedef {import("./view_requests.js").ViewRequest} ViewRequest */

export class BrowsingView extends TranscriptView {
  /** The record that was jumped to.
   * @type {string | null} */
  target = null;
  /** @type {{recordId: string, snapshot: string | null} | null} */
  _jump = null;

  /** Whether what is appended is what the reader looks at. */
  get readerAtNewest() {
    return this.state === "open" && !this.hasNewer && this._readerAt === "newer";
  }

  /**
   * Show the page around a record, a turn where a snapshot of a turn index is given.
   * @param {string} recordId
   * @param {string | null} snapshot
   */
  jump(recordId, snapshot = null) {
    if (this.state === "closed") return;
    this.generation += 1;
    this.failure = null;
    this._jump = { recordId, snapshot };
    this._want("at", this._jump);
  }

  /** Give up a jump that failed: what is shown stays, and goes on from where it is. */
  stay() {
    if (this.failure?.kind === "at") this.failure = null;
  }

  /** Whether asking for a newer page would be of use. */
  get canLoadNewer() {
    const latched = this.failure !== null;
    return this.state === "open" && this.hasNewer && !latched && this._waiting === null;
  }

  /** Want the page behind what is shown; whether it is under way now. */
  loadNewer() {
    const recordId = this._blocks.lastRecordId();
    if (!this.canLoadNewer || recordId === null) return false;
    this._want("newer", { recordId });
    return true;
  }

  /** @override */
  open() {
    this.target = null;
    super.open();
  }

  /** @override */
  follow() {
    this.target = null;
    super.follow();
  }

  /**
   * A record that a log showed while its step went on is covered by the step's message later: then
   * there is no way on from it, and the newest page comes instead.
   * @override
   * @param {ViewRequest} request
   * @param {{code?: string, message?: string, status?: number | null, beyond?: string | null}} why
   */
  fail(request, why = {}) {
    const waited = super.fail(request, why);
    if (waited && request.kind === "newer" && why.code === "invalid_transcript_cursor") this.open();
    return waited;
  }

  /** @override */
  retry() {
    const failure = this.failure;
    if (failure === null || this._waiting !== null || this.state === "closed") return;
    if (failure.kind === "load" || failure.kind === "older") {
      super.retry();
      return;
    }
    this.failure = null;
    if (failure.kind !== "at") this.loadNewer();
    else if (this._jump !== null) this.jump(this._jump.recordId, this._jump.snapshot);
  }

  /**
   * @override
   * @param {ViewRequest} request
   * @param {Answer} page
   */
  _show(request, page) {
    if (request.kind === "at") return this._showAround(request, page);
    if (request.kind === "newer") return this._append(page);
    if (request.kind === "attach") return this._attach(page);
    return super._show(request, page);
  }

  /**
   * @param {ViewRequest} request
   * @param {Answer} page
   */
  _showAround(request, page) {
    const { lastEventId, epoch, notices } = this;
    const shown = new Blocks(this._blocks.nextOrdinal);
    this._forget();
    this.notices = notices;
    this._fold(shown, page.updates);
    this._blocks = shown;
    this.state = "open";
    this.lastEventId = lastEventId;
    this.epoch = epoch;
    this.hasOlder = page.hasOlder;
    this.hasNewer = true;
    this._boundary = page.firstRecordId;
    this._readerAt = "older";
    this.target = request.recordId;
    if (!page.hasMore) this._want("attach");
    return true;
  }

  /** @param {Answer} page */
  _append(page) {
    this._fold(this._blocks, this._fresh(page));
    if (this._bounds.areOver(this._blocks)) this._makeRoom();
    this.capacityReached = false;
    if (!page.hasMore) this._want("attach");
    return true;
  }

  /** @param {Answer} page */
  _attach(page) {
    const shown = this._blocks.recordIds();
    const joined = page.updates.some((each) => {
      const recordId = /** @type {any} */ (each)?._meta?.["qwen.session.recordId"];
      return shown.has(recordId);
    });
    if (joined) this._fold(this._blocks, this._fresh(page));
    // Not joined: much was appended meanwhile, and the next newer page comes first.
    if (!joined) return false;
    this.hasNewer = false;
    this.generation += 1;
    this.lastEventId = page.lastEventId;
    this.epoch = page.epoch;
    this._readerAt = "newer";
    if (this._bounds.areOver(this._blocks)) this._makeRoom();
    return true;
  }

  /**
   * @override
   * @param {Blocks} older
   */
  _makeRoomFor(older) {
    const { blocks, bytes } = this._bounds.trimmed();
    const room = { blocks: blocks - older.blocks.length, bytes: bytes - older.size };
    if (room.blocks < 1 || room.bytes < 1) return false;
    if (this._blocks.dropNewest(room.blocks, room.bytes)) this.hasNewer = true;
    return !this._bounds.areOver(this._blocks, older);
  }
}
