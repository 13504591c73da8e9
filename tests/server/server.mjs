// The strict test server: a provider that refuses what the real ones refuse, and never answers what it did not check.
//
//   client ─▶ CORS ─▶ key ─▶ JSON ─▶ [fault] ─▶ rules ─▶ tokens ≤ window ─▶ script or model ─▶ cache ─▶ JSON or SSE
//               └──────┴───────┴─────────┴────────┴──────── Refusal ──▶ the provider's own error body
//                                                                                     all of it ──▶ journal
//
// It speaks  POST /v1/messages · POST /v1/messages/count_tokens · POST /v1/chat/completions · GET /v1/models
// and        GET /__test/journal · POST /__test/fault · POST /__test/script · POST /__test/reset   (control.mjs)
//
//   const server = await createServer({ window: 32_000 });
//   await fetch(`${server.url}/v1/messages`, { method: "POST", headers: { "x-api-key": server.key, … }, body });
//   server.journal.entries.at(-1).rule;      // the rule that was broken, if one was
//   await server.close();
//
// From a shell: node tests/server/cli.mjs --port 0 --window 32000
//
// It shares no code with the product: rules are written from the providers' documentation and their published
// error bodies. Where it is stricter than a provider is today, an option says so: `alternation` (Anthropic merges
// turns of one role), `declaredTools` (Anthropic checks only that there are tools). Not checked: tool inputs against
// their schemas, citations, stop sequences.
import http from "node:http";
import { randomInt } from "node:crypto";

import { anthropic } from "./anthropic/api.mjs";
import { PrefixCache } from "./cache.mjs";
import { Faults, Journal } from "./control.mjs";
import { BadJson, corsHeaders, parseJson, readBody, sendJson, sendPreflight } from "./http.mjs";
import { createModel } from "./model.mjs";
import { openai } from "./openai/api.mjs";
import { createRandom } from "./random.mjs";
import { Refusal, refuse } from "./refusal.mjs";
import { finishReply } from "./reply.mjs";
import { createScript } from "./script.mjs";
import { Signatures } from "./signatures.mjs";
import { pause, sendEvents } from "./sse.mjs";
import { createCounter } from "./tokens.mjs";

const ROUTES = {
  "POST /v1/messages": { api: anthropic, serve: generate },
  "POST /v1/messages/count_tokens": { api: anthropic, serve: countTokens },
  "POST /v1/chat/completions": { api: openai, serve: generate },
};
const DEFAULTS = {
  host: "127.0.0.1",
  port: 0,
  key: "test-key",
  window: 200_000, // tokens of prompt and reply together
  overflow: "refuse", // or "stop": prompt + max_tokens may pass the window, the reply ends there (newer models)
  maxOutput: 64_000, // tokens; largest max_tokens
  maxBytes: 32 * 1024 * 1024, // of a request body
  cors: true,
  alternation: { anthropic: true, openai: false },
  declaredTools: true,
  prefill: true,
  foreignThinking: false, // true: blocks that another server signed pass, for recorded and simulated sessions
  models: null, // a list of names; null takes any
  tokenizer: undefined, // (text) => tokens; o200k_base by default
  latency: { first: 0, between: 0 }, // milliseconds before the head, and between events
  chop: false, // true: streams go out in pieces of 1 to 48 bytes
  seed: null, // ids, signatures and pieces; null draws one, so that two servers never issue the same id
  script: null,
  cacheTtl: 300_000, // milliseconds
};

/**
 * Starts a server on the loopback address.
 * @param {Partial<typeof DEFAULTS>} options
 * @returns {Promise<{url: string, port: number, key: string, seed: number, journal: Journal, faults: Faults,
 *   script: (script: unknown) => void, reset: () => void, close: () => Promise<void>}>}
 */
export async function createServer(options = {}) {
  const state = createState({ ...DEFAULTS, ...options });
  const server = http.createServer((request, response) => {
    handle(request, response, state).catch((error) => {
      if (!response.headersSent)
        sendJson(response, 500, { error: { type: "test_server", message: String(error.stack) } });
      else response.destroy();
    });
  });
  const { host, port } = state.options;
  await new Promise((done, failed) => server.once("error", failed).listen(port, host, done));
  const address = server.address();
  return {
    url: `http://${host}:${address.port}`,
    port: address.port,
    key: state.options.key,
    seed: state.seed,
    journal: state.journal,
    faults: state.faults,
    script: (script) => (state.script = createScript(script)),
    reset: () => reset(state),
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}

function createState(options) {
  const seed = options.seed ?? randomInt(2 ** 31);
  const { alternation } = options;
  return {
    options: {
      ...options,
      alternation:
        typeof alternation === "boolean" ? { anthropic: alternation, openai: alternation } : alternation,
    },
    seed,
    random: createRandom(seed),
    counter: createCounter(options.tokenizer),
    cache: new PrefixCache({ ttl: options.cacheTtl }),
    signatures: new Signatures(),
    model: createModel(),
    script: createScript(options.script),
    faults: new Faults(),
    journal: new Journal(),
  };
}

function reset(state) {
  state.journal.clear();
  state.faults.clear();
  state.cache.clear();
  state.script = createScript(state.options.script);
}

async function handle(request, response, state) {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  if (pathname.startsWith("/__test/")) return control(request, response, { pathname, searchParams }, state);
  const api = apiOf(pathname, request);
  const cors = { enabled: state.options.cors, browserHeader: api.browserHeader };
  if (request.method === "OPTIONS") return sendPreflight(request, response, cors);
  const exchange = {
    api,
    request,
    response,
    state,
    requestId: state.random.id("req_"),
    headers: corsHeaders(request, cors),
    entry: state.journal.open({
      api: api.name,
      method: request.method,
      path: pathname,
      origin: request.headers.origin ?? null,
    }),
  };
  exchange.headers["request-id"] = exchange.requestId;
  response.once("close", () => (exchange.entry.complete = response.writableFinished));
  try {
    await route(exchange, pathname);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    sendRefusal(exchange, error, "refused");
  }
  return undefined;
}

function apiOf(pathname, request) {
  if (pathname.startsWith("/v1/messages")) return anthropic;
  const asked = `${request.headers["access-control-request-headers"] ?? ""} ${Object.keys(request.headers)}`;
  return pathname === "/v1/models" && /anthropic-version|x-api-key/i.test(asked) ? anthropic : openai;
}

async function route(exchange, pathname) {
  const { api, request, response, state, headers, entry } = exchange;
  const bytes = await readBody(request, state.options.maxBytes);
  api.authenticate(request, state.options);
  if (request.method === "GET" && pathname === "/v1/models") {
    Object.assign(entry, { verdict: "accepted", status: 200 });
    sendJson(response, 200, api.modelList(state.options.models ?? ["test-large", "test-small"]), headers);
    return;
  }
  const found =
    Object.hasOwn(ROUTES, `${request.method} ${pathname}`) && ROUTES[`${request.method} ${pathname}`];
  if (!found)
    refuse("path", `${request.method} ${pathname}: Not found`, { status: 404, type: "not_found_error" });
  if (bytes === null)
    refuse("body_size", "Request exceeds the maximum size", { status: 413, type: "request_too_large" });
  await found.serve(exchange, parse(bytes, api, entry));
}

function parse(bytes, api, entry) {
  try {
    entry.request = parseJson(bytes);
    return entry.request;
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    return refuse("json", api.badJson(error.message));
  }
}

async function countTokens({ api, response, state, headers, entry }, body) {
  api.check(body, checkOptions(state, api, true));
  const tokens = sum(api.blocks(body, state.counter));
  Object.assign(entry, { verdict: "accepted", status: 200, tokens: { prompt: tokens } });
  sendJson(response, 200, { input_tokens: tokens }, headers);
}

async function generate(exchange, body) {
  const { api, response, state, headers, entry } = exchange;
  const { options, random, counter } = state;
  entry.stream = body?.stream === true;
  const fault = state.faults.next();
  if (fault && (await strike(exchange, fault))) return;

  api.check(body, checkOptions(state, api, false));
  const blocks = api.blocks(body, counter);
  const prompt = sum(blocks);
  entry.tokens = { prompt };
  const asked = api.maxTokens(body);
  const stops = options.overflow === "stop";
  api.refuseOverflow({ prompt, limit: asked, window: options.window, stops });

  const room = options.window - prompt;
  const limit = Math.max(1, Math.min(asked ?? options.maxOutput, room));
  const conversation = api.conversation(body);
  const draft = state.script(conversation) ?? state.model.reply(conversation);
  const full = asked === null || asked > room ? "model_context_window_exceeded" : "max_tokens";
  const reply = finishReply(draft, { limit, full, counter, random });
  state.signatures.issue(reply.blocks);
  state.model.remember(reply);
  const usage = { ...api.cacheUsage(state.cache, blocks, body), output: reply.output };
  const message = api.message(reply, usage, body, Math.floor(Date.now() / 1000));
  Object.assign(entry, {
    verdict: fault ? "fault" : "accepted",
    fault: fault?.kind,
    status: 200,
    tokens: { prompt, ...usage },
    stop: reply.stop,
    response: message,
  });

  await pause(options.latency.first ?? 0);
  if (!entry.stream) return sendWhole(response, message, headers, fault);
  const failAfter = fault?.kind === "stream_error" ? fault.after : undefined;
  const events = api.streamEvents(reply, usage, message, { random, body, failAfter });
  return sendEvents(response, events, {
    headers,
    chop: options.chop ? random : null,
    between: options.latency.between ?? 0,
    cutAfter: fault?.kind === "close_midstream" ? fault.after : undefined,
  });
}

function checkOptions({ options, signatures }, api, counting) {
  return { ...options, alternation: options.alternation[api.name], signatures, counting };
}

const sum = (blocks) => blocks.reduce((total, { tokens }) => total + tokens, 0);

function sendWhole(response, message, headers, fault) {
  const body = JSON.stringify(message);
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...headers,
  });
  if (fault?.kind !== "close_midstream") return response.end(body);
  response.write(body.slice(0, body.length / 2));
  return setTimeout(() => response.destroy(), 20);
}

/** Answers with a fault; false if it strikes later, in the middle of the reply. */
async function strike(exchange, fault) {
  const { api, response, headers, entry } = exchange;
  if (fault.kind === "close_midstream" || (fault.kind === "stream_error" && entry.stream)) return false;
  Object.assign(entry, { verdict: "fault", fault: fault.kind });
  switch (fault.kind) {
    case "hang":
      return true;
    case "close":
      response.destroy();
      return true;
    case "html":
      entry.status = 502;
      response.writeHead(502, { "content-type": "text/html", ...headers });
      response.end("<!doctype html><title>502</title><h1>502 Bad Gateway</h1>");
      return true;
    default: {
      const [status, type, message, code] = api.faults[fault.kind] ?? api.faults.server_error;
      const retry = status === 429 ? { "retry-after": String(fault.retry_after) } : {};
      sendRefusal(
        exchange,
        new Refusal(fault.kind, message, { status, type, code, headers: retry }),
        "fault",
      );
      return true;
    }
  }
}

function sendRefusal({ api, response, headers, requestId, entry }, refusal, verdict) {
  const { rule, status, type, message } = refusal;
  Object.assign(entry, { verdict, status, rule, error: { type, message } });
  sendJson(response, status, api.errorBody(refusal, requestId), { ...headers, ...refusal.headers });
}

async function control(request, response, { pathname, searchParams }, state) {
  const cors = { enabled: true, browserHeader: null };
  if (request.method === "OPTIONS") return sendPreflight(request, response, cors);
  const headers = corsHeaders(request, cors);
  const body = await readBody(request, state.options.maxBytes);
  const done = (value) => sendJson(response, 200, value, headers);
  try {
    switch (`${request.method} ${pathname}`) {
      case "GET /__test/journal":
        return done(searchParams.get("bodies") === "0" ? state.journal.outlines() : state.journal.entries);
      case "POST /__test/fault":
        state.faults.add(parseJson(body));
        return done({ ok: true });
      case "POST /__test/script":
        state.script = createScript(parseJson(body));
        return done({ ok: true });
      case "POST /__test/reset":
        reset(state);
        return done({ ok: true });
      default:
        return sendJson(response, 404, { error: `no ${request.method} ${pathname}` }, headers);
    }
  } catch (error) {
    return sendJson(response, 400, { error: error.message }, headers);
  }
}
