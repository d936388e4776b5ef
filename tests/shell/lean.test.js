/**
 * Lean pages are folded as they are to what they fold to when they are expanded first.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { foldAssistant } from "../../src/histbench/serve/shell/fold/assistant.js";
import { compactInputs } from "../../src/histbench/serve/shell/fold/compact.js";
import { foldPair } from "../../src/histbench/serve/shell/fold/pair.js";
import { decodePage } from "../../src/histbench/serve/shell/history/forms.js";
import { HistoryWindow } from "../../src/histbench/serve/shell/history/window.js";
import { codeOf, plain, shared } from "./vectors.js";

const CASES = shared("lean.json");
const READABLE = CASES.filter(({ code }) => code === "none");

const texts = (events) => events.map((event) => JSON.stringify(event));

/** The records of a page, read anew: whoever looks at an event changes it. */
const records = (page) => decodePage(page, "lean").records;
const events = (page) => decodePage(page, "lean").events();

test("pages with markers anywhere are refused, or taken, as in Python", () => {
  assert.ok(READABLE.length > 50);
  assert.ok(new Set(CASES.map(({ code }) => code)).size >= 4);
  for (const { code, page } of CASES) {
    assert.equal(codeOf(() => decodePage(page, "lean")), code, page);
  }
});

test("their events are those that Python expands, looked at before or after a fold", () => {
  for (const { page, events: expected } of READABLE) {
    assert.deepEqual(texts(events(page)), expected, page);
    const read = decodePage(page, "lean");
    foldAssistant(compactInputs(read.records));
    assert.deepEqual(texts(read.events()), expected, page);
    assert.deepEqual(texts(read.events()), expected, page);
  }
});

test("they fold to what Python folds the expanded events to", () => {
  for (const { page, pair, pairCompact, assistant } of READABLE) {
    assert.deepEqual(plain(foldPair(records(page))), pair, page);
    assert.deepEqual(plain(foldPair(compactInputs(records(page)))), pairCompact, page);
    assert.deepEqual(plain(foldAssistant(records(page))), assistant, page);
    assert.deepEqual(plain(foldAssistant(compactInputs(records(page)))), assistant, page);
    assert.deepEqual(plain(foldAssistant(events(page))), assistant, page);
  }
});

test("a window shows and compares their events as they are", () => {
  for (const { page, events: expected, assistant } of READABLE) {
    const window = new HistoryWindow("s");
    window.open();
    const [request] = window.takeRequests();
    window.receive(request, decodePage(page, "lean"));
    assert.deepEqual(plain(foldAssistant(window.inputs())), assistant, page);
    // The same again, and one event more: what was folded is what is told anew.
    const longer = JSON.parse(page);
    const more = { type: "note", seq: longer.toSeq, time: 0, data: null };
    longer.records.push({ event: more });
    longer.toSeq += 1;
    window.logEndsAt(longer.toSeq, window.generation);
    const [again] = window.takeRequests();
    assert.equal(window.receive(again, decodePage(JSON.stringify(longer), "lean")), true);
    assert.equal(window.faults.size, 0, page);
    assert.deepEqual(texts(window.events()), [...expected, JSON.stringify(more)], page);
  }
});

/** Numbers below a bound, the same in every run. */
function generator(seed) {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** Put something of a page, or a marker, in the place of something else in one of its events. */
function damage(page, random) {
  const places = [];
  const values = [{ "": 0 }, { "": [0, 1] }, { "": "3-5" }, "append", [], null];
  const walk = (holder, inside) => {
    for (const key of Object.keys(holder)) {
      if (inside) {
        places.push([holder, key]);
        values.push(holder[key]);
      }
      if (typeof holder[key] === "object" && holder[key] !== null) {
        walk(holder[key], inside || key === "lean");
      }
    }
  };
  walk(page, false);
  if (places.length > 0) {
    const [holder, key] = places[random(places.length)];
    holder[key] = structuredClone(values[random(values.length)]);
  }
  return JSON.stringify(page);
}

test("a changed page is refused, or folds to what its events fold to", () => {
  const random = generator(1);
  let read = 0;
  for (const { page } of READABLE) {
    for (let time = 0; time < 30; time += 1) {
      const changed = damage(JSON.parse(page), random);
      if (codeOf(() => decodePage(changed, "lean")) === "none") {
        read += 1;
        const expected = plain(foldAssistant(events(changed)));
        assert.deepEqual(plain(foldAssistant(records(changed))), expected, changed);
        assert.deepEqual(plain(foldAssistant(compactInputs(records(changed)))), expected, changed);
        assert.deepEqual(plain(foldPair(records(changed))), plain(foldPair(events(changed))), changed);
      }
    }
  }
  assert.ok(read > 500, String(read));
});
