/**
 * Pages from whoever answers like no daemon does; real daemons are `tests/client/test_forms.py`'s.
 */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { Daemon } from "../../src/histbench/serve/shell/daemon.js";
import { MAX_PAGE_BYTES } from "../../src/histbench/serve/shell/history/forms.js";
import { HistoryPages } from "../../src/histbench/serve/shell/history_pages.js";

const EMPTY = '{"records":[],"hasMore":false,"fromSeq":0,"toSeq":0}';

/** What requests are answered with while `act` runs, by path; the queries that came. */
async function answered(answers, act) {
  const asked = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://x");
    asked.push([pathname, searchParams.get("form")]);
    answers[pathname](response, searchParams);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  try {
    await act(new HistoryPages(new Daemon(`http://127.0.0.1:${server.address().port}`)));
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return asked;
}

const says = (body) => (response) => response.end(body);
const LEAN = says('{"features":["session_history_lean"]}');

test("a page that cannot be read is refused, and not asked for in another form", async () => {
  const damaged = says(EMPTY.replace('"fromSeq":0', '"fromSeq":1'));
  const asked = await answered(
    { "/capabilities": LEAN, "/session/x/history": damaged },
    async (pages) => {
      await assert.rejects(pages.get("x"), { code: "bad_answer" });
    },
  );

  assert.deepEqual(asked, [["/capabilities", null], ["/session/x/history", "lean"]]);
});

test("a page that is too long is not read to its end", async () => {
  const part = Buffer.alloc(1 << 20, " ");
  let sent = 0;
  const endless = (response) => {
    response.once("drain", () => endless(response));
    do {
      sent += part.length;
    } while (!response.destroyed && response.write(part));
  };
  await answered(
    { "/capabilities": LEAN, "/session/x/history": endless },
    async (pages) => {
      await assert.rejects(pages.get("x"), { code: "bad_answer" });
    },
  );

  assert.ok(sent < 2 * MAX_PAGE_BYTES);
});

test("capabilities that could not be had are asked for again, those that say nothing are not", async () => {
  let away = true;
  const capabilities = (response) => {
    response.statusCode = away ? 503 : 200;
    response.end(away ? '{"code":"too_busy","error":"later"}' : "{}");
  };
  const asked = await answered(
    { "/capabilities": capabilities, "/session/x/history": says(EMPTY) },
    async (pages) => {
      await assert.rejects(pages.get("x"), { code: "too_busy" });
      away = false;
      assert.equal((await pages.get("x")).toSeq, 0);
      assert.equal((await pages.get("x", {}, { form: "joined" })).toSeq, 0);
    },
  );

  assert.deepEqual(asked, [
    ["/capabilities", null],
    ["/capabilities", null],
    ["/session/x/history", null],
    ["/session/x/history", "joined"],
  ]);
});

test("a child's page is asked for by its parent", async () => {
  const asked = await answered(
    { "/capabilities": LEAN, "/session/a%2Fb/subagent/c/history": says(EMPTY) },
    async (pages) => {
      assert.equal((await pages.getSubagent("a/b", "c", { mode: "one-shot" })).toSeq, 0);
    },
  );

  assert.deepEqual(asked[1], ["/session/a%2Fb/subagent/c/history", "lean"]);
});
