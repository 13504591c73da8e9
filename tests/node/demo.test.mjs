// The demo of the simulated model, played to its end: each tier fires and makes the view smaller, and every request
// it sends is valid by the rules of the strict server, in both wire formats.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { before, describe, test } from "node:test";

import { createServer } from "../server/server.mjs";

const WINDOW = 32_000;

/** What the demo sent and what happened, in order: from the example that `cargo xtask test` builds. */
function play(window) {
  const program = process.env.PALIMPSEST_DEMO;
  const cargo = ["run", "-q", "-p", "palimpsest-tests", "--example", "demo_requests", "--", String(window)];
  const [command, args] = program ? [program, [String(window)]] : ["cargo", cargo];
  const lines = execFileSync(command, args, { maxBuffer: 1 << 28, encoding: "utf8" }).trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

describe("the demo", () => {
  let steps, requests, events;
  before(() => {
    steps = play(WINDOW);
    requests = steps.filter((step) => step.anthropic);
    events = steps.flatMap((step) => (step.event ? [step.event] : []));
  });

  test("goes through every tier, each leaving less than before", () => {
    const tiers = new Set(events.filter((event) => event.type === "summarised").map((event) => event.tier));
    const cleared = events.filter((event) => event.type === "cleared");
    assert.ok(cleared.length > 0 && tiers.has("auto") && tiers.has("reactive"), [...tiers].join());
    for (const { before, after } of events.filter((event) => "before" in event)) assert.ok(after < before);
    assert.equal(events.filter((event) => event.type === "turn-ended" && event.reason === "done").length, 7);
  });

  test("fires elsewhere when the window moves", () => {
    const firings = (all) => all.flatMap(({ event }, at) => (event?.before === undefined ? [] : [`${at}:${event.type}`]));
    assert.notDeepEqual(firings(play(24_000)), firings(steps));
  });

  for (const [wire, path] of [["anthropic", "/v1/messages"], ["openai", "/v1/chat/completions"]]) {
    test(`sends only what the strict server accepts over ${wire}`, async (t) => {
      // The simulated model signs its own thinking, which this server did not issue.
      const server = await createServer({ window: 1_000_000, foreignThinking: true });
      t.after(() => server.close());
      assert.ok(requests.length > 30, `${requests.length} requests`);
      const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
      Object.assign(headers, { "x-api-key": server.key, authorization: `Bearer ${server.key}` });
      for (const [at, request] of requests.entries()) {
        const answer = await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(request[wire]) });
        assert.equal(answer.status, 200, `request ${at} (${request.purpose}): ${await answer.text()}`);
      }
    });
  }
});
