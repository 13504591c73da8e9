// For each rule of Chat Completions one request that is refused and a near twin that is accepted.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { png, rulesIn, start } from "./support.mjs";

const { openai } = await start({ maxOutput: 8_000 });
const alternating = await start({ alternation: true });
const named = await start({ models: ["only-this"] });

const TOOLS = [{ type: "function", function: { name: "read", parameters: { type: "object" } } }];
const ask = (messages, more = {}) => ({ model: "m", tools: TOOLS, messages, ...more });
const user = (content) => ({ role: "user", content });
const call = (id, name = "read", args = "{}") => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const calls = (...list) => ({ role: "assistant", content: null, tool_calls: list });
const tool = (id, content = "ok") => ({ role: "tool", tool_call_id: id, content });
const hello = user("hello");
const said = { role: "assistant", content: "x" };
const image = { type: "image_url", image_url: { url: `data:image/png;base64,${png(9, 9)}` } };
const one = [hello, calls(call("a")), tool("a")];

// [rule, refused, accepted, message, param, code, server]
// prettier-ignore
const CASES = [
  ["body", [], ask([hello]), /Invalid body/, null, null],
  ["extra_field", ask([hello], { max_token: 5 }), ask([hello], { max_tokens: 5 }), /^Unrecognized request argument supplied: max_token$/, null, null],
  ["model", { messages: [hello] }, ask([hello]), /^you must provide a model parameter$/, null, null],
  ["model", { ...ask([hello]), model: "other" }, { ...ask([hello]), model: "only-this" }, /^The model `other` does not exist/, null, "model_not_found", named],
  ["field_required", { model: "m" }, ask([hello]), /^Missing required parameter: 'messages'\.$/, "messages", "missing_required_parameter"],
  ["empty_array", ask([]), ask([hello]), /^Invalid 'messages': empty array\./, "messages", "empty_array"],
  ["max_tokens", ask([hello], { max_tokens: 0 }), ask([hello], { max_tokens: 1 }), /minimum value/, "max_tokens", "integer_below_min_value"],
  ["max_tokens", ask([hello], { max_completion_tokens: 8_001 }), ask([hello], { max_completion_tokens: 8_000 }), /too large: 8001/, "max_completion_tokens", "invalid_value"],
  ["max_tokens", ask([hello], { max_tokens: 5, max_completion_tokens: 5 }), ask([hello], { max_completion_tokens: 5 }), /at the same time/, "max_tokens", "invalid_parameter_combination"],
  ["stream_options", ask([hello], { stream_options: { include_usage: true } }), ask([hello]), /only allowed when 'stream' is enabled/, "stream_options", null],
  ["tool_choice", { model: "m", messages: [hello], tool_choice: "auto" }, ask([hello], { tool_choice: "auto" }), /only allowed when 'tools' are specified/, "tool_choice", null],
  ["empty_array", ask([hello], { tools: [] }), ask([hello]), /^Invalid 'tools': empty array/, "tools", "empty_array"],
  ["field_value", ask([hello], { tools: [{ type: "custom_" }] }), ask([hello]), /Supported values are: 'function'/, "tools[0].type", "invalid_value"],
  ["tool_name", ask([hello], { tools: [{ type: "function", function: { name: "a b" } }] }), ask([hello], { tools: [{ type: "function", function: { name: "a_b" } }] }), /does not match pattern/, "tools[0].function.name", "invalid_value"],
  ["too_long", ask([hello], { tools: [{ type: "function", function: { name: "n".repeat(65) } }] }), ask([hello], { tools: [{ type: "function", function: { name: "n".repeat(64) } }] }), /maximum length 64/, "tools[0].function.name", "string_above_max_length"],
  ["too_long", ask([hello, calls(call("i".repeat(41))), tool("i".repeat(41))]), ask([hello, calls(call("i".repeat(40))), tool("i".repeat(40))]), /maximum length 40, but got a string with length 41/, "messages[1].tool_calls[0].id", "string_above_max_length"],
  ["role", ask([{ role: "human", content: "x" }]), ask([{ role: "developer", content: "x" }]), /^Invalid value: 'human'\. Supported values are: 'system'/, "messages[0].role", "invalid_value"],
  ["empty_content", ask([user(null)]), ask([hello]), /^Invalid value for 'content': expected a string, got null\.$/, "messages[0].content", null],
  ["empty_content", ask([hello, { role: "assistant", content: null }]), ask(one), /expected a string, got null/, "messages[1].content", null],
  ["empty_array", ask([user([])]), ask([user([{ type: "text", text: "x" }])]), /empty array/, "messages[0].content", "empty_array"],
  ["field_type", ask([user(5)]), ask([user("5")]), /expected one of a string or array of objects, but got a number/, "messages[0].content", "invalid_type"],
  ["empty_array", ask([hello, { ...said, tool_calls: [] }]), ask([hello, said]), /'messages\[1\]\.tool_calls': empty array/, "messages[1].tool_calls", "empty_array"],
  ["field_type", ask([hello, calls(call("a", "read", {})), tool("a")]), ask(one), /expected a string, but got a object/, "messages[1].tool_calls[0].function.arguments", "invalid_type"],
  ["field_required", ask([hello, calls(call("a")), { role: "tool", content: "ok" }]), ask(one), /'messages\[2\]\.tool_call_id'/, "messages[2].tool_call_id", "missing_required_parameter"],
  ["image_place", ask([hello, calls(call("a")), tool("a", [image])]), ask([hello, calls(call("a")), tool("a"), user([image])]), /^Invalid 'messages\[2\]'\. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL\.$/, "messages[2]", "invalid_value"],
  ["orphan_call", ask([hello, calls(call("a"), call("b")), tool("a"), hello]), ask([hello, calls(call("a"), call("b")), tool("b"), tool("a"), hello]), /^An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'\. The following tool_call_ids did not have response messages: b$/, "messages.[3].role", null],
  ["orphan_call", ask([hello, calls(call("a"))]), ask(one), /response messages: a$/, "messages.[2].role", null],
  ["orphan_call", ask([hello, calls(call("a")), hello, tool("a")]), ask([...one, hello]), /response messages: a$/, "messages.[2].role", null],
  ["orphan_result", ask([hello, tool("a")]), ask(one), /^Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'\.$/, "messages.[1].role", null],
  ["orphan_result", ask([...one, said, tool("a")]), ask([...one, said]), /must be a response/, "messages.[4].role", null],
  ["orphan_result", ask([hello, calls(call("a")), tool("z")]), ask(one), /'tool_call_id' of 'z' not found in 'tool_calls' of previous message/, "messages.[2].tool_call_id", null],
  ["result_twice", ask([...one, tool("a")]), ask(one), /^Duplicate value for 'tool_call_id' of a in message\[3\]$/, "messages", null],
  ["call_twice", ask([hello, calls(call("a"), call("a")), tool("a")]), ask([hello, calls(call("a"), call("b")), tool("a"), tool("b")]), /^Duplicate value for 'tool_call_id' of a/, "messages", null],
  ["alternation", ask([hello, hello]), ask([hello, said, hello]), /roles must alternate/, "messages", null, alternating],
];

for (const [rule, refused, accepted, pattern, param, code, other] of CASES) {
  test(`${rule}: ${pattern.source.replaceAll("\\", "").slice(0, 90)}`, async () => {
    const client = other?.openai ?? openai;
    const no = await client(refused);
    assert.equal(no.entry.rule, rule, no.body.error?.message);
    assert.equal(no.status, code === "model_not_found" ? 404 : 400);
    assert.match(no.body.error.message, pattern);
    assert.deepEqual(no.body, {
      error: { message: no.body.error.message, type: "invalid_request_error", param, code },
    });
    const yes = await client(accepted);
    assert.equal(yes.status, 200, yes.body.error?.message);
    assert.equal(yes.body.object, "chat.completion");
  });
}

test("roles need not alternate unless asked for", async () => {
  assert.equal((await openai(ask([hello, hello]))).status, 200);
});

test("every rule of Chat Completions has its case", () => {
  const tested = new Set(CASES.map(([rule]) => rule));
  const source = readFileSync(new URL("openai/rules.mjs", import.meta.url), "utf8");
  assert.deepEqual(
    [...rulesIn(source)].filter((rule) => !tested.has(rule)),
    [],
  );
});
