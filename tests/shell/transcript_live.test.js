/**
 * Live records of a session log as updates, and the frames of a stream.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { events } from "../../src/histbench/serve/shell/stream.js";
import { LiveLog } from "../../src/histbench/serve/shell/transcript/live_log.js";

const step = { turn: 1, step: 0 };
const start = { type: "step/start", seq: 1, time: 1, data: step };
/** A frame's data: events and rows as a packed page has them. */
const frame = (...records) => ({
  records: records.map((each) => ("seq0" in each ? { chunks: each } : { event: each })),
});
const row = (texts) => ({
  type: "text-chunks", seq0: 2, time0: 1, data: { ...step, index: 0, dt: [1, 1], texts },
});
const message = (content) => ({
  type: "assistant/message", seq: 9, time: 5, data: { ...step, message: { content } },
});
const textsOf = (updates) => updates.map((each) => each.content.text);

test("deltas and rows are one segment, and their message adds nothing", () => {
  const log = new LiveLog();
  const delta = { ...step, chunk: { type: "text-delta", index: 0, text: "d" } };
  const single = { type: "assistant/chunk", seq: 5, time: 1, data: delta };
  const whole = message([{ type: "text", text: "abcd" }]);
  const taken = log.take(frame(start, row(["a", "b", "c"]), single, whole));

  assert.deepEqual(textsOf(taken), ["abc", "d"]);
  assert.equal(new Set(taken.map((each) => each._meta.qwenTranscript.segmentId)).size, 1);
  assert.equal(log.stale, false);
});

test("a message without deltas is shown whole, its calls with their arguments", () => {
  const log = new LiveLog();
  const call = { type: "tool-call", id: "c", name: "look", arguments: '{"at": 3}' };
  const taken = log.take(frame(start, message([{ type: "text", text: "hi" }, call])));

  assert.equal(taken[0].content.text, "hi");
  assert.equal(taken[0]._meta["qwen.session.recordId"], "seq:9");
  assert.deepEqual([taken[1].toolCallId, taken[1].rawInput], ["c", { at: 3 }]);
});

test("what cannot be continued is told", () => {
  const begun = new LiveLog();
  begun.take(frame(message([{ type: "text", text: "the end of it" }])));
  const retried = new LiveLog();
  retried.take(frame({ type: "llm/retry", seq: 1, time: 1, data: step }));

  assert.deepEqual([begun.stale, retried.stale], [true, true]);
});

test("nothing that a frame may hold is an error", () => {
  const log = new LiveLog();
  for (const records of [null, 3, [null, 1, {}, { event: 1 }, { event: { type: "tool/result" } }]]) {
    log.take({ records });
  }
  assert.deepEqual(log.take(undefined), []);
});

/** A response whose body comes in these pieces. */
function response(...pieces) {
  const encoder = new TextEncoder();
  return new Response(
    new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(encoder.encode(piece));
        controller.close();
      },
    }),
  );
}

async function all(from) {
  const found = [];
  for await (const each of events(from)) found.push(each);
  return found;
}

test("a stream's frames are the same however they are cut", async () => {
  const text = 'retry: 3000\nevent: subscribed\ndata: {"v":1}\n\n: keep-alive\n\n' +
    'id: 7\nevent: records\ndata: {"a":"é",\ndata: "b":2}\n\nid: 8\nevent: records\ndata: {';
  const whole = await all(response(text));

  assert.deepEqual(whole, [
    { event: "subscribed", id: null, data: { v: 1 } },
    { event: "records", id: 7, data: { a: "é", b: 2 } },
  ]);
  for (let at = 1; at < text.length; at++) {
    assert.deepEqual(await all(response(text.slice(0, at), text.slice(at))), whole);
  }
});
