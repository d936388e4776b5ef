/**
 * The viewer in a notebook: the shell's transcript over the channel between a widget and its kernel.
 *
 * A request is `{id, method, path, query, body}`, its answer `{id, status, text}`; the kernel
 * answers as the daemon would.  There are no live events over the channel.
 */

import { Daemon, RequestFailed } from "./daemon.js";
import { Session } from "./session.js";
import { button, element } from "./ui/dom.js";
import { SearchBox } from "./ui/search_box.js";
import { TranscriptList } from "./ui/transcript_list.js";
import { TurnRail } from "./ui/turn_rail.js";

// A kernel that is busy answers when it is done, one that is gone never does.
const PATIENCE = 120_000;
const NARROW = 760;

/**
 * What anywidget gives: the widget's state and messages.
 * @typedef {object} Model
 * @property {(name: string) => any} get
 * @property {(message: object) => void} send
 * @property {(event: string, listener: (...values: any[]) => void) => void} on
 * @property {(event: string, listener: (...values: any[]) => void) => void} off
 */

export class ChannelDaemon extends Daemon {
  /** @param {Model} model */
  constructor(model) {
    super("");
    this._model = model;
    this._number = 0;
    // Several views of one widget hear each other's answers.
    this._name = Math.random().toString(36).slice(2);
    /** @type {Map<string, (answer: {status: number, text: string}) => void>} */
    this._waiting = new Map();
    this._listen = (/** @type {any} */ answer) => this._waiting.get(answer?.id)?.(answer);
    model.on("msg:custom", this._listen);
  }

  close() {
    this._model.off("msg:custom", this._listen);
  }

  /**
   * @override
   * @param {string} path
   * @param {{query?: import("./daemon.js").Query, body?: object, signal?: AbortSignal}} what
   * @returns {Promise<Response>}
   */
  async fetch(path, { query = {}, body, signal } = {}) {
    const id = `${this._name}:${++this._number}`;
    const given = Object.entries(query).filter(([, value]) => value !== null);
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    const answer = await new Promise((resolve, reject) => {
      const give = (/** @type {() => void} */ up) => {
        this._waiting.delete(id);
        clearTimeout(timer);
        up();
      };
      const silent = new RequestFailed("connection_failed", "the kernel does not answer");
      const timer = setTimeout(() => give(() => reject(silent)), PATIENCE);
      this._waiting.set(id, (found) => give(() => resolve(found)));
      signal?.addEventListener("abort", () => give(() => reject(silent)), { once: true });
      const method = body === undefined ? "GET" : "POST";
      this._model.send({ id, method, path, query: search.toString(), body: body ?? null });
    });
    const response = new Response(answer.text, { status: answer.status });
    return this.accept(response);
  }
}

/**
 * Draw a widget.
 * @param {{model: Model, el: HTMLElement}} widget
 */
function render({ model, el }) {
  const root = el.attachShadow({ mode: "open" });
  root.append(element("style", "", model.get("style")));
  const scroller = element("div", "transcript");
  scroller.tabIndex = 0;
  scroller.setAttribute("role", "region");
  scroller.setAttribute("aria-label", "Conversation");
  const [older, blocks, newer] = ["row", "blocks", "row"].map((name) => element("div", name));
  scroller.append(element("div", "column", older, blocks, newer));
  const latest = button("Return to latest", () => list.toEnd(), "latest");
  latest.hidden = true;
  const input = element("input");
  input.type = "search";
  input.placeholder = "Search this session";
  input.setAttribute("aria-label", "Search this session");
  const hits = element("section", "hits");
  hits.hidden = true;
  const turns = element("div", "turns");
  turns.tabIndex = 0;
  const rail = element("div", "rail", element("div", "pane-head", input), hits, turns);
  const frame = element("div", "viewer", element("div", "main", scroller, latest), rail);
  frame.style.height = `${Number(model.get("height")) || 560}px`;
  root.append(frame);

  const daemon = new ChannelDaemon(model);
  const sessionId = String(model.get("session_id"));
  const features = new Set(["session_transcript_pagination"]);
  const draw = () => list.draw(session.view);
  let drawing = false;
  const session = new Session(daemon, sessionId, {
    features,
    changed: () => {
      if (drawing) return;
      drawing = true;
      queueMicrotask(() => {
        drawing = false;
        if (session.view.state !== "closed") draw();
      });
    },
  });
  const list = new TranscriptList({
    scroller,
    blocks,
    older,
    newer,
    act: (change) => session.change(change),
    moved: () => {
      const { scrollHeight, scrollTop, clientHeight } = scroller;
      const away = scrollHeight - scrollTop - clientHeight > clientHeight / 2;
      latest.hidden = !(away || session.view.hasNewer);
      railOf.mark(list.currentTurn(), null);
    },
  });
  /** @param {string} recordId @param {string | null} snapshot */
  const go = (recordId, snapshot) => {
    if (!list.show(recordId)) session.change((view) => view.jump(recordId, snapshot));
  };
  const railOf = new TurnRail(turns, { jump: go });
  const search = new SearchBox(input, hits, { go: (found) => go(found, null), say: () => {} });
  search.open(daemon, sessionId);
  railOf.open(daemon, sessionId);
  session.open();
  const theme = () => {
    const light = document.body.dataset.jpThemeLight;
    if (light !== undefined) el.dataset.theme = light === "false" ? "dark" : "light";
  };
  theme();
  const themes = new MutationObserver(theme);
  themes.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
  const width = new ResizeObserver(() => {
    frame.classList.toggle("narrow", el.clientWidth < NARROW);
  });
  width.observe(el);
  // A notebook has keys of its own; what is typed here is not for them.
  root.addEventListener("keydown", (event) => event.stopPropagation());
  return () => {
    themes.disconnect();
    width.disconnect();
    session.close();
    railOf.close();
    daemon.close();
  };
}

export default { render };
