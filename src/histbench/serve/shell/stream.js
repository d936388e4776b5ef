/**
 * follow: a daemon's events of one session, over as many connections as it takes.
 *
 * Read with fetch, since EventSource sends neither a token nor the epoch.  Each connection goes on
 * behind the last id that was seen.  Between attempts there is a pause, longer after each that
 * brought nothing, and shorter again after one that did.
 */

import { RequestFailed } from "./daemon.js";

/** @typedef {{event: string, id: number | null, data: any}} StreamEvent */
/** @typedef {"connecting" | "live" | "waiting" | "refused"} StreamState */

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;
// A frame has one record at least, and a record may be as large as a page.
const LONGEST_LINE = 64 * 1024 * 1024;

/**
 * @param {import("./daemon.js").Daemon} daemon
 * @param {string} sessionId
 * @param {{lastEventId: number, epoch: string | null, signal: AbortSignal,
 *   receive: (event: StreamEvent) => void, tell: (state: StreamState) => void}} how
 */
export async function follow(daemon, sessionId, { lastEventId, epoch, signal, receive, tell }) {
  let pause = FIRST_PAUSE;
  while (!signal.aborted) {
    tell("connecting");
    try {
      /** @type {Record<string, string>} */
      const headers = { accept: "text/event-stream", "last-event-id": String(lastEventId) };
      if (epoch !== null) headers["x-qwen-event-epoch"] = epoch;
      const path = `/session/${encodeURIComponent(sessionId)}/events`;
      const response = await daemon.fetch(path, { headers, signal });
      tell("live");
      for await (const event of events(response)) {
        if (signal.aborted) return;
        pause = FIRST_PAUSE;
        receive(event);
        if (event.id !== null) lastEventId = event.id;
        else if (event.event === "state_resync_required") {
          lastEventId = event.data.lastEventId;
          epoch = event.data.eventEpoch;
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      const status = error instanceof RequestFailed ? error.status : null;
      if (status !== null && status < 500 && status !== 408 && status !== 429) {
        tell("refused");
        return;
      }
    }
    if (signal.aborted) return;
    tell("waiting");
    await sleep(pause * (0.75 + Math.random() / 2), signal);
    pause = Math.min(LONGEST_PAUSE, pause * 2);
  }
}

/**
 * The events of a response, as they come.
 * @param {Response} response
 * @returns {AsyncGenerator<StreamEvent>}
 */
export async function* events(response) {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  /** @type {string[]} */
  let parts = [];
  let length = 0;
  let event = "message";
  let id = null;
  /** @type {string[]} */
  let data = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = value.split("\n");
      parts.push(lines[0]);
      length += lines[0].length;
      if (length > LONGEST_LINE) throw new RequestFailed("frame_too_large", "a frame is too large");
      for (let at = 1; at < lines.length; at++) {
        const line = parts.join("").replace(/\r$/, "");
        parts = [lines[at]];
        length = lines[at].length;
        if (line === "") {
          if (data.length) yield { event, id, data: JSON.parse(data.join("\n")) };
          [event, id, data] = ["message", null, []];
        } else if (line.startsWith("data:")) data.push(line.slice(5));
        else if (line.startsWith("event:")) event = line.slice(6).trim();
        else if (line.startsWith("id:")) id = Number(line.slice(3));
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * @param {number} ms
 * @param {AbortSignal} signal
 */
function sleep(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve(undefined);
    }, { once: true });
  });
}
