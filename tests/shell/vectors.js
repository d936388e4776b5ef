/**
 * Vector files, and states as they stand in them.
 */

import { readFileSync, readdirSync, existsSync } from "node:fs";

const SHARED = new URL("./vectors/", import.meta.url);
const FROZEN = new URL("../vectors/", import.meta.url);

/** The cases of a file that `shell_vectors.py` wrote. */
export function shared(name) {
  return JSON.parse(readFileSync(new URL(name, SHARED), "utf8"));
}

/** The folders of frozen vectors that have all these files. */
export function frozen(...names) {
  return readdirSync(FROZEN, { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map((each) => new URL(`${each.name}/`, FROZEN))
    .filter((folder) => names.every((name) => existsSync(new URL(name, folder))));
}

/** The bytes of one frozen file. */
export function bytesOf(folder, name) {
  return readFileSync(new URL(name, folder));
}

/** The lines of one frozen file. */
export function linesOf(folder, name) {
  return bytesOf(folder, name).toString("utf8").trimEnd().split("\n");
}

/** The code that a call is refused with, "none" when it is not. */
export function codeOf(call) {
  try {
    call();
  } catch (error) {
    if (typeof error.code === "string") {
      return error.code;
    }
    throw error;
  }
  return "none";
}

/** A state as JSON has it: a map is a list of pairs. */
export function plain(state) {
  return JSON.parse(JSON.stringify(state, (_, value) => (value instanceof Map ? [...value] : value)));
}
