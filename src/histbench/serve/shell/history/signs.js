/**
 * Small numbers as a string of signs, as in `histbench.history.signs`.
 *
 *     one sign for each number: 0-9 a-z A-Z for 0 to 61, otherwise (n), n in decimal
 */

const SIGNS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ONLY_SIGNS = /^[0-9a-zA-Z]*$/;
const LONG = /\((-?[1-9][0-9]{0,16})\)/;

export const HIGHEST_SIGN = SIGNS.length - 1;
// Characters that one safe integer takes at most.
export const LONGEST_SPELLING = "(-9007199254740991)".length;

const VALUE_OF_SIGN = new Uint8Array(128);
for (let value = 0; value < SIGNS.length; value += 1) {
  VALUE_OF_SIGN[SIGNS.charCodeAt(value)] = value;
}

/**
 * The numbers that are spelled; what is no sign must have been refused before.
 *
 * @param {string} signs
 * @returns {number[]}
 */
export function readSigns(signs) {
  /** @type {number[]} */
  const numbers = [];
  signs.split(LONG).forEach((part, place) => {
    if (place % 2 === 1) {
      numbers.push(Number(part));
      return;
    }
    for (let k = 0; k < part.length; k += 1) {
      numbers.push(VALUE_OF_SIGN[part.charCodeAt(k)]);
    }
  });
  return numbers;
}

/**
 * The short signs, or whatever else stands between the long ones; and the long ones' numbers.
 *
 * @param {string} signs
 * @returns {{short: string, longs: number[]}}
 */
export function splitSigns(signs) {
  if (!signs.includes("(")) {
    return { short: signs, longs: [] };
  }
  const parts = signs.split(LONG);
  return {
    short: parts.filter((_, place) => place % 2 === 0).join(""),
    longs: parts.filter((_, place) => place % 2 === 1).map(Number),
  };
}

/**
 * @param {string} signs
 * @returns {boolean} whether every number is told by one sign
 */
export function onlySigns(signs) {
  return ONLY_SIGNS.test(signs);
}
