/**
 * Pages hold what they held when they were written, and are refused as Python refuses them.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Coalescer } from "../../src/histbench/serve/shell/history/coalesce.js";
import { FORMS, decodePage } from "../../src/histbench/serve/shell/history/forms.js";
import { decode } from "../../src/histbench/serve/shell/history/jsontext.js";
import { Plain, readValue } from "../../src/histbench/serve/shell/history/records.js";
import { bytesOf, codeOf, frozen, linesOf, shared } from "./vectors.js";

const LOSSLESS = [...FORMS.keys()].filter((form) => form !== "projection");

/** Events as text, which also tells the order of their keys. */
const texts = (events) => events.map((event) => JSON.stringify(event));

test("frozen pages hold the frozen events", () => {
  for (const form of LOSSLESS) {
    const folders = frozen("events.jsonl", `${form}.json`);
    assert.ok(folders.length > 0, form);
    for (const folder of folders) {
      const page = decodePage(bytesOf(folder, `${form}.json`), form);
      assert.deepEqual(texts(page.events()), linesOf(folder, "events.jsonl"), folder.pathname);
    }
  }
});

test("frozen pages spelled otherwise hold the frozen events", () => {
  for (const form of ["joined", "lean"]) {
    const folders = frozen("events.jsonl", `other-${form}.json`);
    assert.ok(folders.length > 0, form);
    for (const folder of folders) {
      const page = decodePage(bytesOf(folder, `other-${form}.json`), form);
      assert.deepEqual(texts(page.events()), linesOf(folder, "events.jsonl"), folder.pathname);
    }
  }
});

test("frozen rows hold the frozen events, and coalescing gives them back", () => {
  const folders = frozen("events.jsonl", "rows.jsonl");
  assert.ok(folders.length > 0);
  for (const folder of folders) {
    const events = linesOf(folder, "events.jsonl").map(decode);
    const rows = linesOf(folder, "rows.jsonl").map((line) => readValue(decode(line)));
    const coalescer = new Coalescer();
    events.forEach((event) => coalescer.add(new Plain(event)));
    const spans = (records) => records.map((record) => [record.seq, record.count]);
    const told = rows.flatMap((row) => (row instanceof Plain ? [row.event] : row.events()));
    assert.deepEqual(texts(told), texts(events), folder.pathname);
    assert.deepEqual(spans(coalescer.finish()), spans(rows), folder.pathname);
  }
});

test("frozen faults are refused with the frozen codes", () => {
  for (const folder of frozen("refused.jsonl")) {
    for (const line of linesOf(folder, "refused.jsonl")) {
      const { code, form, page, line: stored } = JSON.parse(line);
      const read = page === undefined ? () => readValue(decode(stored)) : () => decodePage(page, form);
      assert.equal(codeOf(read), code, line);
    }
  }
});

test("drawn pages hold their events and the same records as in Python", () => {
  for (const { events, pages, records } of shared("pages.json")) {
    for (const [form, text] of Object.entries(pages)) {
      const page = decodePage(text, form);
      const spans = page.records.map((record) => [record.seq, record.count]);
      assert.deepEqual(spans, records[form], form);
      if (form !== "projection") {
        assert.deepEqual(texts(page.events()), events, form);
      }
    }
  }
});

test("joined rows tell the same times as in Python, one by one too, or are refused alike", () => {
  const cases = shared("gaps.json");
  assert.ok(cases.some(({ code }) => code !== "none"));
  for (const { page, code, times } of cases) {
    assert.equal(codeOf(() => decodePage(page, "joined")), code, page);
    if (code === "none") {
      const [row] = decodePage(page, "joined").records;
      assert.deepEqual(row.times(), times, page);
      assert.deepEqual(times.map((_, member) => row.timeOf(member)), times, page);
    }
  }
});

test("changed pages are refused, or taken, as in Python", () => {
  const cases = shared("refused.json");
  assert.ok(cases.length > 100);
  for (const { code, form, page } of cases) {
    assert.equal(codeOf(() => decodePage(page, form)), code, `${form} ${page}`);
  }
});

test("what no text can hold is refused before it is parsed", () => {
  const bytes = new TextEncoder().encode('{"records":[],"hasMore":false,"fromSeq":0,"toSeq":0}');
  assert.equal(decodePage(bytes).toSeq, 0);
  assert.equal(codeOf(() => decodePage(bytes, "packed", { maxBytes: 5 })), "page_too_large");
  assert.equal(codeOf(() => decodePage(bytes, "paper")), "unknown_form");
  bytes[3] = 0xff;
  assert.equal(codeOf(() => decodePage(bytes)), "invalid_utf8");
  assert.equal(codeOf(() => decodePage("\ufeff{}")), "invalid_json");
});

test("a value nested a hundred thousand deep is read like any other", () => {
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  const joined =
    '{"joined":{"type":"text-joined","seq0":0,"time0":0,"data":{"turn":1,"step":1,"index":0,"dt":"00","text":"a\x7fb\x7fc"}}}';
  const page = (key, marker) => {
    const event = `{"type":"note","seq":3,"time":0,"data":[${deep},{"":${marker}}]}`;
    return `{"records":[${joined},{"${key}":${event}}],"hasMore":false,"fromSeq":0,"toSeq":4}`;
  };
  assert.equal(decodePage(page("event", 0)).toSeq, 4);
  assert.equal(decodePage(page("lean", 0)).events()[3].data[1], "abc");
  assert.equal(codeOf(() => decodePage(page("lean", deep))), "lean_marker");
  assert.equal(codeOf(() => decodePage(page("event", 0).replace('"seq":3', `"seq":${deep}`))), "event_seq");
  assert.equal(codeOf(() => decodePage(page("lone", 0))), "page_record");
});
