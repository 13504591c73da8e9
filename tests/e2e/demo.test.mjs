// The demo: plays to its end, all tiers act by the engine's own numbers, and what is sent after each is a valid request.
import assert from "node:assert/strict";
import { test } from "node:test";

import { createServer } from "../server/server.mjs";
import { demoReady, openPage, tiers, tokensIn } from "./support.mjs";

const TIERS = ["Micro tier", "Auto tier", "Reactive tier"];

test("plays to its end, and each tier fires with tokens before and after", async (t) => {
  const page = await openPage(t);
  await demoReady(page);
  await page.getByRole("combobox", { name: "Speed" }).selectOption("8");
  await page.getByRole("button", { name: "Play" }).click();
  const count = page.getByRole("status", { name: "Step" });
  await page.waitForFunction(
    () => /^(\d+) \/ \1$/.test(document.querySelector(".step-count").textContent),
    null,
    {
      timeout: 120_000,
    },
  );
  assert.match(await count.textContent(), /^(\d{2,}) \/ \1$/);
  await page.getByRole("button", { name: "Play" }).waitFor();
  const acted = await tiers(page);
  for (const tier of ["micro", "auto", "reactive"])
    assert.ok(acted[tier] > 0, `${tier} acted ${acted[tier]} times`);
  for (const tier of TIERS) {
    await page.locator(`.marker[aria-label^="${tier}"]`).first().click();
    const measures = page.locator(".before-after .measure data");
    const [before, after] = (await measures.all()).map((measure) => measure.getAttribute("value"));
    assert.ok(Number(await after) < Number(await before), `${tier}: ${await before} → ${await after}`);
    assert.ok(
      (await page.locator(".now .reason").first().textContent()).length > 10,
      `${tier} gives its reason`,
    );
  }
});

test("the categories add up to what is used, at every step", async (t) => {
  const page = await openPage(t);
  await demoReady(page);
  await page.getByRole("button", { name: "To the start" }).click();
  const last = Number((await page.getByRole("status", { name: "Step" }).textContent()).split(" / ")[1]);
  for (let step = 0; step <= last; step += 7) {
    await page.getByRole("slider", { name: "Step" }).fill(String(step));
    const rows = await page
      .locator(".ledger tr[data-level]")
      .evaluateAll((rows) =>
        rows.map((row) => [row.dataset.row, row.dataset.level, Number(row.querySelector("data").value)]),
      );
    const sum = (wanted) => rows.filter(wanted).reduce((sum, [, , tokens]) => sum + tokens, 0);
    const used = sum(([row]) => row === "total");
    const parts = sum(
      ([row, level]) => (level === "part" || level === "sum") && !["reserve", "free", "over"].includes(row),
    );
    assert.equal(parts, used, `step ${step}`);
    assert.equal(
      sum(([, level]) => level === "inner"),
      sum(([row]) => row === "messages"),
      `step ${step}`,
    );
    const headline = tokensIn(await page.locator(".headline-used").getAttribute("title"));
    assert.equal(headline, used, `step ${step}`);
  }
});

test("moving the window moves the firings, and back again brings them back", async (t) => {
  const page = await openPage(t);
  await demoReady(page);
  const slider = page.getByRole("slider", { name: "Window" });
  const markers = () => page.locator(".marker").evaluateAll((all) => all.map((marker) => marker.title));
  const first = await markers();
  const at = await slider.inputValue();
  await slider.fill("15");
  await demoReady(page);
  const roomy = await markers();
  assert.notDeepEqual(roomy, first);
  assert.ok(roomy.length < first.length, "a larger window needs fewer compactions");
  await slider.fill(at);
  await demoReady(page);
  assert.deepEqual(await markers(), first, "the same settings give the same story");
});

test("every policy runs, and the link leads to the moment", async (t) => {
  const page = await openPage(t);
  await demoReady(page);
  const policy = page.getByRole("combobox", { name: "Policy" });
  const names = await policy.locator("option").allTextContents();
  assert.ok(names.length >= 10);
  for (const name of names) {
    await policy.selectOption(name);
    await demoReady(page);
    assert.equal(await page.getByRole("alert").count(), 0, name);
  }
  await policy.selectOption("plain-python");
  await demoReady(page);
  await page.getByRole("slider", { name: "Step" }).fill("17");
  const hash = new URL(page.url()).hash;
  assert.match(hash, /^#v=1&view=demo&step=17&window=\d+&policy=plain-python&small=\d+$/);
  const again = await openPage(t, { hash });
  await demoReady(again);
  await again.waitForFunction(() => document.querySelector(".step-number").textContent === "17");
  assert.equal(await again.getByRole("combobox", { name: "Policy" }).inputValue(), "plain-python");
  // A link followed within the page leads there too.
  await again.evaluate(() => (location.hash = "#v=1&view=demo&step=5&window=64000&policy=codex&small=60"));
  await again.waitForFunction(() => document.querySelector(".step-number").textContent === "5");
  assert.equal(await again.getByRole("combobox", { name: "Policy" }).inputValue(), "codex");
});

test("a window that cannot hold system and tools is refused in words, and the story stays", async (t) => {
  const page = await openPage(t);
  await demoReady(page);
  const before = await page.getByRole("status", { name: "Step" }).textContent();
  await page.getByRole("slider", { name: "Window" }).fill("0");
  await demoReady(page);
  assert.match(await page.getByRole("alert").textContent(), /These settings cannot work: .*window/);
  assert.equal(await page.getByRole("status", { name: "Step" }).textContent(), before);
  await page.getByRole("slider", { name: "Window" }).fill("9");
  await demoReady(page);
  assert.equal(await page.getByRole("alert").count(), 0);
});

test("the request sent after each tier is one that the strict server takes", async (t) => {
  const server = await createServer({ foreignThinking: true });
  t.after(() => server.close());
  const page = await openPage(t);
  await demoReady(page);
  for (const tier of TIERS) {
    await page.locator(`.marker[aria-label^="${tier}"]`).last().click();
    await page.getByRole("tab", { name: "Steps" }).click();
    for (let steps = 0; !/^→?Request sent/.test(await page.locator(".now-title").textContent()); steps += 1) {
      assert.ok(steps < 40, `no request after ${tier}`);
      await page.getByRole("button", { name: "Step on" }).click();
    }
    await page.getByRole("tab", { name: "Request" }).click();
    await page.getByText("The whole body, as for Anthropic's API").click();
    const whole = page.locator("details", { hasText: "The whole body" });
    await whole.getByRole("button", { name: "Copy" }).click();
    await whole.getByRole("button", { name: "Copied" }).waitFor();
    const body = await page.evaluate(() => navigator.clipboard.readText());
    const answer = await fetch(`${server.url}/v1/messages`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "anthropic-version": "2023-06-01",
        "x-api-key": server.key,
      },
      body,
    });
    assert.equal(answer.status, 200, `${tier}: ${await answer.text()}`);
  }
});
