// For each rule of the Messages API one request that is refused and a near twin that is accepted.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { png, rulesIn, start } from "./support.mjs";

const { server, anthropic } = await start({ window: 60_000, maxOutput: 8_000 });
const merging = await start({ alternation: false });
const noPrefill = await start({ prefill: false });
const named = await start({ models: ["only-this"] });

const TOOLS = ["read", "grep"].map((name) => ({ name, input_schema: { type: "object" } }));
const base = { model: "m", max_tokens: 100 };
const ask = (messages, more = {}) => ({ ...base, tools: TOOLS, messages, ...more });
const user = (...content) => ({ role: "user", content });
const assistant = (...content) => ({ role: "assistant", content });
const text = (value, more = {}) => ({ type: "text", text: value, ...more });
const call = (id, name = "read", input = {}) => ({ type: "tool_use", id, name, input });
const result = (id, content = "ok", more = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...more,
});
const marked = (value) => text(value, { cache_control: { type: "ephemeral" } });
const hello = user(text("hello"));
const image = (data, type = "image/png") => ({
  type: "image",
  source: { type: "base64", media_type: type, data },
});
const withTools = (tools, more) => ({ ...base, messages: [hello], tools, ...more });
const without = (body, field) => Object.fromEntries(Object.entries(body).filter(([key]) => key !== field));

// [rule, refused, accepted, the message's pattern, server]
// prettier-ignore
const CASES = [
  ["body", [], ask([hello]), /^Input should be an object$/],
  ["field_required", without(ask([hello]), "model"), ask([hello]), /^model: Field required$/],
  ["field_required", ask([hello, assistant({ type: "tool_use", name: "read", input: {} })]), ask([hello, assistant(call("a")), user(result("a"))]), /^messages\.1\.content\.0\.tool_use\.id: Field required$/],
  ["field_required", ask([{ role: "user" }]), ask([hello]), /^messages\.0\.content: Field required$/],
  ["field_type", { ...ask([hello]), stream: "no" }, { ...ask([hello]), stream: false }, /^stream: /],
  ["field_type", ask([hello, assistant(call("a", "read", "{}")), user(result("a"))]), ask([hello, assistant(call("a", "read", {})), user(result("a"))]), /tool_use\.input: Input should be a valid dictionary$/],
  ["field_type", ask([hello, assistant(call("a")), user(result("a", "x", { is_error: "yes" }))]), ask([hello, assistant(call("a")), user(result("a", "x", { is_error: true }))]), /is_error: /],
  ["extra_field", ask([hello], { messages_: 1 }), ask([hello], { metadata: { user_id: "u" } }), /^messages_: Extra inputs are not permitted$/],
  ["extra_field", ask([{ ...hello, id: "x" }]), ask([hello]), /^messages\.0\.id: Extra inputs/],
  ["extra_field", ask([hello, assistant({ ...call("a"), index: 0 }), user(result("a"))]), ask([hello, assistant(call("a")), user(result("a"))]), /^messages\.1\.content\.0\.tool_use\.index: Extra inputs are not permitted$/],
  ["model", { ...ask([hello]), model: "other" }, { ...ask([hello]), model: "only-this" }, /^model: other$/, named],
  ["max_tokens", without(ask([hello]), "max_tokens"), ask([hello]), /^max_tokens: Field required$/],
  ["max_tokens", ask([hello], { max_tokens: 0 }), ask([hello], { max_tokens: 1 }), /greater than or equal to 1$/],
  ["max_tokens", ask([hello], { max_tokens: 8_001 }), ask([hello], { max_tokens: 8_000 }), /^max_tokens: 8001 > 8000, /],

  ["tools", withTools([...TOOLS, TOOLS[0]]), withTools(TOOLS), /^tools: Tool names must be unique\.$/],
  ["tools", withTools([{ name: "x" }]), withTools([{ name: "x", input_schema: { type: "object" } }]), /input_schema\.type: Field required$/],
  ["tool_name", withTools([{ name: "a b", input_schema: { type: "object" } }]), withTools([{ name: "a-b", input_schema: { type: "object" } }]), /^tools\.0\.custom\.name: String should match pattern '\^\[a-zA-Z0-9_-\]\{1,128\}\$'$/],
  ["tool_name", withTools([{ name: "n".repeat(129), input_schema: { type: "object" } }]), withTools([{ name: "n".repeat(128), input_schema: { type: "object" } }]), /should match pattern/],
  ["tool_name", ask([hello, assistant(call("a", "re.ad")), user(result("a"))]), ask([hello, assistant(call("a", "read")), user(result("a"))]), /^messages\.1\.content\.0\.tool_use\.name: String should match/],
  ["tool_choice", withTools(TOOLS, { tool_choice: { type: "tool", name: "nope" } }), withTools(TOOLS, { tool_choice: { type: "tool", name: "read" } }), /Tool 'nope' not found/],
  ["tools_missing", without(ask([hello, assistant(call("a")), user(result("a"))]), "tools"), ask([hello, assistant(call("a")), user(result("a"))]), /must define tools\.$/],
  ["tool_undeclared", ask([hello, assistant(call("a", "write")), user(result("a"))]), ask([hello, assistant(call("a", "grep")), user(result("a"))]), /Tool 'write' not found/],
  ["tool_id", ask([hello, assistant(call("a:1")), user(result("a:1"))]), ask([hello, assistant(call("a-1")), user(result("a-1"))]), /tool_use\.id: String should match pattern '\^\[a-zA-Z0-9_-\]\+\$'$/],

  ["system", { ...ask([hello]), system: 5 }, { ...ask([hello]), system: "s" }, /^system: /],
  ["empty_text", { ...ask([hello]), system: [text("")] }, { ...ask([hello]), system: [text("s")] }, /^system: text content blocks must be non-empty$/],

  ["messages", ask([]), ask([hello]), /at least one message is required$/],
  ["role", ask([{ role: "system", content: "s" }, hello]), ask([hello], { system: "s" }), /^messages: Unexpected role "system"\./],
  ["role", ask([hello, { role: "tool", content: "x" }]), ask([hello, assistant(text("x"))]), /^messages\.1\.role: /],
  ["first_user", ask([assistant(text("hi")), hello]), ask([hello, assistant(text("hi"))]), /^messages: first message must use the "user" role$/],
  ["alternation", ask([hello, hello]), ask([hello, assistant(text("x")), hello]), /^messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row$/],
  ["alternation", ask([hello, assistant(text("x")), assistant(text("y"))]), ask([hello, assistant(text("x"), text("y"))]), /multiple "assistant" roles in a row$/],
  ["prefill", ask([hello, assistant(text("The"))]), ask([hello]), /must end with a user message\.$/, noPrefill],
  ["trailing_space", ask([hello, assistant(text("The "))]), ask([hello, assistant(text("The"))]), /^messages: final assistant content cannot end with trailing whitespace$/],

  ["empty_content", ask([user()]), ask([hello]), /^messages\.0: user messages must have non-empty content$/],
  ["empty_content", ask([{ role: "user", content: "" }]), ask([{ role: "user", content: "x" }]), /^messages\.0: user messages must have/],
  ["empty_content", ask([hello, assistant(), hello]), ask([hello, assistant()]), /^messages\.1: all messages must have non-empty content except for the optional final assistant message$/],
  ["empty_text", ask([user(text(""))]), ask([user(text("x"))]), /^messages: text content blocks must be non-empty$/],
  ["empty_text", ask([user(text(" \n"))]), ask([user(text(" \nx"))]), /^messages: text content blocks must contain non-whitespace text$/],
  ["empty_text", ask([user(text("x"), marked(""))]), ask([user(text("x"), marked("y"))]), /^messages\.0\.content\.1\.text: cache_control cannot be set for empty text blocks$/],
  ["empty_text", ask([hello, assistant(call("a")), user(result("a", [text("")]))]), ask([hello, assistant(call("a")), user(result("a", ""))]), /must be non-empty$/],
  ["block_type", ask([user({ type: "note", text: "x" })]), ask([user(text("x"))]), /^messages\.0\.content\.0: Input tag 'note' found using 'type' does not match any of the expected tags: /],
  ["block_type", ask([user("x")]), ask([{ role: "user", content: "x" }]), /Input should be an object$/],
  ["block_place", ask([user(call("a"))]), ask([hello, assistant(call("a")), user(result("a"))]), /^messages\.0: `tool_use` blocks can only be in `assistant` messages$/],
  ["block_place", ask([hello, assistant(call("a"), result("a"))]), ask([hello, assistant(call("a")), user(result("a"))]), /^messages\.1: `tool_result` blocks can only be in `user` messages$/],
  ["tool_result_content", ask([hello, assistant(call("a")), user(result("a", 5))]), ask([hello, assistant(call("a")), user(result("a", "5"))]), /tool_result\.content: Input should be a valid string or/],
  ["tool_result_content", ask([hello, assistant(call("a")), user(result("a", [call("b")]))]), ask([hello, assistant(call("a")), user(result("a", [text("b")]))]), /Input tag 'tool_use' found/],
  ["tool_result_content", ask([hello, assistant(call("a")), user(result("a", [image(png(9, 9))], { is_error: true }))]), ask([hello, assistant(call("a")), user(result("a", [image(png(9, 9))]))]), /all content must be type `text` if `is_error` is true$/],
  ["image", ask([user(image("AAAA"))]), ask([user(image(png(1, 1)))]), /^Could not process image$/],
  ["image", ask([user(image(png(8001, 10)))]), ask([user(image(png(8000, 10)))]), /max allowed size: 8000 pixels$/],
  ["image", ask([user(image(png(9, 9), "image/bmp"))]), ask([user(image(png(9, 9)))]), /media_type: Input should be 'image\/jpeg'/],
  ["document", ask([user({ type: "document", source: { type: "text", data: 5 } })]), ask([user({ type: "document", source: { type: "text", media_type: "text/plain", data: "5" } })]), /source: /],

  ["orphan_call", ask([hello, assistant(call("a"), call("b")), user(result("a"))]), ask([hello, assistant(call("a"), call("b")), user(result("a"), result("b"))]), /^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: b\. Each `tool_use` block must have a corresponding `tool_result` block in the next message\.$/],
  ["orphan_call", ask([hello, assistant(call("a"))]), ask([hello, assistant(call("a")), user(result("a"))]), /immediately after: a\./],
  ["orphan_call", ask([hello, assistant(call("a")), hello, assistant(text("x")), user(result("a"))]), ask([hello, assistant(call("a")), user(result("a")), assistant(text("x")), hello]), /^messages\.1: /],
  ["results_first", ask([hello, assistant(call("a")), user(text("so"), result("a"))]), ask([hello, assistant(call("a")), user(result("a"), text("so"))]), /^messages\.1: `tool_use` ids were found/],
  ["results_first", ask([hello, assistant(call("a"), call("b")), user(result("a"), text("so"), result("b"))]), ask([hello, assistant(call("a"), call("b")), user(result("b"), result("a"), text("so"))]), /immediately after: b\./],
  ["orphan_result", ask([user(result("a"))]), ask([hello, assistant(call("a")), user(result("a"))]), /^messages\.0\.content\.0: unexpected `tool_use_id` found in `tool_result` blocks: a\. Each `tool_result` block must have a corresponding `tool_use` block in the previous message\.$/],
  ["orphan_result", ask([hello, assistant(call("a")), user(result("a"), result("z"))]), ask([hello, assistant(call("a"), call("z")), user(result("a"), result("z"))]), /^messages\.2\.content\.1: unexpected/],
  ["orphan_result", ask([hello, assistant(call("a")), user(result("a")), assistant(text("x")), user(result("a"))]), ask([hello, assistant(call("a")), user(result("a")), assistant(text("x")), hello]), /^messages\.4\.content\.0: unexpected/],
  ["result_twice", ask([hello, assistant(call("a")), user(result("a"), result("a"))]), ask([hello, assistant(call("a")), user(result("a"))]), /each tool_use must have a single result\. Found multiple `tool_result` blocks with id: a$/],
  ["call_twice", ask([hello, assistant(call("a"), call("a")), user(result("a"))]), ask([hello, assistant(call("a"), call("b")), user(result("a"), result("b"))]), /^messages\.1\.content\.1: `tool_use` ids must be unique$/],
  ["call_twice", ask([hello, assistant(call("a")), user(result("a")), assistant(call("a")), user(result("a"))]), ask([hello, assistant(call("a")), user(result("a")), assistant(call("b")), user(result("b"))]), /^messages\.3\.content\.0: `tool_use` ids must be unique$/],
  ["orphan_server_result", ask([hello, assistant({ type: "web_search_tool_result", tool_use_id: "s", content: [] }, text("x"))]), ask([hello, assistant({ type: "server_tool_use", id: "s", name: "web_search", input: {} }, { type: "web_search_tool_result", tool_use_id: "s", content: [] }, text("x"))]), /corresponding `server_tool_use` block before it\.$/],

  ["cache_marks", ask([user(...["a", "b", "c", "d", "e"].map(marked))]), ask([user(...["a", "b", "c", "d"].map(marked))]), /^A maximum of 4 blocks with cache_control may be provided\. Found 5\.$/],
  ["cache_marks", ask([user(marked("a"), marked("b"), marked("c"))], { system: [marked("s"), marked("t")] }), ask([user(marked("a"), marked("b"), text("c"))], { system: [marked("s"), marked("t")] }), /Found 5\.$/],
  ["cache_type", ask([user(text("a", { cache_control: { type: "forever" } }))]), ask([user(marked("a"))]), /Input should be 'ephemeral'$/],

  ["thinking_option", ask([hello], { thinking: { type: "on" } }), ask([hello], { thinking: { type: "adaptive" } }), /^thinking\.type: /],
  ["thinking_option", ask([hello], { thinking: { type: "adaptive" }, temperature: 0.5 }), ask([hello], { thinking: { type: "adaptive" }, temperature: 1 }), /`temperature` may only be set to 1/],
  ["thinking_option", ask([hello], { thinking: { type: "adaptive" }, tool_choice: { type: "any" } }), ask([hello], { thinking: { type: "adaptive" }, tool_choice: { type: "auto" } }), /forces tool use\.$/],
  ["thinking_budget", ask([hello], { max_tokens: 4_000, thinking: { type: "enabled", budget_tokens: 1_023 } }), ask([hello], { max_tokens: 4_000, thinking: { type: "enabled", budget_tokens: 1_024 } }), /greater than or equal to 1024$/],
  ["thinking_budget", ask([hello], { max_tokens: 1_024, thinking: { type: "enabled", budget_tokens: 1_024 } }), ask([hello], { max_tokens: 1_025, thinking: { type: "enabled", budget_tokens: 1_024 } }), /^`max_tokens` must be greater than `thinking\.budget_tokens`/],
];

for (const [rule, refused, accepted, pattern, other] of CASES) {
  test(`${rule}: ${pattern.source.replaceAll("\\", "").slice(0, 90)}`, async () => {
    const client = other?.anthropic ?? anthropic;
    const no = await client(refused);
    assert.equal(no.entry.rule, rule, no.body.error?.message);
    assert.equal(no.status, rule === "model" ? 404 : 400);
    assert.deepEqual(Object.keys(no.body), ["type", "error", "request_id"]);
    assert.equal(no.body.type, "error");
    assert.equal(no.body.error.type, rule === "model" ? "not_found_error" : "invalid_request_error");
    assert.match(no.body.error.message, pattern);
    const yes = await client(accepted);
    assert.equal(yes.status, 200, yes.body.error?.message);
    assert.equal(yes.body.type, "message");
  });
}

test("count_tokens refuses by the same rules, needs no max_tokens, and counts what a message counts", async () => {
  const no = await anthropic(without(ask([user(result("a"))]), "max_tokens"), "/v1/messages/count_tokens");
  assert.equal(no.entry.rule, "orphan_result");
  const counted = await anthropic(without(ask([hello]), "max_tokens"), "/v1/messages/count_tokens");
  const sent = await anthropic(ask([hello]));
  assert.equal(counted.body.input_tokens, sent.body.usage.input_tokens);
});

test("without alternation, turns of one role are one turn, so results may come in two messages", async () => {
  const split = ask([hello, assistant(call("a"), call("b")), user(result("a")), user(result("b"))]);
  assert.equal((await merging.anthropic(split)).status, 200);
  assert.equal((await anthropic(split)).entry.rule, "alternation");
  const late = ask([
    hello,
    assistant(call("a"), call("b")),
    user(result("a")),
    user(text("x")),
    user(result("b")),
  ]);
  assert.equal((await merging.anthropic(late)).entry.rule, "results_first");
  assert.equal((await merging.anthropic(ask([hello, hello]))).status, 200);
});

test("every rule of the Messages API has its case", () => {
  const sources = ["anthropic/rules.mjs", "anthropic/blocks.mjs"].map((file) =>
    readFileSync(new URL(file, import.meta.url), "utf8"),
  );
  const elsewhere = ["cache_on_thinking", "thinking_empty"]; // thinking.test.mjs
  const tested = new Set([...CASES.map(([rule]) => rule), ...elsewhere]);
  assert.deepEqual(
    [...rulesIn(...sources)].filter((rule) => !tested.has(rule)),
    [],
  );
  assert.ok(server.journal.entries.length > CASES.length);
});
