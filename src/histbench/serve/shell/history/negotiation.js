/**
 * Which form a daemon is asked for, as in `histbench.history.negotiation`: the shortest that it
 * has; another one once it refuses that.
 */

const PREFERRED = ["lean", "joined"];
const EVERYWHERE = "packed";

/** The choice for one daemon. */
export class FormChoice {
  #left;

  /** @param {Iterable<string>} features the names that its capabilities give */
  constructor(features) {
    const named = new Set(features);
    this.#left = PREFERRED.filter((form) => named.has(`session_history_${form}`));
  }

  /** The form to ask for. */
  get form() {
    return this.#left[0] ?? EVERYWHERE;
  }

  /**
   * Learn with which code a request for a form was refused; whether to ask for another.
   *
   * @param {string} form
   * @param {string} code
   * @returns {boolean}
   */
  giveUp(form, code) {
    if (form === EVERYWHERE || !["unknown_form", "unknown_parameter"].includes(code)) {
      return false;
    }
    this.#left = this.#left.filter((each) => each !== form && code === "unknown_form");
    return true;
  }
}
