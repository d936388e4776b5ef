/**
 * A client's work in V8, timed and weighed: the same in Node and in a browser.
 *
 * A turn is what `stages.run_client` does in Python: page bytes to values, to a proved page, to the
 * fold's inputs, to both consumers' states.  The rounds are those of `timing`: every form has its
 * turn, every second round goes backwards, and before each turn everything is collected.
 */

import { compactInputs } from "../serve/shell/fold/compact.js";
import { foldPair } from "../serve/shell/fold/pair.js";
import { FORMS } from "../serve/shell/history/forms.js";

/** @typedef {{form: string, data: Uint8Array}} ShippedPage */
/** @typedef {Record<string, number>} Seconds by stage, in seconds */
/** @typedef {ReturnType<typeof foldPair>} State */

/**
 * What is asked for: `time` all pages, or take the `peaks` of the only one.
 *
 * @typedef {object} Job
 * @property {"time" | "peaks"} task
 * @property {{form: string, bytes: number}[]} pages
 * @property {number} runs samples of each page
 * @property {number} warmUp runs thrown away before
 */

/**
 * What an engine can tell of its heap.
 *
 * @typedef {object} Heap
 * @property {() => void} collect everything that is garbage now
 * @property {() => number} used bytes
 */

/**
 * The reply to a job: seconds or peaks of every run, by form, and what the pages fold to.
 *
 * @param {Job} job
 * @param {ShippedPage[]} pages
 * @param {Heap} heap
 */
export async function answerJob(job, pages, heap) {
  if (job.task === "peaks") {
    const [page] = pages;
    return { peaks: takePeaks(page, job.runs, heap) };
  }
  const seconds = timePages(pages, job, heap);
  /** @type {Record<string, string>} */
  const digests = {};
  for (const { form, data } of pages) {
    digests[form] = await digestOf(clientTurn(form, data, () => {}));
  }
  return { seconds, digests };
}

/**
 * One turn.
 *
 * @param {string} form
 * @param {Uint8Array} data
 * @param {(stage: string) => void} done called after each stage
 * @returns {State}
 */
function clientTurn(form, data, done) {
  const chosen = FORMS.get(form);
  if (chosen === undefined) {
    throw new TypeError(`no form ${form}`);
  }
  /** @type {unknown} */
  let parsed = chosen.parse(data);
  done("parse");
  /** @type {import("../serve/shell/history/page.js").HistoryPage | null} */
  let page = chosen.validate(parsed);
  done("validate");
  // A client that keeps the page does not keep what the page was parsed from.
  parsed = null;
  const inputs = compactInputs(page.records);
  done("prepare");
  page = null;
  const state = foldPair(inputs);
  done("fold");
  return state;
}

/**
 * @param {ShippedPage[]} pages
 * @param {Job} job
 * @param {Heap} heap
 * @returns {Record<string, Seconds[]>} by form, in the order of the runs
 */
function timePages(pages, { runs, warmUp }, heap) {
  /** @type {Record<string, Seconds[]>} */
  const taken = {};
  pages.forEach(({ form }) => {
    taken[form] = [];
  });
  for (let run = -warmUp; run < runs; run += 1) {
    for (const { form, data } of run % 2 === 0 ? pages : [...pages].reverse()) {
      heap.collect();
      const seconds = timeTurn(form, data);
      if (run >= 0) {
        taken[form].push(seconds);
      }
    }
  }
  return taken;
}

/**
 * @param {string} form
 * @param {Uint8Array} data
 * @returns {Seconds}
 */
function timeTurn(form, data) {
  /** @type {Seconds} */
  const seconds = {};
  const start = performance.now();
  let before = start;
  clientTurn(form, data, (stage) => {
    const now = performance.now();
    seconds[stage] = (now - before) / 1000;
    before = now;
  });
  seconds.total = (performance.now() - start) / 1000;
  return seconds;
}

/**
 * The most that the heap held after any stage, above what it held before, for each sample.
 *
 * @param {ShippedPage} page
 * @param {number} samples
 * @param {Heap} heap
 * @returns {number[]} bytes
 */
function takePeaks({ form, data }, samples, heap) {
  // Code is compiled once and stays; it is no part of what a page costs.
  clientTurn(form, data, () => {});
  const peaks = [];
  for (let sample = 0; sample < samples; sample += 1) {
    heap.collect();
    const before = heap.used();
    let peak = before;
    clientTurn(form, data, () => {
      peak = Math.max(peak, heap.used());
    });
    peaks.push(peak - before);
  }
  return peaks;
}

/**
 * SHA-256 of a state's JSON, which `javascript.state_digest` takes of Python's state.
 *
 * @param {State} state
 * @returns {Promise<string>}
 */
async function digestOf(state) {
  const told = [state.chat, state.trajectory].map((steps) =>
    steps.map((step) => [
      step.turn,
      step.step,
      [...step.blocks],
      step.firstTokenTime,
      step.firstVisibleSeq,
      step.firstVisibleTime,
    ]),
  );
  const text = new TextEncoder().encode(JSON.stringify(told));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
