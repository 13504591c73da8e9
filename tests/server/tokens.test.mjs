// The window, the counts and the cache: numbers that come from what was really sent.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { PrefixCache } from "./cache.mjs";
import { png, start } from "./support.mjs";
import { countO200k, createCounter } from "./tokens.mjs";

const WINDOW = 4_000;
const { anthropic, openai } = await start({ window: WINDOW });
const ask = (content, more = {}) => ({
  model: "m",
  max_tokens: 100,
  messages: [{ role: "user", content }],
  ...more,
});
const words = (count) => "word ".repeat(count).trimEnd();
const prompt = async (body) => (await anthropic(body, "/v1/messages/count_tokens")).body.input_tokens;

test("Anthropic: a prompt over the window, one that leaves no room for the reply, one that fits", async () => {
  const long = ask(words(5_000));
  const over = await anthropic(long);
  const counted = await prompt(long);
  assert.equal(over.status, 400);
  assert.deepEqual(over.body.error, {
    type: "invalid_request_error",
    message: `prompt is too long: ${counted} tokens > 4000 maximum`,
  });

  const base = await prompt(ask(words(3_000)));
  const exact = await anthropic(ask(words(3_000), { max_tokens: WINDOW - base }));
  assert.equal(exact.status, 200);
  const tight = await anthropic(ask(words(3_000), { max_tokens: WINDOW - base + 1 }));
  assert.equal(
    tight.body.error.message,
    `input length and \`max_tokens\` exceed context limit: ${base} + ${WINDOW - base + 1} > 4000, decrease input length or \`max_tokens\` and try again`,
  );
});

test("OpenAI: the same with its own body and code", async () => {
  const over = await openai(ask(words(5_000), { max_tokens: undefined }));
  const { prompt: counted } = over.entry.tokens;
  assert.equal(over.status, 400);
  assert.deepEqual(over.body.error, {
    message: `This model's maximum context length is 4000 tokens. However, your messages resulted in ${counted} tokens. Please reduce the length of the messages.`,
    type: "invalid_request_error",
    param: "messages",
    code: "context_length_exceeded",
  });
  const tight = await openai(ask(words(3_950)));
  assert.match(
    tight.body.error.message,
    /However, you requested \d+ tokens \(\d+ in the messages, 100 in the completion\)/,
  );
  assert.equal(tight.body.error.code, "context_length_exceeded");
  assert.equal((await openai(ask(words(3_850)))).status, 200);
});

test("newer models stop at the window instead of refusing", async () => {
  const stopping = await start({ window: WINDOW, overflow: "stop" });
  const request = ask(`${words(3_950)}\nwrite 200 words`, { max_tokens: 500 });
  const { status, body } = await stopping.anthropic(request);
  assert.deepEqual([status, body.stop_reason], [200, "model_context_window_exceeded"]);
  assert.equal(body.usage.input_tokens + body.usage.output_tokens, WINDOW);
  assert.equal((await stopping.openai(request)).body.choices[0].finish_reason, "length");
  assert.match((await stopping.anthropic(ask(words(5_000)))).body.error.message, /^prompt is too long/);
});

test("output is counted and limited", async () => {
  const whole = await anthropic(ask("write 20 words"));
  const [{ text }] = whole.body.content;
  assert.equal(whole.body.usage.output_tokens, countO200k(text));
  assert.equal(whole.body.stop_reason, "end_turn");
  const cut = await anthropic(ask("write 200 words", { max_tokens: 50 }));
  assert.deepEqual([cut.body.stop_reason, cut.body.usage.output_tokens], ["max_tokens", 50]);
  assert.ok(countO200k(cut.body.content[0].text) <= 50);
  const all = await anthropic(ask("write 20 words", { max_tokens: whole.body.usage.output_tokens }));
  assert.deepEqual([all.body.stop_reason, all.body.content], ["end_turn", whole.body.content]);
});

test("images cost by pixels: padding of the file is free, edges are scaled down, linked ones are fixed", async () => {
  const cost = async (data) => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data } };
    return (await prompt(ask([image, { type: "text", text: "x" }]))) - (await prompt(ask("x")));
  };
  assert.equal(await cost(png(750, 100)), 100);
  assert.equal(await cost(png(750, 100, 1_000_000)), 100);
  assert.equal(await cost(png(6_000, 6_000)), 1_600);
});

test("system, tools, calls and results all cost", async () => {
  const tools = [{ name: "read", description: words(100), input_schema: { type: "object" } }];
  const plain = await prompt(ask("x", { max_tokens: undefined }));
  assert.ok((await prompt(ask("x", { system: words(100) }))) >= plain + 100);
  assert.ok((await prompt(ask("x", { tools }))) >= plain + 100);
  const turn = (input, content) => ({
    ...ask("x", { tools }),
    messages: [
      { role: "user", content: "x" },
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "read", input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content }] },
    ],
  });
  const small = await prompt(turn({}, "y"));
  assert.ok((await prompt(turn({ path: words(100) }, "y"))) >= small + 100);
  assert.ok((await prompt(turn({}, [{ type: "text", text: words(100) }]))) >= small + 99);
});

test("long runs without a break are counted in bounded time and nearly exactly", () => {
  const begin = performance.now();
  for (const unit of ["a", " ", "=", "中文", "é", "=\n"]) assert.ok(countO200k(unit.repeat(40_000)) > 0);
  assert.ok(performance.now() - begin < 5_000);
  assert.equal(countO200k("a".repeat(400)), 50); // 8 letters a token
  assert.equal(countO200k("<|endoftext|>") > 1, true);
  assert.equal(createCounter().cut("🟡🟡🟡", 1).isWellFormed(), true);
});

const corpus = new URL("../../../shared/corpus/tokens.json", import.meta.url);
test("counts equal the corpus's exact o200k counts", { skip: !existsSync(corpus) }, () => {
  const { samples } = JSON.parse(readFileSync(corpus, "utf8"));
  assert.ok(samples.length > 20);
  for (const { id, text, o200k_base: exact } of samples) {
    const counted = countO200k(text);
    assert.ok(Math.abs(counted - exact) <= exact / 200, `${id}: ${counted} for ${exact}`);
  }
});

const block = (key, tokens, mark = false) => ({ key, tokens, mark });

test("the cache reads what an earlier request wrote at a mark, never what it did not write", () => {
  const cache = new PrefixCache();
  const first = [block("tools", 600), block("system", 600, true), block("a", 50), block("b", 50, true)];
  assert.deepEqual(cache.marked(first, "m"), { read: 0, written: 1300, fresh: 0 });
  assert.deepEqual(cache.marked([...first, block("c", 10)], "m"), { read: 1300, written: 0, fresh: 10 });
  assert.deepEqual(cache.marked(first.with(2, block("changed", 50)), "m"), {
    read: 1200,
    written: 100,
    fresh: 0,
  });
  assert.deepEqual(cache.marked(first.with(0, block("other", 600)), "m"), {
    read: 0,
    written: 1300,
    fresh: 0,
  });
  assert.deepEqual(cache.marked(first, "another model"), { read: 0, written: 1300, fresh: 0 });
  assert.deepEqual(
    cache.marked(
      first.map(({ key, tokens }) => block(key, tokens)),
      "m",
    ),
    { read: 0, written: 0, fresh: 1300 },
  );
});

test("prefixes under 1,024 tokens are not cached; the look-back is 20 blocks; time runs out", () => {
  let now = 0;
  const cache = new PrefixCache({ ttl: 1000, now: () => now });
  assert.equal(cache.marked([block("small", 1023, true)], "m").written, 0);
  assert.equal(cache.marked([block("enough", 1024, true)], "m").written, 1024);
  const grown = (count) => [
    block("enough", 1024),
    ...Array.from({ length: count }, (_, at) => block(`r${at}`, 1, at === count - 1)),
  ];
  assert.equal(cache.marked(grown(20), "m").read, 0); // 21 blocks: the written prefix is one too far
  assert.equal(cache.marked(grown(19), "m").read, 1024);
  now = 1001;
  assert.equal(cache.marked([block("enough", 1024, true)], "m").read, 0);
});

test("usage of a growing conversation: read, written and fresh add up to the prompt", async () => {
  const { anthropic: send } = await start();
  const mark = { cache_control: { type: "ephemeral" } };
  const system = [{ type: "text", text: words(2_000), ...mark }];
  const messages = [{ role: "user", content: [{ type: "text", text: words(300), ...mark }] }];
  const first = await send({ model: "m", max_tokens: 100, system, messages });
  assert.equal(first.body.usage.cache_read_input_tokens, 0);
  assert.equal(first.body.usage.cache_creation_input_tokens, first.entry.tokens.prompt);

  const plain = [{ role: "user", content: words(300) }]; // the same text, unmarked and as a string
  const next = [
    ...plain,
    { role: "assistant", content: first.body.content },
    { role: "user", content: [{ type: "text", text: "more", ...mark }] },
  ];
  const second = await send({ model: "m", max_tokens: 100, system, messages: next });
  const { usage } = second.body;
  assert.equal(usage.cache_read_input_tokens, first.entry.tokens.prompt);
  assert.equal(usage.input_tokens, 0);
  assert.equal(usage.cache_read_input_tokens + usage.cache_creation_input_tokens, second.entry.tokens.prompt);

  const toggled = await send({
    model: "m",
    max_tokens: 2000,
    system,
    messages: next,
    thinking: { type: "enabled", budget_tokens: 1024 },
  });
  assert.ok(toggled.body.usage.cache_read_input_tokens < usage.cache_read_input_tokens);
  assert.ok(toggled.body.usage.cache_read_input_tokens >= 2_000);
});

test("OpenAI caches by itself, inside the prompt count, in steps of 128", async () => {
  const { openai: send } = await start();
  const request = {
    model: "m",
    messages: [
      { role: "system", content: words(2_000) },
      { role: "user", content: "hi" },
    ],
  };
  const first = await send(request);
  assert.equal(first.body.usage.prompt_tokens_details.cached_tokens, 0);
  const { usage } = (await send(request)).body;
  assert.equal(usage.prompt_tokens, first.body.usage.prompt_tokens);
  assert.equal(usage.prompt_tokens_details.cached_tokens, usage.prompt_tokens - (usage.prompt_tokens % 128));
});
