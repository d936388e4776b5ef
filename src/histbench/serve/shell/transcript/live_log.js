/**
 * LiveLog: what is appended to a session log, as the session updates that a view takes.
 *
 *     event or row               updates
 *     user/message               user_message_chunk for each text
 *     text, reasoning deltas     agent_message_chunk, agent_thought_chunk; one segment for a block
 *     deltas of a call           tool_call with the name, once
 *     assistant/message          what its deltas have not shown; calls with their arguments
 *     tool/result                tool_call_update with the result
 *     anything else              nothing
 *
 * The text of a step is shown by its deltas, if they were all seen here.  Of a step that had begun
 * before, part is shown under record ids that end with the message, and a retry takes back what was
 * shown: then `stale` is set and the session has to be loaded anew.
 */

import { isObject } from "./blocks.js";

/** @typedef {import("./blocks.js").Update} Update */

const ROWS = new Map([
  ["text-chunks", "text"],
  ["reasoning-chunks", "reasoning"],
  ["tool-call-chunks", "tool-call"],
]);
const CHUNKS = new Map([
  ["text", "agent_message_chunk"],
  ["reasoning", "agent_thought_chunk"],
]);
// Steps whose deltas are remembered; a log is one step after another.
const STEPS = 16;

export class LiveLog {
  constructor() {
    this.stale = false;
    /** @type {Map<string, {begun: boolean, shown: Set<string>}>} */
    this._steps = new Map();
  }

  /**
   * The updates of a frame's records, oldest first.
   * @param {unknown} frame a `records` event's data
   * @returns {Update[]}
   */
  take(frame) {
    const records = isObject(frame) && Array.isArray(frame.records) ? frame.records : [];
    const found = records.filter(isObject).map((each) => each.event ?? each.chunks);
    return found.filter(isObject).flatMap((record) => this._updates(record));
  }

  /**
   * @param {Record<string, any>} record
   * @returns {Update[]}
   */
  _updates(record) {
    const data = isObject(record.data) ? record.data : {};
    const row = ROWS.get(record.type);
    if (row !== undefined) {
      const texts = row === "tool-call" ? data.args : data.texts;
      return this._delta(row, data, data.index, Array.isArray(texts) ? texts.join("") : "", data);
    }
    switch (record.type) {
      case "assistant/chunk": {
        const chunk = isObject(data.chunk) ? data.chunk : {};
        const kind = String(chunk.type).replace(/-delta$/, "");
        return this._delta(kind, data, chunk.index, chunk.text, chunk);
      }
      case "step/start":
        this._step(data, true);
        return [];
      case "llm/retry":
        this.stale = true;
        return [];
      case "user/message":
        return textsOf(data.content).map((text) => chunkOf("user_message_chunk", text, record));
      case "assistant/message":
        return this._message(record, data);
      case "tool/result":
        return resultsOf(data).map((each) => ({ ...each, _meta: metaOf(record) }));
      default:
        return [];
    }
  }

  /**
   * @param {Record<string, any>} data
   * @param {boolean} begun
   */
  _step(data, begun) {
    const name = `${data.turn}:${data.step}`;
    let step = this._steps.get(name);
    if (step === undefined) {
      step = { begun, shown: new Set() };
      this._steps.set(name, step);
      if (this._steps.size > STEPS) this._steps.delete(this._steps.keys().next().value ?? "");
    }
    return { name, step };
  }

  /**
   * @param {string} kind
   * @param {Record<string, any>} data
   * @param {unknown} index
   * @param {unknown} text
   * @param {Record<string, any>} call
   * @returns {Update[]}
   */
  _delta(kind, data, index, text, call) {
    const { name, step } = this._step(data, false);
    const block = `live:${name}:${index}:${kind}`;
    const sessionUpdate = CHUNKS.get(kind);
    if (sessionUpdate !== undefined && typeof text === "string") {
      step.shown.add(kind);
      const _meta = { qwenTranscript: { segmentId: block } };
      return [{ sessionUpdate, content: { type: "text", text }, _meta }];
    }
    if (kind !== "tool-call" || step.shown.has(block) || typeof call.id !== "string") return [];
    step.shown.add(block);
    return [toolCall(call.id, call.name)];
  }

  /**
   * @param {Record<string, any>} record
   * @param {Record<string, any>} data
   * @returns {Update[]}
   */
  _message(record, data) {
    const message = isObject(data.message) ? data.message : {};
    const { step } = this._step(data, false);
    if (!step.begun) this.stale = true;
    const content = message.content ?? data.content;
    if (typeof content === "string") return [chunkOf("agent_message_chunk", content, record)];
    if (!Array.isArray(content)) return [];
    return content.filter(isObject).flatMap((part) => {
      /** @type {Update[]} */
      const made = [];
      const kind = CHUNKS.get(part.type);
      if (kind !== undefined && typeof part.text === "string") {
        if (!step.shown.has(part.type)) made.push(chunkOf(kind, part.text, record));
      } else if (part.type === "tool-call" && typeof part.id === "string") {
        const rawInput = argumentsOf(part.arguments);
        made.push({ ...toolCall(part.id, part.name), rawInput, _meta: metaOf(record) });
      }
      return made;
    });
  }
}

/**
 * @param {Record<string, any>} record
 */
function metaOf(record) {
  return { "qwen.session.recordId": `seq:${record.seq}`, timestamp: record.time };
}

/**
 * @param {string} sessionUpdate
 * @param {string} text
 * @param {Record<string, any>} record
 */
function chunkOf(sessionUpdate, text, record) {
  return { sessionUpdate, content: { type: "text", text }, _meta: metaOf(record) };
}

/**
 * @param {string} toolCallId
 * @param {unknown} name
 * @returns {Update}
 */
function toolCall(toolCallId, name) {
  const title = typeof name === "string" ? name : "tool";
  return { sessionUpdate: "tool_call", toolCallId, title, status: "in_progress" };
}

/** @param {unknown} content */
function textsOf(content) {
  if (typeof content === "string") return [content];
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  return parts.map((part) => part.text).filter((text) => typeof text === "string");
}

/** @param {unknown} text */
function argumentsOf(text) {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
}

/**
 * @param {Record<string, any>} data
 * @returns {Update[]}
 */
function resultsOf(data) {
  const message = isObject(data.message) ? data.message : null;
  const parts = message && Array.isArray(message.content) ? message.content.filter(isObject) : [];
  const results = message
    ? parts.filter((part) => part.type === "tool-result")
    : [{ ...data, toolCallId: data.callId }];
  return results.map((result) => ({
    sessionUpdate: "tool_call_update",
    toolCallId: result.toolCallId,
    status: result.isError === true ? "failed" : "completed",
    content: textsOf(result.content).map((text) => ({
      type: "content",
      content: { type: "text", text },
    })),
  }));
}
