// The server's words are the providers' own: compared with real error bodies that the corpus holds.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { start } from "./support.mjs";

const corpus = new URL("../../../shared/corpus/errors.json", import.meta.url);
const { anthropic } = await start({ window: 1_000 });
const hello = { role: "user", content: "hello" };
const call = { type: "tool_use", id: "toolu_01A", name: "read", input: {} };
const tools = [{ name: "read", input_schema: { type: "object" } }];

// The corpus's case and a request that provokes it here.
const PROVOKED = {
  "orphan tool_use": [hello, { role: "assistant", content: [call] }, hello],
  "orphan tool_result": [
    { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "x" }] },
  ],
  "prompt too long": [{ role: "user", content: "word ".repeat(2_000) }],
};

/** A message with its ids and numbers masked. */
const mask = (message) => message.replaceAll(/toolu_\w+/g, "ID").replaceAll(/\d+/g, "N");

test(
  "Anthropic's bodies are word for word those seen in the field",
  { skip: !existsSync(corpus) },
  async () => {
    const { anthropic: seen } = JSON.parse(readFileSync(corpus, "utf8"));
    assert.deepEqual(seen.map((entry) => entry.case).sort(), Object.keys(PROVOKED).sort());
    for (const { case: name, status, body } of seen) {
      const ours = await anthropic({ model: "m", max_tokens: 100, tools, messages: PROVOKED[name] });
      assert.equal(ours.status, status, name);
      assert.equal(ours.body.error.type, body.error.type);
      assert.equal(mask(ours.body.error.message), mask(body.error.message));
    }
  },
);
