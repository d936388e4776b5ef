/**
 * TranscriptList: the blocks of a view in a box that scrolls, without anything moving by itself.
 *
 * Drawing keeps the first block in sight where it is, to the pixel, whatever comes before it or
 * goes; a reader at the newest end stays at that end instead.  The browser's own anchoring is off,
 * as the two would add up; line heights are whole pixels, as scroll positions are.
 *
 * Earlier pages are asked for near the top when the reader scrolls there, and by themselves only
 * while there is nothing to scroll.
 */

import { blocksInSight, isInSight, movedBy, outOfSight } from "./anchor.js";
import { BlockElement } from "./block_element.js";
import { EndRows } from "./end_rows.js";

/** @typedef {import("../transcript/browsing_view.js").BrowsingView} BrowsingView */

// How near to an end the next page is asked for.
const NEAR = 600;
const AT_END = 32;
// What stays free above a block that was gone to.
const MARGIN = 16;
// Pages that one step to another turn may ask for.
const STEP_PAGES = 8;

export class TranscriptList {
  /**
   * @param {{scroller: HTMLElement, blocks: HTMLElement, older: HTMLElement, newer: HTMLElement,
   *   act: (change: (view: BrowsingView) => unknown) => void, moved: () => void}} parts
   */
  constructor({ scroller, blocks, older, newer, act, moved }) {
    this.scroller = scroller;
    this._container = blocks;
    this._ends = new EndRows(older, newer, act);
    this._act = act;
    this._moved = moved;
    /** @type {Map<number, BlockElement>} */
    this._elements = new Map();
    /** @type {BrowsingView | null} */
    this._view = null;
    this._atEnd = true;
    this._top = 0;
    this._step = 0;
    this._stepPages = 0;
    this._filling = false;
    /** @type {import("../transcript/view_requests.js").ViewFailure | null} */
    this._failure = null;
    /** @type {string | null} */
    this._target = null;
    scroller.addEventListener("scroll", () => this._scrolled(), { passive: true });
    new ResizeObserver(() => this._resized()).observe(scroller);
  }

  /** Forget what is drawn. */
  clear() {
    this._elements.clear();
    this._container.replaceChildren();
    this._ends.clear();
    this._atEnd = true;
    this._step = 0;
    this._target = null;
    this._view = null;
  }

  /** @param {BrowsingView} view */
  draw(view) {
    this._view = view;
    const jumped = view.target !== null && view.target !== this._target;
    // A scroll's event may come only after this drawing, which must not take the reader back.
    if (!jumped) this._scrolled();
    const { target } = view;
    const back = target === null && this._target !== null;
    this._target = target;
    const told = this._newFailure(view);
    const seen = told !== null && isInSight(this.scroller, told);
    const anchors = blocksInSight(this.scroller, this._container);
    this._drawBlocks(view);
    this._ends.draw(view);
    if (jumped && target !== null) this._goTo(target);
    else if (back || this._sticks(view)) this._setTop(this.scroller.scrollHeight);
    else this._hold(anchors);
    // A failure has more to say than the row that was in sight.
    if (told !== null && seen) this._setTop(this.scroller.scrollTop + outOfSight(this.scroller, told));
    this._fill(view);
    if (this._step && view.loading === null) this._goOn(this._step);
    this._moved();
  }

  /** The newest end, loaded if it was let go. */
  toEnd() {
    const view = this._view;
    if (view === null) return;
    this._atEnd = true;
    this._act((each) => each.follow());
    if (!view.hasNewer) this._setTop(this.scroller.scrollHeight);
  }

  /**
   * Whether the newest end is kept in sight.
   * @param {BrowsingView} view
   */
  _sticks(view) {
    return this._atEnd && !view.hasNewer;
  }

  /** @param {BrowsingView} view */
  _drawBlocks(view) {
    const kept = new Set(view.blocks.map((block) => block.ordinal));
    for (const [ordinal, each] of this._elements) {
      if (kept.has(ordinal)) continue;
      each.root.remove();
      this._elements.delete(ordinal);
    }
    let place = this._container.firstChild;
    for (const block of view.blocks) {
      let each = this._elements.get(block.ordinal);
      if (each === undefined) {
        each = new BlockElement(block);
        this._elements.set(block.ordinal, each);
      } else {
        each.draw();
      }
      if (each.root === place) place = place.nextSibling;
      else this._container.insertBefore(each.root, place);
    }
  }

  /**
   * The row that will tell of a failure for the first time.
   * @param {BrowsingView} view
   */
  _newFailure({ failure }) {
    const told = failure !== null && failure !== this._failure;
    this._failure = failure;
    return told ? this._ends.rowOf(failure) : null;
  }

  /** @param {import("./anchor.js").Anchor[]} anchors */
  _hold(anchors) {
    // After a load everything is drawn anew: then the same record is the same place.
    const moved = movedBy(anchors, (recordId) => this._drawnAs(recordId));
    if (moved) this._setTop(this.scroller.scrollTop + moved);
  }

  /** @param {string} recordId */
  _drawnAs(recordId) {
    return [...this._elements.values()].find((each) => each.root.dataset.record === recordId)?.root;
  }

  /** @param {number} top */
  _setTop(top) {
    this.scroller.scrollTop = top;
    this._top = this.scroller.scrollTop;
    this._atEnd = this._isAtEnd();
  }

  _isAtEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    return scrollHeight - scrollTop - clientHeight <= AT_END;
  }

  _scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    const view = this._view;
    // Scrolling that was done here is no wish of the reader's.
    if (scrollTop === this._top || view === null) return;
    const up = scrollTop < this._top;
    this._top = scrollTop;
    this._atEnd = this._isAtEnd();
    if (up && scrollTop < NEAR && view.canLoadOlder && view.failure === null) {
      this._ask((each) => each.loadOlder());
    } else if (!up && scrollHeight - scrollTop - clientHeight < NEAR && view.canLoadNewer) {
      this._ask((each) => each.loadNewer());
    }
    if (this._atEnd && !view.hasNewer) view.follow();
    this._moved();
  }

  /**
   * After this drawing, which may be called by what would send the request.
   * @param {(view: BrowsingView) => unknown} change
   */
  _ask(change) {
    const view = this._view;
    queueMicrotask(() => {
      if (this._view === view) this._act(change);
    });
  }

  _resized() {
    if (this._view === null) return;
    this._scrolled();
    if (this._sticks(this._view)) this._setTop(this.scroller.scrollHeight);
    this._fill(this._view);
  }

  /**
   * Ask for more while there is nothing to scroll.
   * @param {BrowsingView} view
   */
  _fill(view) {
    const { scrollHeight, clientHeight } = this.scroller;
    if (clientHeight > 0 && scrollHeight <= clientHeight + 1 && view.canLoadOlder && !this._filling) {
      // After this drawing, which is called by what would send the request.
      this._filling = true;
      queueMicrotask(() => {
        this._filling = false;
        if (this._view === view) this._act((each) => each.loadOlder({ automatic: true }));
      });
    }
  }

  /** @param {string} recordId */
  _goTo(recordId) {
    const found = [...this._elements.values()].find((each) => each.block.recordIds.includes(recordId));
    if (found === undefined || found.root.hidden) return;
    this._place(found.root);
    found.root.classList.add("found");
    found.root.tabIndex = -1;
    found.root.focus({ preventScroll: true });
  }

  /** @param {HTMLElement} root */
  _place(root) {
    const { scroller } = this;
    const top = root.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
    this._setTop(scroller.scrollTop + top - MARGIN);
  }

  /**
   * Go to a record if it is shown; whether it is.
   * @param {string} recordId
   */
  show(recordId) {
    const shown = this._view?.blocks.some((block) => block.recordIds.includes(recordId)) ?? false;
    if (shown) this._goTo(recordId);
    return shown;
  }

  /** The record of the turn in sight. */
  currentTurn() {
    const top = this.scroller.getBoundingClientRect().top + 24;
    let current = null;
    for (const each of this._turns()) {
      if (each.getBoundingClientRect().top > top && current !== null) break;
      current = each.dataset.record ?? null;
      if (each.getBoundingClientRect().top > top) break;
    }
    return current;
  }

  /** The record of the newest turn that is loaded. */
  newestTurn() {
    return [...this._turns()].at(-1)?.dataset.record ?? null;
  }

  _turns() {
    return /** @type {NodeListOf<HTMLElement>} */ (
      this._container.querySelectorAll(".block.user:not([hidden])")
    );
  }

  /**
   * Go to the next turn (1) or the one before (-1); on into pages that are not loaded yet.
   * @param {1 | -1} step
   */
  stepTurn(step) {
    this._stepPages = 0;
    this._goOn(step);
  }

  /** @param {number} step */
  _goOn(step) {
    this._step = 0;
    const view = this._view;
    if (view === null) return;
    const top = this.scroller.getBoundingClientRect().top + MARGIN;
    const away = (/** @type {HTMLElement} */ root) => root.getBoundingClientRect().top - top;
    const turns = [...this._turns()];
    const next =
      step > 0 ? turns.find((each) => away(each) > 1) : turns.filter((each) => away(each) < -1).at(-1);
    if (next !== undefined) {
      this._place(next);
      next.tabIndex = -1;
      next.focus({ preventScroll: true });
      this._moved();
      return;
    }
    if (view.loading !== null || this._stepPages >= STEP_PAGES) return;
    const wanted = step < 0 ? view.canLoadOlder : view.canLoadNewer;
    if (wanted) {
      this._step = step;
      this._stepPages += 1;
      this._act((each) => (step < 0 ? each.loadOlder() : each.loadNewer()));
    } else {
      this._setTop(step < 0 ? 0 : this.scroller.scrollHeight);
    }
  }
}
