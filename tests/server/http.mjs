// HTTP without opinions: bodies in, JSON out, cross-origin headers.

/** Reads the whole body; `null` if it is longer than `limit` bytes. */
export async function readBody(request, limit) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length <= limit) parts.push(part);
  }
  return length > limit ? null : Buffer.concat(parts);
}

/** Why a body is not JSON that a strict (Unicode-clean) parser accepts. */
export class BadJson extends Error {}

/**
 * Parses a body as strictly as the providers do: invalid UTF-8 and lone surrogates are refused, which
 * `JSON.parse` alone lets pass.
 * @throws {BadJson}
 */
export function parseJson(bytes) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new BadJson("invalid utf-8 sequence");
  }
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BadJson(error.message);
  }
  const at = loneSurrogate(text);
  if (at !== -1) throw new BadJson(`no low surrogate in string: line 1 column ${at + 1} (char ${at})`);
  return value;
}

/** Where an escape of half a surrogate pair begins in JSON text, or -1. */
function loneSurrogate(text) {
  const escape = /\\(?:u([0-9a-fA-F]{4})|.)/g;
  let high = -1;
  let expected = -1;
  for (const match of text.matchAll(escape)) {
    const unit = match[1] === undefined ? 0 : Number.parseInt(match[1], 16);
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (high !== -1 && !(isLow && match.index === expected)) return high;
    if (high === -1 && isLow) return match.index;
    const isHigh = unit >= 0xd800 && unit <= 0xdbff;
    high = isHigh ? match.index : -1;
    expected = match.index + 6;
  }
  return high;
}

/** Sends `value` as JSON. */
export function sendJson(response, status, value, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
}

/**
 * Cross-origin headers of a response. Anthropic grants them only to requests that carry
 * `anthropic-dangerous-direct-browser-access: true`, on errors too; the others grant them to all.
 */
export function corsHeaders(request, { enabled, browserHeader }) {
  const granted = enabled && (!browserHeader || request.headers[browserHeader] === "true");
  return granted ? { "access-control-allow-origin": "*", "access-control-expose-headers": "*" } : {};
}

/** Answers a preflight (`OPTIONS`) request. */
export function sendPreflight(request, response, { enabled, browserHeader }) {
  const wanted = request.headers["access-control-request-headers"] ?? "";
  const names = wanted.split(",").map((name) => name.trim().toLowerCase());
  if (!enabled || (browserHeader && !names.includes(browserHeader))) {
    response.writeHead(enabled ? 204 : 405).end();
    return;
  }
  response.writeHead(204, {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, POST, OPTIONS",
    "access-control-allow-headers": wanted || "*",
    "access-control-max-age": "600",
  });
  response.end();
}
