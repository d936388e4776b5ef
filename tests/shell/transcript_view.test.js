/**
 * The shell's view does what the Python view does: each script, step by step.
 */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { BrowsingView } from "../../src/histbench/serve/shell/transcript/browsing_view.js";
import { TranscriptView } from "../../src/histbench/serve/shell/transcript/view.js";

const FOLDER = new URL("vectors/transcript/", import.meta.url);

/** @param {TranscriptView} view */
function stateOf(view) {
  const { failure, blocks } = view;
  return {
    state: view.state,
    generation: view.generation,
    loading: view.loading,
    count: blocks.length,
    ordinals: blocks.length ? [blocks[0].ordinal, blocks[blocks.length - 1].ordinal] : [],
    byteSize: view.byteSize,
    boundary: view.boundary,
    lastEventId: view.lastEventId,
    epoch: view.epoch,
    flags: [view.hasOlder, view.hasNewer, view.capacityReached, view.canLoadOlder],
    failure: failure && [failure.code, failure.kind, failure.retryable, failure.beyond],
    notices: view.notices,
  };
}

for (const name of readdirSync(FOLDER).filter((each) => each.endsWith(".json"))) {
  test(`${name}: as the Python view`, () => {
    const vector = JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"));
    const view = new TranscriptView(vector.sessionId, vector.options);
    const requests = new Map();
    const acts = {
      open: () => view.open(),
      follow: () => view.follow(),
      retry: () => view.retry(),
      passOver: () => view.passOver(),
      loadOlder: (how) => view.loadOlder(how),
      receive: ({ request, answer }) => view.receive(requests.get(request), answer),
      fail: ({ request, ...why }) => view.fail(requests.get(request), { ...why, message: "no" }),
      receiveUpdates: ({ events, ...where }) => view.receiveUpdates(events, where),
      takeRequests: () =>
        view.takeRequests().map((each) => {
          requests.set(each.number, each);
          const { snapshot, ...wanted } = each;
          return wanted;
        }),
    };
    vector.steps.forEach((step, number) => {
      const given = acts[step.do](step.with) ?? null;
      assert.deepEqual(given, step.gives, `step ${number}: ${step.do}`);
      assert.deepEqual(stateOf(view), step.then, `step ${number}: ${step.do}`);
    });
    const blocks = view.blocks.map((each) => [
      each.ordinal, each.kind, each.key, each.recordIds, each.updates.length, each.size,
    ]);
    assert.deepEqual(blocks, vector.blocks);
  });
}

/** Records r0, r1, ... of a session, as a daemon gives them. */
class Host {
  constructor(count) {
    this.count = count;
  }

  event(place) {
    const sessionUpdate = place % 3 ? "agent_message_chunk" : "user_message_chunk";
    const content = { type: "text", text: `record ${place}` };
    const data = { sessionUpdate, content, _meta: { "qwen.session.recordId": `r${place}` } };
    return { v: 1, type: "session_update", data };
  }

  events(start, stop) {
    return Array.from({ length: stop - start }, (_, number) => this.event(start + number));
  }

  answer({ kind, limit, recordId }) {
    if (kind === "load" || kind === "attach") {
      const start = Math.max(0, this.count - limit);
      return {
        compactedReplay: this.events(start, this.count), historyHasMore: start > 0,
        historyAnchorRecordId: `r${start}`, lastEventId: this.count, eventEpoch: "e",
      };
    }
    const at = Number(recordId.slice(1));
    const start = { older: Math.max(0, at - limit), newer: at + 1, at }[kind];
    const stop = kind === "older" ? at : Math.min(this.count, start + limit);
    return {
      events: this.events(start, stop), hasMore: kind === "older" ? start > 0 : stop < this.count,
      hasOlder: start > 0, firstRecordId: `r${start}`, lastRecordId: `r${stop - 1}`,
    };
  }
}

/** Answer everything that a view wants. */
function drive(host, view) {
  for (;;) {
    const [request] = view.takeRequests();
    if (request === undefined) return;
    view.receive(request, host.answer(request));
  }
}

const shown = (view) => view.blocks.flatMap((block) => block.recordIds).map((each) => Number(each.slice(1)));

test("a browsing view goes from end to start and back within its bounds", () => {
  const host = new Host(500);
  const view = new BrowsingView("s", { pageSize: 20, maxBlocks: 60 });
  view.open();
  drive(host, view);
  const seen = new Set(shown(view));
  while (view.loadOlder()) {
    drive(host, view);
    const numbers = shown(view);
    assert.ok(view.blocks.length <= 60);
    assert.ok(numbers.every((each, at) => at === 0 || each === numbers[at - 1] + 1));
    numbers.forEach((each) => seen.add(each));
  }

  assert.equal(seen.size, 500);
  assert.equal(shown(view)[0], 0);
  assert.ok(view.hasNewer);

  while (view.loadNewer()) {
    drive(host, view);
    const numbers = shown(view);
    assert.ok(view.blocks.length <= 60);
    assert.ok(numbers.every((each, at) => at === 0 || each === numbers[at - 1] + 1));
  }

  assert.equal(shown(view).at(-1), 499);
  assert.equal(view.hasNewer, false);
  assert.ok(view.readerAtNewest);
});

test("a jump shows the page around a record, and what is appended meanwhile is not lost", () => {
  const host = new Host(200);
  const view = new BrowsingView("s", { pageSize: 20 });
  view.open();
  drive(host, view);
  view.jump("r90");
  drive(host, view);

  assert.deepEqual([shown(view)[0], view.hasOlder, view.hasNewer], [90, true, true]);

  host.count = 203;
  assert.equal(
    view.receiveUpdates(host.events(200, 203), { lastEventId: 203, generation: view.generation }),
    false,
  );
  while (view.loadNewer()) drive(host, view);

  assert.equal(shown(view).at(-1), 202);
  assert.equal(view.lastEventId, 203);
  assert.equal(new Set(shown(view)).size, shown(view).length);
});

test("where the way on is gone, the newest page comes instead", () => {
  const host = new Host(100);
  const view = new BrowsingView("s", { pageSize: 10 });
  view.open();
  drive(host, view);
  view.jump("r3");
  drive(host, view);
  view.loadNewer();
  const [request] = view.takeRequests();
  view.fail(request, { code: "invalid_transcript_cursor", status: 400 });
  drive(host, view);

  assert.deepEqual([shown(view).at(-1), view.hasNewer, view.failure], [99, false, null]);
});

test("a jump that failed is tried again as it was", () => {
  const host = new Host(100);
  const view = new BrowsingView("s", { pageSize: 10 });
  view.open();
  drive(host, view);
  view.jump("r3", "snapshot");
  const [request] = view.takeRequests();
  view.fail(request, { status: 503 });
  view.retry();
  const [again] = view.takeRequests();

  assert.deepEqual([again.kind, again.recordId, again.snapshot], ["at", "r3", "snapshot"]);
});

test("the answer to a jump that was given up is dropped", () => {
  const host = new Host(100);
  const view = new BrowsingView("s", { pageSize: 10 });
  view.open();
  drive(host, view);
  view.jump("r3");
  const [late] = view.takeRequests();
  view.open();
  drive(host, view);

  assert.equal(view.receive(late, host.answer(late)), false);
  assert.equal(shown(view).at(-1), 99);
});
