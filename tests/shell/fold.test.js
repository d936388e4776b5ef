/**
 * Folds come to the state that they come to in Python, by events, by rows and by compact inputs.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { foldAssistant } from "../../src/histbench/serve/shell/fold/assistant.js";
import { compactInputs } from "../../src/histbench/serve/shell/fold/compact.js";
import { foldPair } from "../../src/histbench/serve/shell/fold/pair.js";
import { decodePage } from "../../src/histbench/serve/shell/history/forms.js";
import { plain, shared } from "./vectors.js";

const CASES = shared("pages.json");
const LOSSLESS = ["raw", "packed", "joined", "lean"];

test("the pair of consumers sees the same in every form", () => {
  for (const { events, pages, pair, pairCompact } of CASES) {
    assert.deepEqual(plain(foldPair(events.map((event) => JSON.parse(event)))), pair);
    for (const form of LOSSLESS) {
      const { records } = decodePage(pages[form], form);
      assert.deepEqual(plain(foldPair(records)), pair, form);
      assert.deepEqual(plain(foldPair(compactInputs(records))), pairCompact, form);
    }
  }
});

test("the projection folds to what it folds to in Python", () => {
  for (const { pages, pairProjection } of CASES) {
    const { records } = decodePage(pages.projection, "projection");
    assert.deepEqual(plain(foldPair(records)), pairProjection);
  }
});

test("the Assistant fold shows the same in every form, by events, rows and compact inputs", () => {
  for (const { events, pages, assistant } of CASES) {
    assert.deepEqual(plain(foldAssistant(events.map((event) => JSON.parse(event)))), assistant);
    for (const form of LOSSLESS) {
      const { records } = decodePage(pages[form], form);
      assert.deepEqual(plain(foldAssistant(records)), assistant, form);
      assert.deepEqual(plain(foldAssistant(compactInputs(records))), assistant, form);
    }
  }
});
