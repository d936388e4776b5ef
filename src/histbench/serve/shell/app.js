/**
 * The shell: the address decides what is shown, everything else is drawn from it.
 *
 *     #/                     the sessions
 *     #/session/<id>         one of them; leaving it ends its requests and its stream
 */

import { Daemon, RequestFailed } from "./daemon.js";
import { Session } from "./session.js";
import { byId, element } from "./ui/dom.js";
import { SearchBox } from "./ui/search_box.js";
import { SessionList } from "./ui/session_list.js";
import { showStream } from "./ui/stream_state.js";
import { startTheme } from "./ui/theme.js";
import { TranscriptList } from "./ui/transcript_list.js";
import { TurnRail } from "./ui/turn_rail.js";

const TOKEN = "histbench.token";

class App {
  constructor() {
    this.daemon = new Daemon("", sessionStorage.getItem(TOKEN));
    /** @type {Session | null} */
    this.session = null;
    /** @type {Set<string>} */
    this.features = new Set();
    this.sessions = new SessionList();
    this.scroller = byId("transcript");
    this.latest = byId("latest");
    this.list = new TranscriptList({
      scroller: this.scroller,
      blocks: byId("blocks"),
      older: byId("older"),
      newer: byId("newer"),
      act: (change) => this.session?.change(change),
      moved: () => this._moved(),
    });
    this.rail = new TurnRail(byId("turns"), {
      jump: (turnId, snapshot) => this._go(turnId, snapshot),
    });
    /** @type {HTMLInputElement} */
    const search = byId("search");
    this.search = new SearchBox(search, byId("hits"), {
      go: (recordId) => this._go(recordId, null),
      say: (text) => this.say(text),
    });
    this._drawing = 0;
    this._told = "";
    this._bind();
  }

  _bind() {
    startTheme();
    window.addEventListener("hashchange", () => this.route());
    window.addEventListener("focus", () => this._listSessions());
    document.addEventListener("keydown", (event) => this._key(event));
    this.latest.addEventListener("click", () => this._toLatest());
    byId("rail-toggle").addEventListener("click", () => this._showRail(byId("rail").hidden));
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault();
      (this.session ? this.scroller : byId("filter")).focus();
    });
    byId("token-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const token = /** @type {HTMLInputElement} */ (byId("token")).value.trim();
      sessionStorage.setItem(TOKEN, token);
      this.daemon.token = token;
      this.start();
    });
  }

  async start() {
    try {
      const { features } = await this.daemon.capabilities();
      this.features = new Set(features);
      byId("token-form").hidden = true;
    } catch (error) {
      if (error instanceof RequestFailed && error.status === 401) {
        byId("token-form").hidden = false;
        byId("token").focus();
        return;
      }
      this.sessions.fail(`${messageOf(error)} Trying again…`);
      setTimeout(() => this.start(), 3000);
      return;
    }
    await this._listSessions();
    this.route();
  }

  async _listSessions() {
    if (!this.features.size) return;
    try {
      this.sessions.show(await this.daemon.sessions());
    } catch (error) {
      this.sessions.fail(messageOf(error));
    }
  }

  /** Show what the address says. */
  route() {
    const sessionId = addressed();
    if (this.session?.view.sessionId === sessionId) return;
    this.session?.close();
    this.session = null;
    this.list.clear();
    this.rail.close();
    document.body.classList.toggle("reading", sessionId !== null);
    this.scroller.hidden = sessionId === null;
    byId("empty").hidden = sessionId !== null;
    byId("stream").hidden = true;
    this.latest.hidden = true;
    this.sessions.mark(sessionId);
    const title = byId("title");
    const name = sessionId === null ? "Sessions" : this.sessions.nameOf(sessionId);
    title.replaceChildren(element("bdi", "title-name", name));
    if (sessionId !== null && name !== sessionId) title.append(element("bdi", "", sessionId));
    document.title = sessionId === null ? "histbench" : `${sessionId} · histbench`;
    const turns = this.features.has("session_turn_navigation");
    byId("rail-toggle").hidden = sessionId === null || !turns;
    if (sessionId === null) {
      this._showRail(false);
      return;
    }
    this.session = new Session(this.daemon, sessionId, {
      features: this.features,
      changed: () => this._draw(),
    });
    this.session.open();
    this.search.open(this.daemon, sessionId);
    if (turns) {
      this._showRail(window.matchMedia("(min-width: 1100px)").matches);
      this.rail.open(this.daemon, sessionId);
    }
    this.scroller.focus({ preventScroll: true });
  }

  _draw() {
    // Several changes before the next picture are one drawing; a hidden tab draws as well.
    if (this._drawing) return;
    this._drawing = 1;
    queueMicrotask(() => {
      this._drawing = 0;
      const { session } = this;
      if (session === null) return;
      this.list.draw(session.view);
      this._tell(session);
    });
  }

  /** @param {Session} session */
  _tell({ view, stream }) {
    showStream(byId("stream"), stream);
    let told = "";
    if (view.failure !== null) told = `Not loaded: ${view.failure.message}`;
    else if (view.loading === "older") told = "Loading earlier messages";
    else if (view.loading !== null) told = "Loading";
    else if (this._told.startsWith("Loading")) told = "Loaded";
    if (told) this.say(told);
  }

  /** @param {string} text */
  say(text) {
    if (text === this._told) return;
    this._told = text;
    byId("status").textContent = text;
  }

  _moved() {
    const view = this.session?.view;
    if (!view) return;
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    const away = scrollHeight - scrollTop - clientHeight > clientHeight / 2;
    this.latest.hidden = view.state !== "open" || !(away || view.hasNewer);
    this.rail.mark(this.list.currentTurn(), view.readerAtNewest ? this.list.newestTurn() : null);
  }

  /**
   * @param {string} recordId
   * @param {string | null} snapshot
   */
  _go(recordId, snapshot) {
    if (!window.matchMedia("(min-width: 1100px)").matches) this._showRail(false);
    if (this.list.show(recordId)) return;
    this.session?.change((view) => view.jump(recordId, snapshot || null));
  }

  _toLatest() {
    this.list.toEnd();
    this.scroller.focus({ preventScroll: true });
  }

  /** @param {boolean} shown */
  _showRail(shown) {
    const appears = shown && byId("rail").hidden;
    byId("rail").hidden = !shown;
    if (appears) this.rail.shown();
    byId("rail-toggle").setAttribute("aria-expanded", String(shown));
    document.body.classList.toggle("with-rail", shown);
  }

  /** @param {KeyboardEvent} event */
  _key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Escape") {
      this._escape();
      return;
    }
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.closest("input, textarea, select, [contenteditable]")) return;
    if (event.key === "/") {
      if (this.session) this._showRail(true);
      (this.session ? this.search.input : byId("filter")).focus();
    } else if (!this.session) return;
    else if (event.key === "j") this.list.stepTurn(1);
    else if (event.key === "k") this.list.stepTurn(-1);
    else if (event.key === "G") this._toLatest();
    else return;
    event.preventDefault();
  }

  _escape() {
    if (!this.session) return;
    if (this.search.input.value) this.search.clear();
    else if (!byId("rail").hidden && !window.matchMedia("(min-width: 1100px)").matches) {
      this._showRail(false);
    }
    this.scroller.focus({ preventScroll: true });
  }
}

function addressed() {
  const found = /^#\/session\/(.+)$/.exec(location.hash);
  try {
    return found ? decodeURIComponent(found[1]) : null;
  } catch {
    return null;
  }
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? `${error.message}.` : String(error);
}

new App().start();
