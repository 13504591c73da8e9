// What tests see and steer: the journal of all requests, and faults that wait for the next one.
//
//   GET  /__test/journal             [{ seq, api, path, stream, status, verdict, rule, error, tokens, complete, request,
//                                       response }];  ?bodies=0 leaves the last two out
//   POST /__test/fault               { "kind": …, "times": 1, "after": 3, "retry_after": 1 };  { "kind": null } clears
//   POST /__test/script              rules of script.mjs, or null
//   POST /__test/reset               journal, faults, cache and script (never the signatures)

/** Kinds of faults. The first four are error bodies of the provider, the others break the transport. */
export const FAULTS = [
  "rate_limit", // 429 with retry-after
  "overloaded", // 529, 503
  "server_error", // 500
  "tokens_per_minute", // 429 that waiting never cures (OpenAI)
  "html", // 502 with a page
  "hang", // no answer until the client leaves
  "close", // the socket breaks before the head
  "close_midstream", // the socket breaks after `after` events, or in the middle of a whole body
  "stream_error", // an error event after `after` events; 500 for a whole body
];

/** Faults in the order in which they strike. */
export class Faults {
  #queue = [];

  /** Adds a fault; throws a `TypeError` for an unknown kind. */
  add({ kind, times = 1, ...settings }) {
    if (kind === null) return this.clear();
    if (!FAULTS.includes(kind))
      throw new TypeError(`fault: unknown kind ${kind}; one of ${FAULTS.join(", ")}`);
    for (let left = times; left > 0; left--)
      this.#queue.push({ kind, after: 3, retry_after: 1, ...settings });
    return undefined;
  }

  next() {
    return this.#queue.shift();
  }

  clear() {
    this.#queue = [];
  }
}

/** Every request to a provider's path and what became of it. */
export class Journal {
  #entries = [];
  #seq = 0;

  /** Opens an entry; its fields are filled in as the request is handled. */
  open(fields) {
    const entry = { seq: ++this.#seq, verdict: "open", ...fields };
    this.#entries.push(entry);
    return entry;
  }

  get entries() {
    return this.#entries;
  }

  /** The entries without the bodies of requests and responses. */
  outlines() {
    return this.#entries.map(({ request: _request, response: _response, ...entry }) => entry);
  }

  clear() {
    this.#entries = [];
  }
}
