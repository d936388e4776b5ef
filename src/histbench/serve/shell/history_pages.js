/**
 * HistoryPages: pages of session logs from a daemon, proved, in the form that suits both.
 *
 *     const pages = new HistoryPages(daemon);
 *     for (const request of window.takeRequests()) {
 *       window.receive(request, await pages.get(request.sessionId, request.parameters()));
 *     }
 */

import { RequestFailed } from "./daemon.js";
import { HistbenchError } from "./history/errors.js";
import { MAX_PAGE_BYTES, decodePage } from "./history/forms.js";
import { FormChoice } from "./history/negotiation.js";

/** @typedef {import("./daemon.js").Daemon} Daemon */
/** @typedef {import("./daemon.js").Query} Query */
/** @typedef {import("./history/page.js").HistoryPage} HistoryPage */

export class HistoryPages {
  /** @type {Promise<FormChoice> | null} */
  #choice = null;

  /** @param {Daemon} daemon */
  constructor(daemon) {
    this.daemon = daemon;
  }

  /**
   * A page of a log.
   *
   * @param {string} sessionId
   * @param {Query} [parameters] `beforeSeq`, `maxMessages`, `maxEvents`, `maxBytes`
   * @param {{form?: string | null, signal?: AbortSignal}} [how] a form by name: that one only
   * @returns {Promise<HistoryPage>}
   * @throws {RequestFailed} as every request; `bad_answer` for a page that is none
   */
  get(sessionId, parameters = {}, how = {}) {
    return this.#get(`/session/${encodeURIComponent(sessionId)}/history`, parameters, how);
  }

  /**
   * A page of a child's log, asked for by the session that started it in `mode`.
   *
   * @param {string} parentId
   * @param {string} childId
   * @param {Query & {mode: string}} parameters
   * @param {{form?: string | null, signal?: AbortSignal}} [how]
   * @returns {Promise<HistoryPage>}
   */
  getSubagent(parentId, childId, parameters, how = {}) {
    const parent = `/session/${encodeURIComponent(parentId)}`;
    return this.#get(`${parent}/subagent/${encodeURIComponent(childId)}/history`, parameters, how);
  }

  /**
   * @param {string} path
   * @param {Query} query
   * @param {{form?: string | null, signal?: AbortSignal}} how
   * @returns {Promise<HistoryPage>}
   */
  async #get(path, query, { form = null, signal }) {
    if (form !== null) {
      return this.#page(path, query, form, signal);
    }
    const choice = await this.#chosen(signal);
    for (;;) {
      const chosen = choice.form;
      try {
        return await this.#page(path, query, chosen, signal);
      } catch (error) {
        if (!(error instanceof RequestFailed) || !choice.giveUp(chosen, error.code)) {
          throw error;
        }
      }
    }
  }

  /**
   * @param {string} path
   * @param {Query} query
   * @param {string} form
   * @param {AbortSignal} [signal]
   */
  async #page(path, query, form, signal) {
    const named = form === "packed" ? null : form;
    const response = await this.daemon.fetch(path, { query: { ...query, form: named }, signal });
    const data = await bodyOf(response);
    try {
      return decodePage(data, form);
    } catch (error) {
      if (error instanceof HistbenchError) {
        throw new RequestFailed("bad_answer", `this is no page: ${error.message}`);
      }
      throw error;
    }
  }

  /**
   * The choice of a form; the daemon is asked once for what it has.
   *
   * @param {AbortSignal} [signal]
   */
  async #chosen(signal) {
    this.#choice ??= featuresOf(this.daemon, signal).then((features) => new FormChoice(features));
    try {
      return await this.#choice;
    } catch (error) {
      this.#choice = null;
      throw error;
    }
  }
}

/**
 * @param {Daemon} daemon
 * @param {AbortSignal} [signal]
 * @returns {Promise<string[]>} none where the daemon has no capabilities to tell of
 */
async function featuresOf(daemon, signal) {
  try {
    const { features } = await daemon.capabilities(signal);
    return Array.isArray(features) ? features.map(String) : [];
  } catch (error) {
    if (error instanceof RequestFailed && error.status === 404) {
      return [];
    }
    throw error;
  }
}

/**
 * A body that is no longer than a page may be.
 *
 * @param {Response} response
 * @returns {Promise<Uint8Array>}
 * @throws {RequestFailed} `bad_answer`; the rest of it was not read
 */
async function bodyOf(response) {
  /** @type {Uint8Array[]} */
  const parts = [];
  let length = 0;
  try {
    const reader = response.body?.getReader();
    for (let part; reader && !(part = await reader.read()).done; ) {
      parts.push(part.value);
      length += part.value.length;
      if (length > MAX_PAGE_BYTES) {
        await reader.cancel();
        throw new RequestFailed("bad_answer", "the page is too large");
      }
    }
  } catch (error) {
    if (error instanceof RequestFailed) {
      throw error;
    }
    throw new RequestFailed("connection_failed", `the answer could not be read (${error})`);
  }
  const data = new Uint8Array(length);
  let start = 0;
  for (const part of parts) {
    data.set(part, start);
    start += part.length;
  }
  return data;
}
