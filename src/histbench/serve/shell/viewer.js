/**
 * The viewer in a notebook: the shell's transcript, turns and search, as anywidget draws a widget.
 */

import { ChannelDaemon } from "./channel.js";
import { Session } from "./session.js";
import { button, element } from "./ui/dom.js";
import { SearchBox } from "./ui/search_box.js";
import { showStream } from "./ui/stream_state.js";
import { TranscriptList } from "./ui/transcript_list.js";
import { TurnRail } from "./ui/turn_rail.js";

const NARROW = 760;
const STORED_STATE = "script[type='application/vnd.jupyter.widget-state+json']";

/**
 * Draw a widget.
 * @param {{model: import("./channel.js").Model, el: HTMLElement}} widget
 */
function render({ model, el }) {
  // A page that a notebook was exported to has no kernel, and shows the HTML beside this.
  if (document.querySelector(STORED_STATE)) return undefined;
  const instead = hideHtml(el, model.get("name"));
  const root = el.attachShadow({ mode: "open" });
  root.append(element("style", "", model.get("sheet")));
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
  const stream = element("span", "stream");
  stream.hidden = true;
  const status = element("div", "visually-hidden");
  status.setAttribute("role", "status");
  const main = element("div", "main", scroller, latest, stream, status);
  const frame = element("div", "viewer", main, rail);
  // Where both do not fit beside each other, the turns lie over the text when they are asked for.
  /** @param {boolean} shown */
  const showRail = (shown) => {
    frame.classList.toggle("with-rail", shown);
    toggle.setAttribute("aria-expanded", String(shown));
    if (shown) railOf.shown();
  };
  const toggle = button("Turns", () => showRail(!frame.classList.contains("with-rail")), "icon");
  toggle.setAttribute("aria-expanded", "false");
  frame.append(toggle);
  frame.style.height = `${Number(model.get("height")) || 560}px`;
  root.append(frame);

  const daemon = new ChannelDaemon(model);
  const sessionId = String(model.get("session_id"));
  const features = new Set(["session_transcript_pagination", "session_events"]);
  let drawing = false;
  const session = new Session(daemon, sessionId, {
    features,
    changed: () => {
      if (drawing) return;
      drawing = true;
      queueMicrotask(() => {
        drawing = false;
        if (session.view.state === "closed") return;
        list.draw(session.view);
        showStream(stream, session.stream);
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
      const newest = session.view.readerAtNewest ? list.newestTurn() : null;
      railOf.mark(list.currentTurn(), newest);
    },
  });
  /** @param {string} recordId @param {string | null} snapshot */
  const go = (recordId, snapshot) => {
    showRail(false);
    if (!list.show(recordId)) session.change((view) => view.jump(recordId, snapshot));
  };
  const railOf = new TurnRail(turns, { jump: go });
  const say = (/** @type {string} */ text) => {
    status.textContent = text;
  };
  const search = new SearchBox(input, hits, { go: (found) => go(found, null), say });
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
  root.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (/** @type {KeyboardEvent} */ (event).key !== "Escape") return;
    if (input.value) search.clear();
    else showRail(false);
    scroller.focus({ preventScroll: true });
  });
  return () => {
    themes.disconnect();
    width.disconnect();
    session.close();
    railOf.close();
    daemon.close();
    for (const each of instead) each.style.display = "";
  };
}

/**
 * Hide the output that stands for this widget where there is none; what was hidden.
 * @param {HTMLElement} el
 * @param {string} name
 */
function hideHtml(el, name) {
  const area = el.closest(".jp-OutputArea") ?? document;
  const found = /** @type {HTMLElement[]} */ ([...area.querySelectorAll("[data-view]")]);
  const named = found.filter((each) => each.dataset.view === name);
  const outputs = named.map((each) => {
    return /** @type {HTMLElement} */ (each.closest(".jp-OutputArea-child") ?? each);
  });
  for (const each of outputs) each.style.display = "none";
  return outputs;
}

export default { render };
