// Live turns in Node: the npm package against the strict test server, over both wires.
//
//   run() ─▶ Session (wasm) ─▶ fetch ─▶ strict server, which refuses what is not exactly right
//
// Every request must be accepted; only the overflow that a test forces may be refused.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { anthropic, inspect, memoryStore, openSession, openai, run } from "../../pkg/dist/index.node.js";
import { fileStore } from "../../pkg/dist/node/index.js";
import { createServer } from "../server/server.mjs";

const WIRES = {
  anthropic: (server) => anthropic({ baseUrl: server.url, apiKey: server.key, backoff: 1 }),
  openai: (server) => openai({ baseUrl: `${server.url}/v1`, apiKey: server.key, backoff: 1 }),
};
/** Some prose, different for each file. */
const prose = (path, words = 300) =>
  Array.from({ length: words }, (_, at) => `${path.replace(/\W/g, "")}word${(at * 7919) % 997}`).join(" ");

/** A file reader that notes which calls ran at the same time. */
function reader() {
  const seen = { calls: [], together: 0, running: 0 };
  return {
    seen,
    tool: {
      name: "read",
      description: "Reads a file.",
      inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      readOnly: true,
      concurrent: true,
      async run({ path }) {
        seen.calls.push(path);
        seen.together = Math.max(seen.together, ++seen.running);
        await new Promise((done) => setTimeout(done, 5));
        seen.running -= 1;
        if (path === "missing") throw new Error("no such file: missing");
        return prose(path);
      },
    },
  };
}

async function collect(events) {
  const all = [];
  for await (const event of events) all.push(event);
  return all;
}

const types = (events) => events.map((event) => event.type);
const ended = (events) => events.findLast((event) => event.type === "turn-ended")?.reason;
const refusals = (server) => server.journal.entries.filter((entry) => entry.rule);

for (const [wire, connect] of Object.entries(WIRES)) {
  describe(wire, () => {
    let server;
    before(async () => (server = await createServer({ window: 16_000, seed: 11 })));
    after(() => server.close());

    /** A session, what happens in it, and its host. */
    async function open(options = {}) {
      server.reset();
      const { tool, seen } = reader();
      const store = options.store ?? memoryStore();
      const model = connect(server);
      const opened = await openSession({
        model: "strict-1",
        system: ["You are a careful assistant.", "The folder is /work."],
        // On the other wire they share one string with the prompt, where the server's model does not find it.
        instructions: wire === "anthropic" ? "Answer briefly." : undefined,
        tools: [tool],
        window: 16_000,
        maxOutput: 1_000,
        store,
        ...options,
      });
      const ask = (words, signal) => collect(run(opened, words, { model, tools: [tool], store, signal }));
      return { ...opened, ask, store, seen };
    }

    test("a plain turn", async () => {
      const { session, ask } = await open();
      const events = await ask("Say hello.");
      assert.equal(ended(events), "done");
      assert.match(events.find((event) => event.type === "text").text, /Say hello/);
      assert.ok(session.isIdle);
      assert.deepEqual(refusals(server), []);
    });

    test("parallel calls run together, a failing one is told as such, and rounds follow rounds", async () => {
      const { ask, seen, store, sessionId } = await open();
      const events = await ask('use read {"path":"a"}\nuse read {"path":"missing"}\nuse read {"path":"b"}\nthen\nuse read {"path":"c"}');
      assert.equal(ended(events), "done");
      assert.deepEqual(seen.calls, ["a", "missing", "b", "c"]);
      assert.equal(seen.together, 3, "calls that may run together do");
      const failed = events.filter((event) => event.type === "tool-finished" && event.isError);
      assert.equal(failed.length, 1);
      assert.deepEqual(refusals(server), []);
      const found = inspect(await store.read(sessionId));
      assert.deepEqual(found.diagnostics, []);
      assert.deepEqual(
        { calls: found.history.tools[0].calls, errors: found.history.tools[0].errors },
        { calls: 4, errors: 1 },
      );
    });

    test("thinking goes back as it came", { skip: wire === "openai" && "no thinking blocks on this wire" }, async () => {
      const { ask } = await open({ thinking: 1_024, maxOutput: 2_000 });
      const events = await ask('think\nuse read {"path":"a"}\nthen\nuse read {"path":"b"}');
      assert.equal(ended(events), "done");
      assert.equal(ended(await ask("And now?")), "done");
      const sent = JSON.stringify(server.journal.entries.at(-1).request);
      assert.match(sent, /"type":"thinking"/, "it was sent back at all");
      assert.deepEqual(refusals(server), []);
    });

    for (const [tier, prompt, acts] of [
      ["micro", (turn) => `Turn ${turn}.\nuse read {"path":"file${turn}"}`, ({ type }) => type === "cleared"],
      ["auto", (turn) => prose(`words${turn}`), ({ type, tier }) => type === "summarised" && tier === "auto"],
    ]) {
      test(`the ${tier} tier keeps a long session within the window`, async () => {
        const { session, ask } = await open();
        const shrunk = [];
        for (let turn = 0; turn < 25; turn += 1) {
          const events = await ask(prompt(turn));
          assert.equal(ended(events), "done");
          shrunk.push(...events.filter(({ type }) => ["cleared", "summarised"].includes(type)));
        }
        assert.ok(shrunk.some(acts), `acted: ${types(shrunk)}`);
        for (const { type, before, after } of shrunk) assert.ok(after < before, `${type}: ${before} to ${after}`);
        assert.ok(session.report().total < 16_000);
        assert.deepEqual(refusals(server), [], "nothing was refused, not even as too long");
      });
    }

    test("the reactive tier: the server's window is smaller than anybody said", async () => {
      const { ask } = await open({ window: 200_000, policy: "none" });
      // Five files a turn, so that one step leads from a prompt with room to one that is far too long.
      const read = (turn) => [1, 2, 3, 4, 5].map((n) => `use read {"path":"big${turn}and${n}"}`).join("\n");
      let events = [];
      for (let turn = 0; turn < 6 && !types(events).includes("overflow"); turn += 1)
        events = await ask(read(turn));
      assert.ok(types(events).includes("overflow"), "the server refused a prompt as too long");
      assert.equal(ended(events), "done", "and the turn went on all the same");
      const summarised = events.find((event) => event.type === "summarised");
      assert.equal(summarised?.tier, "reactive", `${types(events)}`);
      assert.ok(summarised.after < summarised.before);
      assert.equal(ended(await ask("Still there?")), "done");
      const rules = refusals(server).map((entry) => entry.rule);
      assert.ok(rules.every((rule) => /^window/.test(rule)), `only the forced overflow was refused: ${rules}`);
    });

    test("a session goes on from its file, also when the process died in the middle of a call", async () => {
      const folder = await mkdtemp(join(tmpdir(), "palimpsest-"));
      try {
        const store = fileStore(folder);
        const first = await open({ store, sessionId: "resumed" });
        await first.ask('use read {"path":"a"}');
        const before = first.session.report();
        const second = await open({ store, sessionId: "resumed" });
        assert.ok(second.resumed);
        assert.deepEqual(
          second.session.report().items.map(({ id, kind }) => ({ id, kind })),
          before.items.map(({ id, kind }) => ({ id, kind })),
          "the resumed view is the view",
        );
        assert.equal(ended(await second.ask("What was in it?")), "done");

        // The process dies while a tool runs: its result is never written.
        const file = join(folder, "resumed.jsonl");
        const third = await open({ store, sessionId: "resumed" });
        const running = run(third, 'use read {"path":"z"}', {
          model: connect(server),
          tools: [{ ...reader().tool, run: () => new Promise(() => {}) }],
          store,
        });
        for await (const event of running) if (event.type === "tool-started") break;
        const whole = await readFile(file, "utf8");
        const call = whole.lastIndexOf('"tool_use"');
        const torn = whole.slice(0, whole.indexOf("\n", call) + 1);
        const broken = memoryStore();
        await broken.append("resumed", torn);
        const fourth = await open({ store: broken, sessionId: "resumed" });
        assert.equal(ended(await fourth.ask("Go on.")), "done");
        assert.deepEqual(refusals(server), []);
        const repaired = inspect(await broken.read("resumed"));
        assert.deepEqual(repaired.diagnostics.filter(({ kind }) => kind === "unanswered-call"), [], "the repair lasts");
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    test("cancelling ends the turn, and the session stays valid", async () => {
      const { session, ask } = await open();
      const controller = new AbortController();
      server.faults.add({ kind: "hang" });
      setTimeout(() => controller.abort(), 20);
      assert.equal(ended(await ask("Say hello.", controller.signal)), "cancelled");
      assert.ok(session.isIdle);
      assert.equal(ended(await ask("Go on.")), "done");
      assert.deepEqual(refusals(server), []);
    });

    test("leaving the loop early cancels the turn", async () => {
      const { session, ask, store, sessionId } = await open();
      const { tool } = reader();
      const opened = { session, sessionId, resumed: false };
      for await (const event of run(opened, 'use read {"path":"a"}', { model: connect(server), tools: [tool], store })) {
        if (event.type === "tool-started") break;
      }
      assert.ok(session.isIdle);
      assert.equal(ended(await ask("Go on.")), "done");
      assert.deepEqual(refusals(server), []);
    });
  });
}
