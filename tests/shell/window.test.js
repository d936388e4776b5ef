/**
 * A window is at every step of a script what it is in Python.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { decodePage } from "../../src/histbench/serve/shell/history/forms.js";
import { HistoryWindow } from "../../src/histbench/serve/shell/history/window.js";
import { codeOf, shared } from "./vectors.js";

/** What scripts call a step, and what that does; the last argument is the requests by number. */
const ACTS = {
  open: (window) => window.open(),
  close: (window) => window.close(),
  loadOlder: (window) => window.loadOlder(),
  loadNewer: (window) => window.loadNewer(),
  follow: (window) => window.follow(),
  retry: (window) => window.retry(),
  logEndsAt: (window, toSeq, generation) => window.logEndsAt(toSeq, generation),
};

const seen = (window) => ({
  state: window.state,
  span: [window.fromSeq, window.toSeq],
  epoch: window.epoch,
  generation: window.generation,
  hasMore: window.hasMore,
  hasNewer: window.hasNewer,
  faults: Object.fromEntries([...window.faults].map(([kind, fault]) => [kind, fault.code]).sort()),
  waiting: window.waiting.map((request) => request.number).sort((a, b) => a - b),
  records: window.records().map((record) => record.count),
});

const play = ({ options, pages, steps }) => {
  const window = new HistoryWindow("s", options);
  const requests = new Map();
  steps.forEach(([what, ...rest], number) => {
    const state = rest.pop();
    const place = `step ${number}, ${what}`;
    if (what === "take") {
      const taken = window.takeRequests();
      taken.forEach((request) => requests.set(request.number, request));
      const told = taken.map((each) => ({ number: each.number, kind: each.kind, ...each.parameters() }));
      assert.deepEqual(told, rest[0], place);
    } else if (what === "receive") {
      const [request, page, took] = rest;
      assert.equal(window.receive(requests.get(request), decodePage(pages[page])), took, place);
    } else if (what === "frame") {
      const [event, generation, took] = rest;
      const frame = number % 2 === 0 ? event : JSON.stringify(event);
      assert.equal(window.receiveEvent(frame, generation), took, place);
    } else if (what === "fail") {
      assert.equal(window.fail(requests.get(rest[0])), rest[1], place);
    } else {
      ACTS[what](window, ...rest);
    }
    assert.deepEqual(seen(window), state, place);
  });
  return window;
};

test("windows follow their scripts", () => {
  const scripts = shared("windows.json");
  assert.ok(scripts.length > 20);
  for (const script of scripts) {
    const window = play(script);
    assert.deepEqual(window.events().map((event) => JSON.stringify(event)), script.events);
  }
});

test("a row, or anything else that is no event, is no frame", () => {
  const window = new HistoryWindow("s");
  window.open();
  const row = '{"type":"text-chunks","seq0":0,"time0":0,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["a"]}}';
  assert.equal(codeOf(() => window.receiveEvent(row, 1)), "event_type");
  assert.equal(codeOf(() => window.receiveEvent("[]", 1)), "event_shape");
  assert.equal(codeOf(() => window.receiveEvent("{", 1)), "invalid_json");
});

test("limits that make no sense are refused with the parameter's code", () => {
  for (const [option, code] of [
    ["maxMessages", "bad_max_messages"],
    ["maxEvents", "bad_max_events"],
    ["maxBytes", "bad_max_bytes"],
  ]) {
    assert.equal(codeOf(() => new HistoryWindow("s", { [option]: 0 })), code);
  }
  assert.equal(codeOf(() => new HistoryWindow("s", { retainEvents: -1 })), "bad_retain_events");
});
