/**
 * ViewBounds: how many blocks and bytes a view holds at most.
 */

/** @typedef {import("./blocks.js").Blocks} Blocks */

const MAX_BLOCKS = 50_000;
const MAX_BYTES = 128 * 1024 * 1024;
// Trimming goes somewhat further than it must, so that it is not done for every update.
const TRIMMED_TO = 0.9;

export class ViewBounds {
  /**
   * @param {{maxBlocks?: number, maxBytes?: number}} bounds bytes of the updates' JSON
   * @throws {RangeError} `bad_view_bound`
   */
  constructor({ maxBlocks = MAX_BLOCKS, maxBytes = MAX_BYTES }) {
    if (maxBlocks < 1 || maxBytes < 1) throw new RangeError("bad_view_bound");
    this._blocks = maxBlocks;
    this._bytes = maxBytes;
  }

  /**
   * Whether these together are more than is held.
   * @param {Blocks[]} shown
   */
  areOver(...shown) {
    const blocks = shown.reduce((sum, each) => sum + each.blocks.length, 0);
    const bytes = shown.reduce((sum, each) => sum + each.size, 0);
    return blocks > this._blocks || bytes > this._bytes;
  }

  /** What to trim to. */
  trimmed() {
    const trimmed = (/** @type {number} */ bound) => Math.max(1, Math.floor(bound * TRIMMED_TO));
    return { blocks: trimmed(this._blocks), bytes: trimmed(this._bytes) };
  }
}
