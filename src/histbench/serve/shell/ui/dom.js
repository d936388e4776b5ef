/**
 * Elements from plain values. Text is only ever text: nothing here parses markup.
 */

/**
 * An element with a class, attributes and children; strings become text.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [className]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, className = "", ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/**
 * A button.
 * @param {string} label
 * @param {() => void} act
 * @param {string} [className]
 */
export function button(label, act, className = "") {
  const made = element("button", className, label);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

/**
 * Text of somebody else's, which cannot turn the text around it around.
 * @param {string} text
 * @param {string} [className]
 */
export function isolated(text, className = "") {
  return element("bdi", className, text);
}

/**
 * The element of the page with this id.
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id
 * @returns {Kind}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`no element ${id}`);
  return /** @type {Kind} */ (found);
}

const UNITS = ["bytes", "KB", "MB", "GB"];

/**
 * A size for people.
 * @param {number} bytes
 */
export function sizeText(bytes) {
  let unit = 0;
  while (bytes >= 1000 && unit < UNITS.length - 1) {
    bytes /= 1000;
    unit += 1;
  }
  return `${unit && bytes < 10 ? bytes.toFixed(1) : Math.round(bytes)} ${UNITS[unit]}`;
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/**
 * A `time` element; null for what is no time.
 * @param {unknown} value milliseconds, or a text that says when
 */
export function timeElement(value) {
  const moment = new Date(/** @type {any} */ (value));
  if (value === null || value === undefined || Number.isNaN(moment.getTime())) return null;
  const made = element("time", "time", day.format(moment));
  made.dateTime = moment.toISOString();
  return made;
}
