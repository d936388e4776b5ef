/**
 * The page in which Chromium does a client's work; served by `javascript_chromium`.
 *
 * It fetches the job and the pages, does the work, and posts the reply, or what went wrong.
 */

import { answerJob } from "./client_work.js";

const engine = /** @type {any} */ (globalThis);

const heap = {
  collect() {
    engine.gc();
    engine.gc();
  },
  used: () => engine.performance.memory.usedJSHeapSize,
};

/** @returns {Promise<string>} the browser's full version */
async function version() {
  const { fullVersionList } = await engine.navigator.userAgentData.getHighEntropyValues([
    "fullVersionList",
  ]);
  const named = fullVersionList.find((/** @type {any} */ { brand }) => brand === "Chromium");
  return named.version;
}

async function work() {
  const job = await (await fetch("job")).json();
  /** @type {import("./client_work.js").ShippedPage[]} */
  const pages = [];
  for (const { form } of job.pages) {
    const data = new Uint8Array(await (await fetch(`page/${form}`)).arrayBuffer());
    pages.push({ form, data });
  }
  return { ...(await answerJob(job, pages, heap)), versions: { chromium: await version() } };
}

const reply = await work().catch((error) => ({ failed: String(error) }));
await fetch("reply", { method: "POST", body: JSON.stringify(reply) });
