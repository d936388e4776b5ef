/**
 * The errors that reading a page raises, with the codes of `histbench.errors`.
 *
 * A code is stable and the same in both languages; a message may be reworded.  `found` is kept
 * short and printable, so that a payload never floods whoever shows it.
 */

const SHOWN_CHARACTERS = 60;

/**
 * A value as one short line: what cannot be printed, or would act on text around it, is escaped.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function short(value) {
  let text;
  if (typeof value === "string") {
    text = JSON.stringify(value.slice(0, SHOWN_CHARACTERS + 1));
  } else if (Array.isArray(value)) {
    text = `an array of ${value.length}`;
  } else if (typeof value === "object" && value !== null) {
    text = "an object";
  } else {
    text = String(value);
  }
  text = text.replace(/[^ -~]/g, escaped);
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}

/**
 * @param {string} unit one UTF-16 unit
 * @returns {string}
 */
function escaped(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Whatever is refused on purpose. */
export class HistbenchError extends Error {
  /**
   * @param {string} reason what is wrong
   * @param {{code: string, seq?: number | null, found?: unknown, expected?: string}} details
   */
  constructor(reason, { code, seq = null, found, expected }) {
    const parts = [reason];
    if (found !== undefined) {
      parts.push(`found ${short(found)}`);
    }
    if (expected !== undefined) {
      parts.push(`expected ${expected}`);
    }
    super(parts.join("; "));
    this.name = new.target.name;
    /** The stable code, in snake_case. */
    this.code = code;
    /** The seq where it is wrong, null where none is known. */
    this.seq = seq;
  }
}

/** The call is wrong. */
export class UsageError extends HistbenchError {}

/** Not JSON, or JSON that cannot be held. */
export class InvalidJson extends HistbenchError {}

/** A value that is no event. */
export class InvalidEvent extends HistbenchError {}

/** A row that breaks a rule of its grammar. */
export class InvalidRow extends HistbenchError {}

/** A page that does not hold what it says. */
export class InvalidPage extends HistbenchError {}

/** A page that is longer, or would expand further, than it may. */
export class LimitExceeded extends HistbenchError {}
