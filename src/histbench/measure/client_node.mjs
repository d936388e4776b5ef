/**
 * The process in which Node does a client's work; started by `javascript_node`.
 *
 * It reads a job, one line of JSON, and the pages' bytes on standard input and writes the reply, or
 * what went wrong.
 */

import { readFileSync } from "node:fs";
import { getHeapStatistics } from "node:v8";

import { answerJob } from "./client_work.js";

const input = readFileSync(0);
const stop = input.indexOf("\n");
const job = JSON.parse(input.toString("utf8", 0, stop));
let start = stop + 1;
const pages = job.pages.map(({ form, bytes }) => {
  const data = input.subarray(start, start + bytes);
  start += bytes;
  return { form, data };
});
const heap = {
  // Twice: the first may run finalizers that leave more to collect.
  collect() {
    globalThis.gc();
    globalThis.gc();
  },
  used: () => getHeapStatistics().used_heap_size,
};
const { node, v8 } = process.versions;
const reply = await answerJob(job, pages, heap).catch((error) => ({ failed: String(error) }));
process.stdout.write(JSON.stringify({ ...reply, versions: { node, "node.v8": v8 } }));
