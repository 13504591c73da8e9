// A refusal: what a provider answers instead of a reply, with the rule that was broken.
//
//   rules ──throw──▶ Refusal { rule, status, type, message } ──▶ provider's error body ──▶ client
//                                                            └──▶ journal (rule name)

/** Thrown by a rule; carries all that a provider's error body needs. */
export class Refusal extends Error {
  /**
   * @param {string} rule name of the rule in the journal, for tests to branch on
   * @param {string} message the provider's own words
   * @param {{status?: number, type?: string, param?: string|null, code?: string|null, headers?: object}} [more]
   *   HTTP status (400), error type, OpenAI's `param` and `code`, extra response headers
   */
  constructor(rule, message, more = {}) {
    super(message);
    this.rule = rule;
    this.status = more.status ?? 400;
    this.type = more.type ?? "invalid_request_error";
    this.param = more.param ?? null;
    this.code = more.code ?? null;
    this.headers = more.headers ?? {};
  }
}

/** Refuses the request. @returns {never} */
export function refuse(rule, message, more) {
  throw new Refusal(rule, message, more);
}
