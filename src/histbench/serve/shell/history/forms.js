/**
 * The forms in which a page is shipped, as in `histbench.history.forms`.
 *
 * A form is read in two steps that a measurement keeps apart: `parse` is the engine's own parser,
 * `validate` proves the content.
 */

import { LimitExceeded, UsageError } from "./errors.js";
import { parseRaw, validateRaw } from "./raw.js";
import { parsePage, validatePage } from "./wire.js";

/** @typedef {import("./page.js").HistoryPage} HistoryPage */

/**
 * @typedef {object} Form
 * @property {(data: Uint8Array | string) => unknown} parse
 * @property {(parsed: unknown) => HistoryPage} validate
 */

const PAGE = Object.freeze({ parse: parsePage, validate: validatePage });

/** @type {ReadonlyMap<string, Form>} */
export const FORMS = new Map([
  ["raw", { parse: parseRaw, validate: (/** @type {unknown} */ parsed) => validateRaw(parsed) }],
  [
    "projection",
    {
      parse: parseRaw,
      validate: (/** @type {unknown} */ parsed) => validateRaw(parsed, { lossy: true }),
    },
  ],
  ["packed", PAGE],
  ["joined", PAGE],
  ["lean", PAGE],
]);

/** The longest page that is looked at, in bytes, or in UTF-16 units of a text. */
export const MAX_PAGE_BYTES = 128 * 1024 * 1024;

/**
 * The page that wire bytes or text hold, everything validated.
 *
 * @param {Uint8Array | string} data decompressed
 * @param {string} [form] one of FORMS
 * @param {{maxBytes?: number | null}} [options] null for any length
 * @returns {HistoryPage}
 * @throws {UsageError} `unknown_form`
 * @throws {LimitExceeded} `page_too_large`, nothing was looked at
 * @throws {HistbenchError} the data do not hold a page
 */
export function decodePage(data, form = "packed", { maxBytes = MAX_PAGE_BYTES } = {}) {
  const chosen = FORMS.get(form);
  if (chosen === undefined) {
    throw new UsageError("unknown form", {
      code: "unknown_form",
      found: form,
      expected: [...FORMS.keys()].join(", "),
    });
  }
  if (maxBytes !== null && data.length > maxBytes) {
    throw new LimitExceeded("the page is too large", {
      code: "page_too_large",
      found: data.length,
      expected: `at most ${maxBytes} bytes`,
    });
  }
  return chosen.validate(chosen.parse(data));
}
