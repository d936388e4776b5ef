/**
 * Frames that are ahead of a window, kept until what is missing before them has come.
 */

/** @typedef {import("./records.js").Plain} Plain */
/** @typedef {import("./window_interval.js").Interval} Interval */

// Beyond, the page that closes the gap brings them anyway.
const MOST = 4096;

/** Live events by seq. */
export class Aside {
  /** @type {Map<number, Plain>} */
  #records = new Map();

  /** @param {Plain} record */
  keep(record) {
    if (this.#records.size < MOST) {
      this.#records.set(record.seq, record);
    }
  }

  /**
   * Drop what a page has brought, all before `seq`.
   *
   * @param {number} seq
   */
  forgetBefore(seq) {
    for (const kept of this.#records.keys()) {
      if (kept < seq) {
        this.#records.delete(kept);
      }
    }
  }

  /**
   * Give an interval what now follows it.
   *
   * @param {Interval} interval
   */
  appendTo(interval) {
    for (let next; (next = this.#records.get(interval.toSeq)) !== undefined; ) {
      this.#records.delete(next.seq);
      interval.append(next);
    }
  }

  clear() {
    this.#records.clear();
  }
}
