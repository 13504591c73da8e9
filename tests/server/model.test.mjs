// The model behind the server: what it does on which words, and that its turns are valid requests.
import assert from "node:assert/strict";
import { test } from "node:test";

import { start } from "./support.mjs";

const { server, anthropic, openai, control } = await start();
const TOOLS = [
  { name: "read", input_schema: { type: "object" } },
  { name: "grep", input_schema: { type: "object" } },
];
const ask = (messages, more = {}) => ({ model: "m", max_tokens: 4_000, tools: TOOLS, messages, ...more });
const user = (content) => ({ role: "user", content });

/** Runs a turn to its end with tools that answer `result of <input>`; gives all messages and replies. */
async function runTurn(request, more) {
  const messages = [user(request)];
  const replies = [];
  for (let calls = 0; calls < 10; calls++) {
    const { status, body } = await anthropic(ask(messages, more));
    assert.equal(status, 200, body.error?.message);
    replies.push(body);
    messages.push({ role: "assistant", content: body.content });
    if (body.stop_reason !== "tool_use") return { messages, replies };
    const uses = body.content.filter((block) => block.type === "tool_use");
    messages.push(
      user(
        uses.map(({ id, input }) => ({
          type: "tool_result",
          tool_use_id: id,
          content: `result of ${JSON.stringify(input)}`,
        })),
      ),
    );
  }
  throw new Error("the turn does not end");
}

test("lines `use` are parallel calls, `then` starts a new round, and the answer quotes the results", async () => {
  const { replies } = await runTurn(
    'Look:\nuse read {"path":"a"}\nuse grep {"q":"b"}\nthen\nuse read {"path":"c"}',
  );
  assert.deepEqual(
    replies.map(({ stop_reason: stop }) => stop),
    ["tool_use", "tool_use", "end_turn"],
  );
  assert.deepEqual(
    replies[0].content.map(({ name, input }) => [name, input]),
    [
      ["read", { path: "a" }],
      ["grep", { q: "b" }],
    ],
  );
  assert.deepEqual(
    replies[1].content.map(({ input }) => input),
    [{ path: "c" }],
  );
  assert.deepEqual(replies[2].content, [{ type: "text", text: 'read: result of {"path":"c"}' }]);
});

test("results are quoted to 60 characters, errors as such", async () => {
  const { replies } = await runTurn("use read {}");
  assert.equal(replies.length, 2);
  const { content } = replies[0];
  const [call] = content;
  const long = "x".repeat(59) + "🟡 tail";
  const answer = await anthropic(
    ask([
      user("use read {}"),
      { role: "assistant", content },
      user([{ type: "tool_result", tool_use_id: call.id, content: long, is_error: true }]),
    ]),
  );
  assert.equal(answer.body.content[0].text, `read failed: ${"x".repeat(59)}\ufffd`);
});

test("thinking runs through a whole turn when asked for", async () => {
  const more = { thinking: { type: "enabled", budget_tokens: 1024 } };
  const { replies } = await runTurn("think\nuse read {}\nthen\nuse grep {}", more);
  assert.deepEqual(
    replies.map(({ content }) => content.map((block) => block.type)),
    [
      ["thinking", "tool_use"],
      ["thinking", "tool_use"],
      ["thinking", "text"],
    ],
  );
});

test("a compaction of earlier rounds does not restart the turn", async () => {
  const request = "use read {}\nthen\nuse grep {}";
  const { messages } = await runTurn(request);
  const [, , , second, results] = messages; // the first round is gone, the request stays
  const { body } = await anthropic(ask([user(request), second, results]));
  assert.equal(body.stop_reason, "end_turn");
});

test("reminders are not requests, the live request is the last thing said", async () => {
  const { body } = await anthropic(
    ask([
      user([
        { type: "text", text: "use read {}" },
        { type: "text", text: "<system-reminder>\nuse grep {}\n</system-reminder>" },
      ]),
    ]),
  );
  assert.deepEqual(
    body.content.map(({ name }) => name),
    ["read"],
  );
});

test("undeclared tools, broken JSON, plain text, stop reasons", async () => {
  const say = async (content) => (await anthropic(ask([user(content)]))).body;
  assert.deepEqual((await say("use write {}")).content, [{ type: "text", text: "There is no tool write." }]);
  assert.equal((await say("use read {path}")).stop_reason, "end_turn");
  assert.deepEqual((await say("good day")).content, [{ type: "text", text: "You wrote: good day" }]);
  assert.equal((await say("stop refusal")).stop_reason, "refusal");
  const paused = await say("stop pause_turn");
  const resumed = await anthropic(
    ask([user("stop pause_turn"), { role: "assistant", content: paused.content }]),
  );
  assert.deepEqual([paused.stop_reason, resumed.body.stop_reason], ["pause_turn", "end_turn"]);
});

test("a request for a summary is answered with nine sections of the real messages", async () => {
  const { messages } = await runTurn('Fix src/main.rs please\nuse read {"path":"src/main.rs"}');
  const request = ask([
    ...messages,
    user("Summarise. Write <analysis>…</analysis>, then <summary>…</summary>."),
  ]);
  const { body } = await anthropic(request);
  const [{ text }] = body.content;
  assert.match(text, /^<analysis>\n4 messages, 1 from the user\.\n<\/analysis>\n<summary>\n1\. /);
  assert.deepEqual(
    text.match(/^\d\. .*:$/gm).map((line) => line[0]),
    [..."123456789"],
  );
  assert.match(text, /6\. All user messages:\n {3}- Fix src\/main\.rs please/);
  assert.match(text, /3\. Files and code:\n {3}- src\/main\.rs/);
  const fromText = await anthropic(
    ask([user("Conversation:\nuser: first wish\nassistant: ok\nuser: second wish\n\nWrite <summary>.")]),
  );
  assert.match(fromText.body.content[0].text, /6\. All user messages:\n {3}- first wish\n {3}- second wish/);
  const kept = await anthropic(ask([user([{ type: "text", text: text.slice(text.indexOf("<summary>")) }])]));
  assert.match(kept.body.content[0].text, /^You wrote: <summary>/); // a summary is not a request for one
});

test("the same behaviours over Chat Completions", async () => {
  const tools = TOOLS.map(({ name, input_schema: parameters }) => ({
    type: "function",
    function: { name, parameters },
  }));
  const request = user('use read {"path":"a"}\nuse grep {}\nthen\nuse read {}');
  const first = await openai({ model: "m", tools, messages: [request] });
  const [{ message, finish_reason: finish }] = first.body.choices;
  assert.equal(finish, "tool_calls");
  assert.deepEqual(
    message.tool_calls.map((call) => [call.function.name, call.function.arguments]),
    [
      ["read", '{"path":"a"}'],
      ["grep", "{}"],
    ],
  );
  const answers = message.tool_calls.map(({ id }) => ({
    role: "tool",
    tool_call_id: id,
    content: `for ${id}`,
  }));
  const second = await openai({ model: "m", tools, messages: [request, message, ...answers] });
  assert.equal(second.body.choices[0].message.tool_calls.length, 1);
  const more = second.body.choices[0].message;
  const end = await openai({
    model: "m",
    tools,
    messages: [
      request,
      message,
      ...answers,
      more,
      { role: "tool", tool_call_id: more.tool_calls[0].id, content: "last" },
    ],
  });
  assert.deepEqual(
    [end.body.choices[0].finish_reason, end.body.choices[0].message.content],
    ["stop", "read: last"],
  );
});

test("a script answers first, as rules or as a function, and falls through to the model", async () => {
  await control("script", [
    { user: "^ping$", times: 1, reply: ["pong", { use: "read", input: { path: "p" } }] },
    { user: "^empty$", reply: [] },
  ]);
  const say = async (content) => (await anthropic(ask([user(content)]))).body;
  const scripted = await say("ping");
  assert.deepEqual(
    scripted.content.map(({ type }) => type),
    ["text", "tool_use"],
  );
  assert.equal(scripted.stop_reason, "tool_use");
  assert.equal((await say("ping")).content[0].text, "You wrote: ping");
  assert.deepEqual((await say("empty")).content, []);
  server.script(({ messages }) =>
    messages.length === 1 ? { blocks: ["function"], stop: "refusal" } : undefined,
  );
  const refusal = await say("x");
  assert.deepEqual([refusal.content[0].text, refusal.stop_reason], ["function", "refusal"]);
  server.reset();
  assert.equal((await say("ping")).content[0].text, "You wrote: ping");
});

test("the same seed gives the same ids, another seed others", async () => {
  const id = async (seed) =>
    (await (await start({ seed })).anthropic(ask([user("use read {}")]))).body.content[0].id;
  assert.equal(await id(3), await id(3));
  assert.notEqual(await id(3), await id(4));
});
