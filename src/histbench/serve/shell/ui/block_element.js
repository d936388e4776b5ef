/**
 * BlockElement: what one block looks like.
 *
 * Thoughts and tools are folded away; their insides are made when they are first opened.  A block
 * that grows at its end gets the new text appended, so that a stream costs what it brings.
 */

import { isObject } from "../transcript/blocks.js";
import { button, element, isolated, timeElement } from "./dom.js";
import { fillText } from "./long_text.js";

/** @typedef {import("../transcript/blocks.js").Block} Block */
/** @typedef {import("../transcript/blocks.js").Update} Update */

const MESSAGES = new Map([
  ["user_message_chunk", "user"],
  ["agent_message_chunk", "agent"],
  ["agent_thought_chunk", "thought"],
]);
const NAMES = new Map([["user", "You"], ["agent", "Assistant"], ["thought", "Thought"]]);
// Pictures that a browser decodes without running anything.
const PICTURES = /^image\/(png|jpeg|gif|webp)$/;
const BASE64 = /^[A-Za-z0-9+/=\s]*$/;
const STATES = new Map([["completed", "done"], ["failed", "failed"], ["pending", "waiting"]]);

export class BlockElement {
  /** @param {Block} block */
  constructor(block) {
    this.block = block;
    this.kind = MESSAGES.get(block.kind) ?? block.kind;
    this.root = element("article", `block ${/^[a-z_]+$/.test(this.kind) ? this.kind : "other"}`);
    this.root.dataset.ordinal = String(block.ordinal);
    this._count = 0;
    /** @type {Update | undefined} */
    this._first = undefined;
    this._text = "";
    /** @type {HTMLElement | null} */
    this._body = null;
    /** @type {((grown: string) => void) | null} */
    this._grow = null;
    this.draw();
  }

  /** Whether this begins a turn. */
  get isTurn() {
    return this.kind === "user" && !this.root.hidden;
  }

  /** Draw what has come since. */
  draw() {
    const { updates, recordIds } = this.block;
    if (updates.length === this._count && updates[0] === this._first && this._count) return;
    const grown = this._count > 0 && updates[0] === this._first && updates.length > this._count;
    const fresh = grown ? updates.slice(this._count) : updates;
    this._count = updates.length;
    this._first = updates[0];
    this.root.dataset.record = recordIds[0] ?? "";
    if (MESSAGES.has(this.block.kind)) this._drawMessage(fresh, grown);
    else if (this.kind === "tool") this._drawTool();
    else if (this.kind === "plan") this._drawPlan();
    else if (this.kind === "unavailable") this._drawUnavailable();
    else this._drawOther();
  }

  /**
   * @param {Update[]} fresh
   * @param {boolean} grown
   */
  _drawMessage(fresh, grown) {
    const text = textOf(fresh);
    this._text = grown ? this._text + text : text;
    const others = this.block.updates.map((each) => each.content).filter((each) => isObject(each) && each.type !== "text");
    this.root.hidden = !this._text.trim() && !others.length;
    if (this.root.hidden) return;
    if (this.kind === "thought") {
      this._fold("Thought", preview(this._text), (body) => fillText(body, this._text));
      return;
    }
    if (!this._body) {
      this._body = element("div", "text");
      this.root.setAttribute("aria-label", NAMES.get(this.kind) ?? "");
      this.root.replaceChildren(...this._headOf(), this._body);
    }
    if (grown && this._grow) {
      // Past the cut nothing more is laid out, and what was opened stays open.
      this._grow(this._text);
      return;
    }
    this._grow = fillText(this._body, this._text, { formatted: true });
    if (others.length) this._body.append(...others.map(attachment));
  }

  /** @returns {Node[]} */
  _headOf() {
    if (this.kind !== "user") return [];
    const head = element("header", "block-head", element("h2", "who", "You"));
    const source = this.block.updates[0]?._meta?.source;
    if (typeof source === "string") head.append(isolated(source, "badge"));
    const time = timeElement(this.block.updates[0]?._meta?.timestamp);
    if (time) head.append(time);
    return [head];
  }

  /**
   * Something folded away; the body is made when it is opened, and again while it is open.
   * @param {string} label
   * @param {string} hint
   * @param {(body: HTMLElement) => void} fill
   * @param {string} [state]
   */
  _fold(label, hint, fill, state = "") {
    let details = /** @type {HTMLDetailsElement | null} */ (this.root.querySelector("details"));
    if (details === null) {
      details = element("details", "fold", element("summary"), element("div", "fold-body"));
      details.addEventListener("toggle", () => {
        if (details?.open) this._fill?.();
        else details?.lastElementChild?.replaceChildren();
      });
      this.root.replaceChildren(details);
    }
    const summary = /** @type {HTMLElement} */ (details.firstElementChild);
    const body = /** @type {HTMLElement} */ (details.lastElementChild);
    const parts = [isolated(preview(label), "fold-label"), isolated(hint, "fold-hint")];
    if (state) parts.push(element("span", `state ${state}`, state));
    summary.replaceChildren(...parts);
    this._fill = () => fill(body);
    if (details.open) fill(body);
  }

  _drawTool() {
    /** @type {Update} */
    const merged = {};
    for (const update of this.block.updates) {
      for (const [name, value] of Object.entries(update)) {
        if (value !== null && value !== undefined) merged[name] = value;
      }
    }
    const title = typeof merged.title === "string" ? merged.title : "Tool";
    const state = STATES.get(merged.status) ?? "running";
    const hint = hintOf(merged.rawInput);
    // A title often says the same already.
    this._fold(title, title.includes(hint.slice(0, 24)) ? "" : hint, (body) => {
      const parts = [];
      if (merged.rawInput !== undefined) parts.push(...section("Input", jsonText(merged.rawInput)));
      const output = Array.isArray(merged.content) ? merged.content.filter(isObject) : [];
      for (const each of output) parts.push(...toolContent(each));
      if (!output.length && merged.rawOutput !== undefined) {
        parts.push(...section("Output", jsonText(merged.rawOutput)));
      }
      if (!parts.length) parts.push(element("p", "note", "Nothing was recorded."));
      body.replaceChildren(...parts);
    }, state);
  }

  _drawPlan() {
    const entries = this.block.updates.at(-1)?.entries;
    const list = element("ul", "plan-list");
    for (const entry of Array.isArray(entries) ? entries.filter(isObject) : []) {
      const state = String(entry.status).replace(/[^a-z_]/g, "");
      const mark = { completed: "✓", in_progress: "▸" }[state] ?? "○";
      const item = element("li", state, element("span", "plan-mark", mark), isolated(String(entry.content).slice(0, 2000)));
      list.append(item);
    }
    this.root.replaceChildren(element("h2", "who", "Plan"), list);
  }

  _drawUnavailable() {
    this.root.replaceChildren(
      element("p", "note", "A record is left out here: it is larger than any page."),
    );
  }

  _drawOther() {
    this._fold(this.kind.replaceAll("_", " "), "", (body) => {
      body.replaceChildren(...section("", jsonText(this.block.updates)));
    });
  }
}

/** @param {Update[]} updates */
function textOf(updates) {
  return updates
    .map((each) => (isObject(each.content) ? each.content.text : ""))
    .filter((each) => typeof each === "string")
    .join("");
}

/** @param {string} text */
function preview(text) {
  return text.slice(0, 200).replace(/\s+/g, " ").trim();
}

/** @param {unknown} input */
function hintOf(input) {
  if (!isObject(input)) return typeof input === "string" ? preview(input) : "";
  const first = Object.values(input).find((each) => typeof each === "string" && each);
  return typeof first === "string" ? preview(first) : "";
}

/** @param {unknown} value */
function jsonText(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "";
}

/**
 * @param {string} label
 * @param {string} text
 * @param {string} [className]
 */
function section(label, text, className = "code") {
  const pre = element("pre", className);
  pre.tabIndex = 0;
  pre.dir = "auto";
  fillText(pre, text);
  return label ? [element("h3", "part", label), pre] : [pre];
}

/** @param {Record<string, any>} content */
function toolContent(content) {
  if (content.type === "diff") {
    const label = typeof content.path === "string" ? preview(content.path) : "Change";
    return [
      ...section(label, String(content.oldText ?? ""), "code removed"),
      ...section("", String(content.newText ?? ""), "code added"),
    ];
  }
  const inner = isObject(content.content) ? content.content : content;
  if (typeof inner.text === "string") return section("Output", inner.text);
  return [attachment(inner)];
}

/**
 * What is attached to a message, without asking anybody else for it.
 * @param {Record<string, any>} content
 */
function attachment(content) {
  const { type, data, mimeType } = content;
  if (type === "image" && PICTURES.test(mimeType) && typeof data === "string" && BASE64.test(data)) {
    const figure = element("figure", "picture");
    const show = () => {
      const picture = element("img");
      picture.alt = "An attached picture";
      picture.src = `data:${mimeType};base64,${data}`;
      figure.replaceChildren(picture);
    };
    // A picture is decoded when it is asked for: a small file can be a very large one.
    figure.append(button("Show the picture", show, "more"));
    return figure;
  }
  const name = [content.name, content.uri, content.resource?.uri, type].find(
    (each) => typeof each === "string" && each,
  );
  return element("p", "attachment", isolated(String(name ?? "attachment").slice(0, 500)));
}
