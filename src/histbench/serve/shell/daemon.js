/**
 * Daemon: the requests that the shell makes, and their refusals as one kind of error.
 *
 * A bearer token, where the daemon has one, is asked for by the shell and kept for the tab.
 */

/** @typedef {import("./transcript/view_requests.js").ViewRequest} ViewRequest */
/** @typedef {Record<string, string | number | null>} Query */

// Records before a search hit that are shown with it.
const AROUND = 20;
// Refusals of a snapshot; its records may still be there.
const UNFROZEN = new Set([
  "invalid_transcript_cursor",
  "invalid_turn_anchor",
  "transcript_snapshot_unavailable",
]);

export class RequestFailed extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {number | null} status of HTTP; null without an answer
   * @param {string | null} beyond the daemon's `continueBeforeRecordId`
   */
  constructor(code, message, status = null, beyond = null) {
    super(message);
    this.code = code;
    this.status = status;
    this.beyond = beyond;
  }
}

export class Daemon {
  /**
   * @param {string} base the address, "" for the page's own
   * @param {string | null} token
   */
  constructor(base = "", token = null) {
    this.base = base;
    this.token = token;
  }

  /**
   * The JSON of an answer.
   * @param {string} path
   * @param {{query?: Query, body?: object, signal?: AbortSignal}} what
   * @returns {Promise<any>}
   * @throws {RequestFailed}
   */
  async ask(path, { query = {}, body, signal } = {}) {
    const response = await this.fetch(path, { query, body, signal });
    try {
      return await response.json();
    } catch (error) {
      throw new RequestFailed("bad_answer", `the answer could not be read: ${error}`);
    }
  }

  /**
   * @param {string} path
   * @param {{query?: Query, body?: object, signal?: AbortSignal,
   *   headers?: Record<string, string>}} what
   * @returns {Promise<Response>}
   */
  async fetch(path, { query = {}, body, signal, headers = {} } = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== null);
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    const address = given.length ? `${path}?${search}` : path;
    const sent = { ...headers };
    if (this.token !== null) sent.authorization = `Bearer ${this.token}`;
    if (body !== undefined) sent["content-type"] = "application/json";
    let response;
    try {
      response = await fetch(this.base + address, {
        method: body === undefined ? "GET" : "POST",
        headers: sent,
        body: body === undefined ? undefined : JSON.stringify(body),
        signal,
      });
    } catch (error) {
      throw new RequestFailed("connection_failed", `the daemon cannot be reached (${error})`);
    }
    return this.accept(response);
  }

  /**
   * A response that is no refusal.
   * @param {Response} response
   * @throws {RequestFailed}
   */
  async accept(response) {
    if (response.ok) return response;
    throw await refusalOf(response);
  }

  /** @param {AbortSignal} [signal] */
  capabilities(signal) {
    return this.ask("/capabilities", { signal });
  }

  /** @param {AbortSignal} [signal] */
  sessions(signal) {
    return this.ask("/sessions", { signal });
  }

  /**
   * The answer to what a view wants.
   * @param {ViewRequest} request
   * @param {{paged: boolean, signal?: AbortSignal}} how paged: the daemon can load a page
   */
  answer(request, { paged, signal }) {
    const { kind, limit, recordId, snapshot, cursor } = request;
    const path = `/session/${encodeURIComponent(request.sessionId)}`;
    const pages = `${path}/transcript`;
    if (kind === "load" || kind === "attach") {
      return this.ask(`${path}/load`, { body: paged ? { historyPageSize: limit } : {}, signal });
    }
    if (kind === "older") {
      const beforeRecordId = cursor === null ? recordId : null;
      return this.ask(pages, { query: { cursor, beforeRecordId, limit }, signal });
    }
    if (kind === "newer") {
      return this.ask(pages, { query: { afterRecordId: recordId, limit }, signal });
    }
    return this._at(pages, String(recordId), snapshot, limit, signal);
  }

  /**
   * The page at a turn of a snapshot; around its record where there is no such snapshot any more.
   * @param {string} pages
   * @param {string} recordId
   * @param {string | null} snapshot
   * @param {number} limit
   * @param {AbortSignal} [signal]
   */
  async _at(pages, recordId, snapshot, limit, signal) {
    if (snapshot !== null) {
      try {
        const query = { atRecordId: recordId, snapshot, limit };
        return await this.ask(pages, { query, signal });
      } catch (error) {
        if (!(error instanceof RequestFailed) || !UNFROZEN.has(error.code)) throw error;
      }
    }
    return this._around(pages, recordId, limit, signal);
  }

  /**
   * The page around a record that need not be a turn.
   * @param {string} pages
   * @param {string} recordId
   * @param {number} limit
   * @param {AbortSignal} [signal]
   */
  async _around(pages, recordId, limit, signal) {
    const query = { beforeRecordId: recordId, limit: AROUND };
    const before = await this.ask(pages, { query, signal });
    const behind = before.lastRecordId ?? null;
    const direction = behind === null ? "forward" : null;
    const rest = { direction, afterRecordId: behind, limit };
    const after = await this.ask(pages, { query: rest, signal });
    return {
      ...after,
      events: [...before.events, ...after.events],
      firstRecordId: before.firstRecordId ?? after.firstRecordId,
      hasOlder: before.hasMore,
    };
  }

  /**
   * @param {string} sessionId
   * @param {{start?: number | null, limit: number, snapshot?: string | null, signal?: AbortSignal}} which
   */
  turns(sessionId, { start = null, limit, snapshot = null, signal }) {
    const path = `/session/${encodeURIComponent(sessionId)}/turn-index`;
    return this.ask(path, { query: { start, limit, snapshot }, signal });
  }

  /**
   * @param {string} sessionId
   * @param {{text: string, before?: string | null, limit: number, signal?: AbortSignal}} what
   */
  search(sessionId, { text, before = null, limit, signal }) {
    const path = `/session/${encodeURIComponent(sessionId)}/search`;
    return this.ask(path, { query: { text, limit, before }, signal });
  }
}

/** @param {Response} response */
async function refusalOf(response) {
  let said = null;
  try {
    said = await response.json();
  } catch {
    // Whoever stands in between may answer anything.
  }
  const code = typeof said?.code === "string" ? said.code : "request_failed";
  const message = typeof said?.error === "string" ? said.error : `HTTP ${response.status}`;
  const beyond = said?.continueBeforeRecordId;
  return new RequestFailed(code, message, response.status, typeof beyond === "string" ? beyond : null);
}
