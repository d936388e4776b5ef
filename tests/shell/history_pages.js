/**
 * Reads a session from a daemon page by page, tells its events and what they fold to:
 *
 *     node history_pages.js URL SESSION
 *
 * `tests/client/test_forms.py` runs it; without arguments it does nothing.
 */

import { Daemon } from "../../src/histbench/serve/shell/daemon.js";
import { foldAssistant } from "../../src/histbench/serve/shell/fold/assistant.js";
import { HistoryWindow } from "../../src/histbench/serve/shell/history/window.js";
import { HistoryPages } from "../../src/histbench/serve/shell/history_pages.js";
import { plain } from "./vectors.js";

async function read(url, sessionId) {
  const pages = new HistoryPages(new Daemon(url));
  const window = new HistoryWindow(sessionId, { maxMessages: 10 });
  window.open();
  for (let requests; (requests = window.takeRequests()).length > 0; window.loadOlder()) {
    for (const request of requests) {
      const more = request.kind === "older" ? { maxMessages: 1000 } : {};
      const parameters = { ...request.parameters(), ...more };
      window.receive(request, await pages.get(request.sessionId, parameters));
    }
  }
  // Folded first, while the events of lean pages are still as they were sent.
  const folded = plain(foldAssistant(window.inputs()));
  return { folded, events: window.events() };
}

if (process.argv.length > 2) {
  process.stdout.write(JSON.stringify(await read(process.argv[2], process.argv[3])));
}
