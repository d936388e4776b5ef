/**
 * ChannelDaemon: the requests of a view in a notebook, over the channel between widget and kernel.
 *
 *     to the kernel      {id, method, path, query, body}             a request
 *                        {id, stream: true, path, query, headers}    an event stream
 *                        {id, took: n}, {id, leave: true}            parts read; read no more
 *     from the kernel    {id, status, text}                          the answer, or a stream's begin
 *                        {id, part}, {id, end: true}                 what a stream brings
 *
 * The kernel answers as a daemon would.
 */

import { Daemon, RequestFailed } from "./daemon.js";

/** @typedef {{id?: string, status?: number, text?: string, part?: string, end?: boolean}} Message */

// A kernel that is busy answers when it is done, one that is gone never does.
const PATIENCE = 120_000;

/**
 * What anywidget gives: the widget's state and messages.
 * @typedef {object} Model
 * @property {(name: string) => any} get
 * @property {(message: object) => void} send
 * @property {(event: string, listener: (...values: any[]) => void) => void} on
 * @property {(event: string, listener: (...values: any[]) => void) => void} off
 */

const utf8 = new TextEncoder();

export class ChannelDaemon extends Daemon {
  /** @param {Model} model */
  constructor(model) {
    super("");
    this._model = model;
    this._number = 0;
    // Several views of one widget hear each other's answers.
    this._name = Math.random().toString(36).slice(2);
    /** @type {Map<string, (message: Message) => void>} */
    this._listening = new Map();
    this._listen = (/** @type {Message | null} */ message) => {
      this._listening.get(message?.id ?? "")?.(message ?? {});
    };
    model.on("msg:custom", this._listen);
  }

  close() {
    this._model.off("msg:custom", this._listen);
  }

  /**
   * @override
   * @param {string} path
   * @param {{query?: import("./daemon.js").Query, body?: object, signal?: AbortSignal,
   *   headers?: Record<string, string>}} what
   * @returns {Promise<Response>}
   */
  async fetch(path, { query = {}, body, signal, headers = {} } = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== null);
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    const id = `${this._name}:${++this._number}`;
    const where = { id, path, query: search.toString() };
    if (headers.accept === "text/event-stream") {
      return this.accept(await this._stream({ ...where, stream: true, headers }, signal));
    }
    const method = body === undefined ? "GET" : "POST";
    const { status, text } = await this._answer({ ...where, method, body: body ?? null }, signal);
    this._listening.delete(id);
    return this.accept(new Response(text, { status }));
  }

  /**
   * The first message that answers a request.
   * @param {{id: string} & Record<string, unknown>} request
   * @param {AbortSignal} [signal]
   * @returns {Promise<Message>}
   */
  _answer(request, signal) {
    const { id } = request;
    return new Promise((resolve, reject) => {
      const give = (/** @type {() => void} */ up) => {
        clearTimeout(timer);
        up();
      };
      const silent = new RequestFailed("connection_failed", "the kernel does not answer");
      const stop = () => give(() => {
        this._listening.delete(id);
        reject(silent);
      });
      const timer = setTimeout(stop, PATIENCE);
      this._listening.set(id, (message) => give(() => resolve(message)));
      signal?.addEventListener("abort", stop, { once: true });
      this._model.send(request);
    });
  }

  /**
   * A response whose body is what the kernel sends until it ends.
   * @param {{id: string} & Record<string, unknown>} request
   * @param {AbortSignal} [signal]
   */
  async _stream(request, signal) {
    const { id } = request;
    let taken = 0;
    /** @type {ReadableStreamDefaultController<Uint8Array>} */
    let parts;
    const leave = () => {
      this._listening.delete(id);
      this._tell({ id, leave: true });
    };
    const body = new ReadableStream({
      start: (controller) => {
        parts = controller;
      },
      // Asked for when what came before was read.
      pull: () => {
        if (taken) this._tell({ id, took: taken });
        taken = 0;
      },
      cancel: leave,
    });
    const answering = this._answer(request, signal);
    const first = /** @type {(message: Message) => void} */ (this._listening.get(id));
    this._listening.set(id, (message) => {
      if (message.part !== undefined) {
        taken += 1;
        parts.enqueue(utf8.encode(message.part));
      } else if (message.end) {
        this._listening.delete(id);
        parts.close();
      } else first(message);
    });
    const { status, text } = await answering;
    if (status !== 200) {
      this._listening.delete(id);
      return new Response(text, { status });
    }
    signal?.addEventListener("abort", () => {
      leave();
      parts.error(signal.reason);
    }, { once: true });
    return new Response(body, { status });
  }

  /**
   * Say something to a kernel that may be gone.
   * @param {object} message
   */
  _tell(message) {
    try {
      this._model.send(message);
    } catch {
      // Then it needs no telling.
    }
  }
}
