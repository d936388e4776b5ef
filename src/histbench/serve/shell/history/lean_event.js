/**
 * LeanEvent: an event as its page holds it, told from the rows that its markers name.
 *
 * A copy costs nothing: it is the text that its rows are folded to, and not another one.  A range
 * costs what it stands for, so those in `sourceEventSeqs`, which no fold looks at, are written out
 * only for whoever asks for the event itself.
 */

import { Plain, deltaOfPlain } from "./records.js";

/** @typedef {import("./events.js").Event} Event */
/** @typedef {import("./lean_markers.js").Marker} Marker */
/** @typedef {import("./records.js").PageRecord} PageRecord */
/** @typedef {import("./rows.js").RowHead} RowHead */

/** @type {readonly Marker[]} */
const NONE = Object.freeze([]);

/** An event with markers in it; it is told once these are proved and have their sources. */
export class LeanEvent extends Plain {
  /** @type {readonly Marker[]} ranges that are told last */
  #left = NONE;

  /**
   * @param {Event} event
   * @param {unknown} view
   * @param {readonly Marker[] | null} markers null when an empty key is no part of one
   */
  constructor(event, view, markers) {
    super(event, view);
    this.markers = markers;
  }

  /** @returns {Event} */
  get event() {
    this.tell();
    if (this.#left.length > 0) {
      writeRanges(this.#left);
      this.#left = NONE;
    }
    return this.read;
  }

  /** @returns {Event} */
  tell() {
    if (this.markers !== null) {
      this.#left = tellMarkers(this.markers, this.read.sourceEventSeqs);
      this.markers = null;
    }
    return this.read;
  }
}

/**
 * Write out copies, and ranges that are not in the provenance.
 *
 * @param {readonly Marker[]} markers
 * @param {unknown} provenance
 * @returns {readonly Marker[]} the ranges that are
 */
function tellMarkers(markers, provenance) {
  /** @type {Marker[]} */
  const left = [];
  /** @type {Marker[]} */
  const others = [];
  for (const marker of markers) {
    if (marker.seqs !== null) {
      writeCopy(marker);
    } else if (marker.holder === provenance) {
      left.push(marker);
    } else {
      others.push(marker);
    }
  }
  // Last, for elements move, and copies stand where they stood.
  writeRanges(others);
  return left;
}

/** @param {Marker} copy */
function writeCopy({ holder, key, sources }) {
  let text = textOf(sources[0]);
  for (let k = 1; k < sources.length; k += 1) {
    text += textOf(sources[k]);
  }
  holder[key] = text;
}

/**
 * @param {PageRecord} source a row or a delta
 * @returns {string}
 */
export function textOf(source) {
  const row = source instanceof Plain ? deltaOfPlain(source) : source;
  return /** @type {RowHead} */ (row).text();
}

/**
 * Write ranges out in the arrays that hold them, all of an array at once, since elements move.
 *
 * @param {readonly Marker[]} ranges
 */
function writeRanges(ranges) {
  /** @type {Map<unknown[], Map<number, Marker>>} */
  const holders = new Map();
  for (const range of ranges) {
    const holder = /** @type {unknown[]} */ (/** @type {unknown} */ (range.holder));
    const places = holders.get(holder) ?? new Map();
    holders.set(holder, places.set(range.key, range));
  }
  for (const [holder, places] of holders) {
    const marked = holder.splice(0);
    marked.forEach((member, place) => {
      const range = places.get(place);
      if (range === undefined) {
        holder.push(member);
        return;
      }
      for (let integer = range.first; integer <= range.last; integer += 1) {
        holder.push(integer);
      }
    });
  }
}
