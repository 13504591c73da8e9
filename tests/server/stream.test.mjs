// Streams spell the same message as the whole answer, in the providers' order of events, however the bytes fall.
import assert from "node:assert/strict";
import { test } from "node:test";

import { foldAnthropic, foldOpenai, readEvents, start } from "./support.mjs";

const REPLY = [
  { thinking: "Hm — 中文 🟡?" },
  "Déjà vu 🟡🟡 ".repeat(20).trim(),
  { redacted: "r1" },
  { use: "read", input: { path: "ä/🟡", deep: [1, { a: null }] } },
  { use: "read", input: {} },
];
const SETTINGS = { script: [{ reply: REPLY }], seed: 11 };
const TOOLS = [{ name: "read", input_schema: { type: "object" } }];
const FUNCTIONS = [{ type: "function", function: { name: "read" } }];
const request = (stream) => ({
  model: "m",
  max_tokens: 4_000,
  stream,
  messages: [{ role: "user", content: "go" }],
});

/** The body of a streamed answer of a fresh server with the same seed, and the number of chunks it came in. */
async function stream(path, body, options) {
  const { post, anthropicHeaders, openaiHeaders, server } = await start({ ...SETTINGS, ...options });
  const response = await post(path, body, path === "/v1/messages" ? anthropicHeaders : openaiHeaders);
  assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  let chunks = 0;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for await (const chunk of response.body) {
    chunks += 1;
    text += decoder.decode(chunk, { stream: true });
  }
  return { text: text + decoder.decode(), chunks, entry: server.journal.entries.at(-1) };
}

for (const chop of [false, true]) {
  test(`Messages: a stream ${chop ? "in random bytes " : ""}folds to the whole message`, async () => {
    const whole = await (await start(SETTINGS)).anthropic({ ...request(false), tools: TOOLS });
    assert.equal(whole.status, 200);
    const { text, chunks, entry } = await stream(
      "/v1/messages",
      { ...request(true), tools: TOOLS },
      { chop },
    );
    assert.deepEqual(foldAnthropic(readEvents(text)), whole.body);
    assert.equal(entry.stream, true);
    if (chop) assert.ok(chunks > text.length / 500, `${chunks} chunks`);
  });

  test(`Chat Completions: a stream ${chop ? "in random bytes " : ""}folds to the whole completion`, async () => {
    const whole = await (await start(SETTINGS)).openai({ ...request(false), tools: FUNCTIONS });
    const body = { ...request(true), tools: FUNCTIONS, stream_options: { include_usage: true } };
    const { text } = await stream("/v1/chat/completions", body, { chop });
    assert.ok(text.endsWith("\n\ndata: [DONE]\n\n"));
    const { created: _created, ...folded } = foldOpenai(readEvents(text));
    const { created: _other, ...expected } = whole.body;
    assert.deepEqual(folded, expected);
  });
}

test("Messages: events come in the API's order, each with its name", async () => {
  const { text } = await stream("/v1/messages", { ...request(true), tools: TOOLS });
  const events = readEvents(text);
  const names = text.match(/^event: .*$/gm).map((line) => line.slice(7));
  assert.deepEqual(
    names,
    events.map(({ type }) => type),
  );
  const block = (type) => `content_block_start:${type} content_block_delta content_block_stop`;
  const shape = events
    .map(({ type, content_block: start }) => (start ? `${type}:${start.type}` : type))
    .filter((name, at, all) => name !== all[at - 1])
    .join(" ");
  assert.equal(
    shape,
    `message_start ping ${block("thinking")} ${block("text")} content_block_start:redacted_thinking content_block_stop ` +
      `${block("tool_use")} content_block_start:tool_use content_block_stop message_delta message_stop`,
  );
  const last = events.filter(({ index }) => index === 0).at(-2).delta;
  assert.equal(last.type, "signature_delta");
  assert.equal(events[0].message.usage.output_tokens, 1);
  assert.ok(events.at(-2).usage.output_tokens > 20);
});

test("Chat Completions: usage comes only when asked for, in a chunk without choices", async () => {
  const { text } = await stream("/v1/chat/completions", { ...request(true), tools: FUNCTIONS });
  assert.ok(readEvents(text).every((chunk) => chunk.choices.length === 1 && !("usage" in chunk)));
  const asked = await stream("/v1/chat/completions", {
    ...request(true),
    tools: FUNCTIONS,
    stream_options: { include_usage: true },
  });
  const chunks = readEvents(asked.text);
  assert.deepEqual(chunks.at(-1).choices, []);
  assert.ok(chunks.at(-1).usage.prompt_tokens > 0);
  assert.ok(chunks.slice(0, -1).every(({ usage }) => usage === null));
});

test("a call that the output limit cuts streams half its JSON, and is marked max_tokens", async () => {
  const script = [{ reply: [{ use: "read", input: { path: "p".repeat(400) } }] }];
  const body = { ...request(true), tools: TOOLS, max_tokens: 20 };
  const { text } = await stream("/v1/messages", body, { script });
  const json = readEvents(text)
    .map(({ delta }) => delta?.partial_json ?? "")
    .join("");
  assert.throws(() => JSON.parse(json), SyntaxError);
  assert.ok(json.startsWith('{"path":"ppp'));
  assert.match(text, /"stop_reason":"max_tokens"/);
  const whole = await (await start({ ...SETTINGS, script })).anthropic({ ...body, stream: false });
  assert.deepEqual([whole.body.stop_reason, whole.body.content[0].input], ["max_tokens", {}]);
});

test("a refusal of a streamed request is plain JSON", async () => {
  const { post, anthropicHeaders } = await start();
  const response = await post("/v1/messages", { ...request(true), max_tokens: 0 }, anthropicHeaders);
  assert.deepEqual([response.status, response.headers.get("content-type")], [400, "application/json"]);
});

test("latency holds back the head and the events", async () => {
  const { post, anthropicHeaders } = await start({ latency: { first: 60, between: 10 } });
  const begin = performance.now();
  const response = await post("/v1/messages", request(true), anthropicHeaders);
  assert.ok(performance.now() - begin >= 55);
  await response.text();
  assert.ok(performance.now() - begin >= 100);
});
