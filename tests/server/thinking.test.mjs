// Thinking blocks: what the server issued must come back as it was, where it was, or not at all.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { rulesIn, start } from "./support.mjs";

const { server, anthropic } = await start({
  script: [
    {
      user: "^two thoughts",
      times: 1,
      reply: [{ thinking: "first" }, "So.", { thinking: "second" }, { use: "read" }],
    },
    { user: "^redacted", times: 1, reply: [{ redacted: "" }, { use: "read" }] },
  ],
});
const TOOLS = [{ name: "read", input_schema: { type: "object" } }];
const ENABLED = { type: "enabled", budget_tokens: 1024 };
const ask = (messages, thinking = ENABLED) =>
  anthropic({ model: "m", max_tokens: 4000, tools: TOOLS, thinking, messages });
const user = (content) => ({ role: "user", content });
const assistant = (content) => ({ role: "assistant", content });
const results = (content) =>
  user(
    content
      .filter((block) => block.type === "tool_use")
      .map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "ok" })),
  );
const change = (content, at, fields) =>
  content.map((block, index) => (index === at ? { ...block, ...fields } : block));
const passes = async (...args) => {
  const { status, body } = await ask(...args);
  assert.equal(status, 200, body.error?.message);
  return body.content;
};
const refused = async (rule, pattern, ...args) => {
  const { status, body, entry } = await ask(...args);
  assert.equal(entry.rule, rule, body.error?.message);
  assert.equal(status, 400);
  assert.match(body.error.message, pattern);
};
const MODIFIED =
  /^messages\.1\.content\.\d: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified\. These blocks must remain as they were in the original response\.$/;

/** A turn up to its first results: the request, what the server replied, its results. */
async function openLoop(request = "use read {}\nthen\nuse read {}") {
  const reply = await passes([user(request)]);
  return { request, reply, messages: [user(request), assistant(reply), results(reply)] };
}

test("with thinking enabled a turn opens with a signed block, fresh each time", async () => {
  const { reply } = await openLoop();
  const again = await openLoop();
  assert.deepEqual(
    reply.map((block) => block.type),
    ["thinking", "tool_use"],
  );
  assert.notEqual(reply[0].signature, again.reply[0].signature);
  await passes(again.messages);
});

test("an altered text is refused, the issued one accepted", async () => {
  const { request, reply, messages } = await openLoop();
  const altered = change(reply, 0, { thinking: `${reply[0].thinking} ` });
  await refused("thinking_altered", MODIFIED, [user(request), assistant(altered), results(reply)]);
  await passes(messages);
});

test("an altered block of an earlier turn is refused too", async () => {
  const { request, reply } = await openLoop("use read {}");
  const rest = [results(reply), assistant("done"), user("next")];
  const altered = change(reply, 0, { thinking: "other" });
  await refused("thinking_altered", /^messages\.1\.content\.0: Invalid `signature` in `thinking` block$/, [
    user(request),
    assistant(altered),
    ...rest,
  ]);
  await passes([user(request), assistant(reply), ...rest]);
});

test("an unknown signature is refused, also with thinking disabled", async () => {
  const { request, reply, messages } = await openLoop();
  const forged = [user(request), assistant(change(reply, 0, { signature: "sig1" })), results(reply)];
  await refused(
    "thinking_forged",
    /^messages\.1\.content\.0: Invalid `signature` in `thinking` block$/,
    forged,
  );
  await refused("thinking_forged", /Invalid/, forged, { type: "disabled" });
  await passes(messages, { type: "disabled" });
});

test("a live tool loop must open with its thinking; a finished turn need not", async () => {
  const { request, reply, messages } = await openLoop();
  const bare = [user(request), assistant(reply.slice(1)), results(reply)];
  await refused(
    "thinking_opens_loop",
    /^messages\.1\.content\.0\.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`\. When `thinking` is enabled, a final `assistant` message must start with a thinking block/,
    bare,
  );
  await passes(bare, { type: "disabled" });
  await passes([...bare, assistant("done"), user("next")]);
  await passes(messages);
});

test("later replies of the loop may come without thinking, but the opener stays", async () => {
  const { reply, messages } = await openLoop();
  const second = await passes(messages);
  assert.deepEqual(
    second.map((block) => block.type),
    ["tool_use"],
  );
  const longer = [...messages, assistant(second), results(second)];
  await passes(longer);
  await refused("thinking_opens_loop", /messages\.1\./, longer.with(1, assistant(reply.slice(1))));
});

test("a later reply of the loop keeps the thinking it had", async () => {
  const { messages } = await openLoop("think\nuse read {}\nthen\nuse read {}");
  const second = await passes(messages);
  assert.deepEqual(
    second.map((block) => block.type),
    ["thinking", "tool_use"],
  );
  await refused("thinking_dropped", /^messages\.3\.content\.0: .*cannot be modified/, [
    ...messages,
    assistant(second.slice(1)),
    results(second),
  ]);
  await passes([...messages, assistant(second), results(second)]);
});

test("blocks of one reply stay in order and in place", async () => {
  const { request, reply, messages } = await openLoop("two thoughts\nuse read {}");
  assert.deepEqual(
    reply.map((block) => block.type),
    ["thinking", "text", "thinking", "tool_use"],
  );
  const [first, said, second, call] = reply;
  const send = (content) => [user(request), assistant(content), results(reply)];
  await refused("thinking_order", MODIFIED, send([second, said, first, call]));
  await refused("thinking_dropped", MODIFIED, send([first, second, said, call]));
  await refused("thinking_dropped", MODIFIED, send([first, said, call]));
  await refused(
    "thinking_first",
    /^messages\.1\.content\.0: If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`\. Found `text`\.$/,
    send([said, second, call]),
  );
  await passes(messages);
});

test("two replies are never one message", async () => {
  const one = await openLoop("think\nuse read {}\nthen\nuse read {}");
  const second = await passes(one.messages);
  const merged = [...one.reply, ...second];
  await refused("thinking_merged", MODIFIED, [user(one.request), assistant(merged), results(merged)]);
  await passes([...one.messages, assistant(second), results(second)]);
});

test("a thinking block is not last, not empty, not marked", async () => {
  const { request, reply, messages } = await openLoop();
  const send = (content) => [user(request), assistant(content), user("next")];
  await refused(
    "thinking_last",
    /^messages\.1: The final block in an assistant message cannot be `thinking`\.$/,
    send([reply[0]]),
  );
  await passes(send([reply[0], { type: "text", text: "done" }]));
  await refused("thinking_empty", /each thinking block must contain thinking$/, [
    user(request),
    assistant(change(reply, 0, { thinking: "" })),
    results(reply),
  ]);
  const mark = { cache_control: { type: "ephemeral" } };
  await refused(
    "cache_on_thinking",
    /^messages\.1\.content\.0\.thinking\.cache_control: Extra inputs are not permitted$/,
    [user(request), assistant(change(reply, 0, mark)), results(reply)],
  );
  await passes([user(request), assistant(change(reply, 1, mark)), results(reply)]);
  await passes(messages);
});

test("redacted thinking is signed as well", async () => {
  const { request, reply, messages } = await openLoop("redacted\nuse read {}");
  assert.deepEqual(
    reply.map((block) => block.type),
    ["redacted_thinking", "tool_use"],
  );
  await refused("thinking_forged", /Invalid `data` in `redacted_thinking` block$/, [
    user(request),
    assistant(change(reply, 0, { data: "x" })),
    results(reply),
  ]);
  await passes(messages);
});

test("a reset keeps the signatures", async () => {
  const { messages } = await openLoop();
  server.reset();
  await passes(messages);
});

test("foreign signatures pass where a recorded session is checked; the other rules stay", async () => {
  const recorded = await start({ foreignThinking: true });
  const send = (content, rest = []) =>
    recorded.anthropic({
      model: "m",
      max_tokens: 4000,
      tools: TOOLS,
      thinking: ENABLED,
      messages: [user("go"), assistant(content), results(content), ...rest],
    });
  const call = { type: "tool_use", id: "a", name: "read", input: {} };
  const thought = { type: "thinking", thinking: "t", signature: "elsewhere" };
  assert.equal((await send([thought, call])).status, 200);
  assert.equal((await send([call])).entry.rule, "thinking_opens_loop");
  assert.equal((await send([call, thought])).entry.rule, "thinking_last");
});

test("every rule about thinking has its test", () => {
  const read = (file) => readFileSync(new URL(file, import.meta.url), "utf8");
  const names = [...rulesIn(read("anthropic/thinking.mjs")), "thinking_altered", "thinking_forged"];
  const tests = read("thinking.test.mjs");
  assert.deepEqual(
    names.filter((name) => !new RegExp(`refused\\(\\s*"${name}"`).test(tests)),
    [],
  );
});
