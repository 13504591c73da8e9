// Keys, JSON, sizes, cross-origin headers, models, and what the control paths do.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { start } from "./support.mjs";

const { server, post, anthropic, openai, anthropicHeaders, openaiHeaders, control } = await start({
  maxBytes: 100_000,
});
const body = { model: "m", max_tokens: 10, messages: [{ role: "user", content: "hi" }] };
const BROWSER = "anthropic-dangerous-direct-browser-access";
const ORIGIN = { origin: "http://page.example" };

test("keys: missing, wrong and right, in each provider's words", async () => {
  const cases = [
    ["/v1/messages", {}, 401, "authentication_error", "x-api-key header is required"],
    ["/v1/messages", { "x-api-key": "no" }, 401, "authentication_error", "invalid x-api-key"],
    [
      "/v1/messages",
      { "x-api-key": server.key },
      400,
      "invalid_request_error",
      "anthropic-version: header is required",
    ],
    ["/v1/messages", { authorization: "Bearer no" }, 401, "authentication_error", "invalid x-api-key"],
    [
      "/v1/messages",
      { authorization: `Bearer ${server.key}` },
      400,
      "invalid_request_error",
      "anthropic-version: header is required",
    ],
    ["/v1/chat/completions", {}, 401, "invalid_request_error", /^You didn't provide an API key\./],
    [
      "/v1/chat/completions",
      { authorization: "Bearer no" },
      401,
      "invalid_request_error",
      /^Incorrect API key provided/,
    ],
  ];
  for (const [path, headers, status, type, message] of cases) {
    const response = await post(path, body, headers);
    const { error } = await response.json();
    assert.deepEqual([response.status, error.type], [status, type]);
    assert.match(error.message, message instanceof RegExp ? message : new RegExp(`^${message}$`));
  }
  assert.equal((await anthropic(body)).status, 200);
  assert.equal((await openai(body)).status, 200);
});

test("a body that is not clean JSON is refused, its twin accepted", async () => {
  const good = JSON.stringify({ ...body, messages: [{ role: "user", content: "🟡 \\ud83d" }] });
  const escaped = good.replace("🟡", "\\ud83d\\udfe1");
  const bad = {
    truncated: good.slice(0, -1),
    "lone high": good.replace("🟡", "\\ud83d"),
    "lone low": good.replace("🟡", "\\udfe1"),
    "two highs": good.replace("🟡", "\\ud83d\\ud83d\\udfe1"),
    "split pair": good.replace("🟡", "\\ud83d \\udfe1"),
    "half a character": Buffer.from(good).subarray(0, Buffer.from(good).indexOf("🟡") + 2),
    "invalid utf-8": Buffer.concat([Buffer.from('{"model":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    empty: "",
  };
  for (const [name, text] of Object.entries(bad)) {
    const response = await post("/v1/messages", text, anthropicHeaders);
    const { error } = await response.json();
    assert.deepEqual(
      [response.status, error.type, server.journal.entries.at(-1).rule],
      [400, "invalid_request_error", "json"],
      name,
    );
    assert.match(error.message, /^The request body is not valid JSON: /);
    const other = await post("/v1/chat/completions", text, openaiHeaders);
    assert.equal(other.status, 400);
    assert.match((await other.json()).error.message, /^We could not parse the JSON body/);
  }
  const at = bad["lone high"].indexOf("\\ud83d");
  const lone = await (await post("/v1/messages", bad["lone high"], anthropicHeaders)).json();
  assert.equal(
    lone.error.message,
    `The request body is not valid JSON: no low surrogate in string: line 1 column ${at + 1} (char ${at})`,
  );
  for (const text of [good, escaped])
    assert.equal((await post("/v1/messages", text, anthropicHeaders)).status, 200);
});

test("a body over the limit is refused with 413", async () => {
  const sized = (length) => ({ ...body, messages: [{ role: "user", content: "x".repeat(length) }] });
  const { status, body: answer } = await anthropic(sized(100_000));
  assert.deepEqual([status, answer.error.type], [413, "request_too_large"]);
  assert.equal((await anthropic(sized(90_000))).status, 200);
});

test("Anthropic lets a page in only with the browser header, OpenAI always", async () => {
  const without = await post("/v1/messages", body, { ...anthropicHeaders, ...ORIGIN });
  assert.equal(without.status, 401);
  assert.equal(without.headers.get("access-control-allow-origin"), null);
  assert.equal(
    (await without.json()).error.message,
    "CORS requests must set 'anthropic-dangerous-direct-browser-access' header",
  );

  const granted = await post("/v1/messages", body, { ...anthropicHeaders, ...ORIGIN, [BROWSER]: "true" });
  assert.equal(granted.status, 200);
  assert.equal(granted.headers.get("access-control-allow-origin"), "*");
  assert.equal(granted.headers.get("access-control-expose-headers"), "*");

  const denied = await post("/v1/messages", body, { ...ORIGIN, [BROWSER]: "true", "x-api-key": "no" });
  assert.deepEqual([denied.status, denied.headers.get("access-control-allow-origin")], [401, "*"]);
  assert.match(denied.headers.get("request-id"), /^req_/);

  const other = await post("/v1/chat/completions", body, { ...openaiHeaders, ...ORIGIN });
  assert.deepEqual([other.status, other.headers.get("access-control-allow-origin")], [200, "*"]);
});

test("preflights follow the same rule", async () => {
  const ask = async (path, wanted) => {
    const headers = {
      ...ORIGIN,
      "access-control-request-method": "POST",
      "access-control-request-headers": wanted,
    };
    return (await fetch(server.url + path, { method: "OPTIONS", headers })).headers;
  };
  assert.equal(
    (await ask("/v1/messages", "content-type,x-api-key")).get("access-control-allow-origin"),
    null,
  );
  const granted = await ask("/v1/messages", `content-type,x-api-key,${BROWSER}`);
  assert.equal(granted.get("access-control-allow-origin"), "*");
  assert.match(granted.get("access-control-allow-headers"), /x-api-key/);
  assert.equal(
    (await ask("/v1/chat/completions", "authorization")).get("access-control-allow-headers"),
    "authorization",
  );
  assert.equal((await ask("/v1/models", "x-api-key")).get("access-control-allow-origin"), null);
  assert.equal((await ask("/v1/models", "authorization")).get("access-control-allow-origin"), "*");
});

test("without CORS nothing is granted", async () => {
  const closed = await start({ cors: false });
  const response = await closed.post("/v1/messages", body, {
    ...anthropicHeaders,
    ...ORIGIN,
    [BROWSER]: "true",
  });
  assert.deepEqual([response.status, response.headers.get("access-control-allow-origin")], [200, null]);
});

test("models are listed in each provider's shape; other paths are not found", async () => {
  const get = async (path, headers) => (await fetch(server.url + path, { headers })).json();
  assert.equal((await get("/v1/models", anthropicHeaders)).data[0].type, "model");
  assert.equal((await get("/v1/models", openaiHeaders)).data[0].object, "model");
  const response = await fetch(`${server.url}/v1/complete`, { headers: openaiHeaders });
  assert.equal(response.status, 404);
});

test("error faults strike once, with the provider's body and retry-after", async () => {
  const cases = [
    ["rate_limit", anthropic, 429, "rate_limit_error"],
    ["overloaded", anthropic, 529, "overloaded_error"],
    ["server_error", anthropic, 500, "api_error"],
    ["rate_limit", openai, 429, "requests"],
    ["tokens_per_minute", openai, 429, "tokens"],
    ["overloaded", openai, 503, "server_error"],
  ];
  for (const [kind, client, status, type] of cases) {
    await control("fault", { kind, retry_after: 7 });
    const struck = await client(body);
    assert.deepEqual([struck.status, struck.body.error.type, struck.entry.verdict], [status, type, "fault"]);
    assert.equal(struck.headers.get("retry-after"), status === 429 ? "7" : null);
    assert.equal((await client(body)).status, 200);
  }
});

test("transport faults: a page, silence, a broken socket, half a body, half a stream", async () => {
  const send = (more = {}, options = {}) =>
    fetch(`${server.url}/v1/messages`, {
      method: "POST",
      headers: anthropicHeaders,
      body: JSON.stringify({ ...body, ...more }),
      ...options,
    });
  await control("fault", { kind: "html" });
  const page = await send();
  assert.deepEqual([page.status, page.headers.get("content-type")], [502, "text/html"]);
  assert.match(await page.text(), /^<!doctype html>/);

  await control("fault", { kind: "hang" });
  await assert.rejects(send({}, { signal: AbortSignal.timeout(100) }), { name: "TimeoutError" });
  await control("fault", { kind: "close" });
  await assert.rejects(send(), TypeError);
  await control("fault", { kind: "close_midstream" });
  await assert.rejects((await send()).text(), TypeError);
  await control("fault", { kind: "close_midstream", after: 4 });
  await assert.rejects((await send({ stream: true })).text(), TypeError);
  await control("fault", { kind: "stream_error", after: 3 });
  const text = await (await send({ stream: true })).text();
  assert.match(
    text,
    /event: error\ndata: \{"type":"error","error":\{"type":"overloaded_error","message":"Overloaded"\}\}\n\n$/,
  );
  assert.equal((await send()).status, 200);
});

test("the journal tells each request's fate; a reset empties it; unknown faults are named", async () => {
  await control("reset", {});
  await anthropic(body);
  await anthropic({ ...body, max_tokens: 0 });
  const entries = await (await fetch(`${server.url}/__test/journal`)).json();
  assert.deepEqual(
    entries.map(({ verdict, rule, status }) => [verdict, rule, status]),
    [
      ["accepted", undefined, 200],
      ["refused", "max_tokens", 400],
    ],
  );
  assert.deepEqual(entries[0].request, body);
  assert.equal(entries[0].tokens.prompt, entries[0].response.usage.input_tokens);
  const [outline] = await (await fetch(`${server.url}/__test/journal?bodies=0`)).json();
  assert.deepEqual([outline.request, outline.status, outline.complete], [undefined, 200, true]);
  await control("reset", {});
  assert.deepEqual(await (await fetch(`${server.url}/__test/journal`)).json(), []);
  assert.match((await control("fault", { kind: "fire" })).error, /unknown kind fire; one of rate_limit/);
});

test("the command line starts a server and prints its address as one JSON line", async (t) => {
  const cli = spawn(process.execPath, [
    fileURLToPath(new URL("cli.mjs", import.meta.url)),
    "--port",
    "0",
    "--window",
    "32000",
  ]);
  t.after(() => cli.kill());
  const [line] = await once(cli.stdout, "data");
  const { url, key, window } = JSON.parse(line);
  assert.equal(window, 32_000);
  const response = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { ...anthropicHeaders, "x-api-key": key },
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 200);
});
