// Server-sent events onto the wire, whole or chopped into random bytes.
//
//   events ──▶ text ──▶ bytes ──▶ [one write an event]  or  [1–48 bytes a write, seeded]

/** A promise that ends after `ms` milliseconds; the next turn of the event loop for 0. */
export const pause = (ms) => new Promise((done) => (ms > 0 ? setTimeout(done, ms) : setImmediate(done)));

/**
 * Writes events until they end, the client leaves, or `stop` says so.
 * @param {import("node:http").ServerResponse} response head not yet sent
 * @param {Iterable<string>} events each a complete event with its blank line
 * @param {{headers?: object, chop?: object|null, between?: number, cutAfter?: number}} options
 *   `chop` a seeded generator, `between` milliseconds between events, `cutAfter` events before the socket breaks
 */
export async function sendEvents(
  response,
  events,
  { headers = {}, chop = null, between = 0, cutAfter = Infinity },
) {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    ...headers,
  });
  response.socket?.setNoDelay(true);
  let sent = 0;
  for (const event of events) {
    if (response.destroyed) return;
    if (sent++ >= cutAfter) {
      await pause(20); // lets what was written leave before the socket goes
      response.destroy();
      return;
    }
    for (const chunk of chunks(Buffer.from(event), chop)) {
      response.write(chunk);
      if (chop) await pause(0);
    }
    if (between > 0) await pause(between);
  }
  response.end();
}

function* chunks(bytes, chop) {
  if (!chop) return yield bytes;
  for (let at = 0; at < bytes.length;) {
    const size = chop.between(1, 48);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** Cuts `text` into pieces of 1 to 24 characters, as a model streams them; never inside a surrogate pair. */
export function* pieces(text, random) {
  const points = Array.from(text);
  for (let at = 0; at < points.length;) {
    const size = random.between(1, 24);
    yield points.slice(at, at + size).join("");
    at += size;
  }
}
