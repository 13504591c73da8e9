// Session files: every real one opens, and bad ones are named for what they are while the page goes on.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";

import { CORPUS, openPage, openSession, sessionFiles } from "./support.mjs";

const GOOD = [
  '{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"Where is the bug?"}}',
  '{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"src/money.rs"}}],"usage":{"input_tokens":900,"output_tokens":20}}}',
  '{"type":"user","uuid":"u2","parentUuid":"a1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"<script>window.owned = true</script> fn round() {}"}]}}',
  '{"type":"assistant","uuid":"a2","parentUuid":"u2","message":{"id":"m2","role":"assistant","model":"m","content":[{"type":"text","text":"In round()."}]}}',
].join("\n");

const file = (name, text) => ({ name, buffer: Buffer.from(text) });

async function lineClasses(page) {
  return page.locator("table[data-lines]").evaluate((table) => ({
    lines: Number(table.dataset.lines),
    classes: [...table.querySelectorAll("[data-class]")].map((row) => [
      row.dataset.class,
      Number(row.dataset.count),
    ]),
  }));
}

test("every real transcript opens, and its line classes add up", async (t) => {
  const files = await sessionFiles(CORPUS);
  if (files.length === 0) return t.skip(`no real transcripts at ${CORPUS}`);
  const page = await openPage(t);
  for (const session of files) {
    const name = path.basename(session);
    await openSession(page, session);
    await page
      .getByRole("region", { name: "Overview" })
      .getByRole("heading", { name, exact: true })
      .waitFor();
    assert.equal(await page.getByRole("alert").count(), 0, name);
    const { lines, classes } = await lineClasses(page);
    assert.equal(classes.length, 4, name);
    assert.equal(
      classes.reduce((sum, [, count]) => sum + count, 0),
      lines,
      name,
    );
    assert.ok(lines > 0, name);
    await page.locator(".headline-used").waitFor();
  }
  t.diagnostic(`${files.length} transcripts`);
});

test("shows conversation, window and particulars; other people's text stays text", async (t) => {
  const page = await openPage(t);
  await openSession(page, file("good.jsonl", GOOD));
  const conversation = page.getByRole("region", { name: "Conversation" });
  await conversation.getByText("Where is the bug?").waitFor();
  await conversation.locator("summary", { hasText: "Read" }).click();
  await conversation.getByText("<script>window.owned = true</script>").waitFor();
  assert.equal(await page.evaluate(() => window.owned), undefined);
  await conversation.getByRole("button", { name: "User" }).first().click();
  await page.getByRole("tabpanel", { name: "Item" }).getByText("Block as recorded").waitFor();
  await page.getByText("All 3 items as a table").click();
  const rows = page.getByRole("table").filter({ hasText: "State" }).getByRole("row");
  await rows.nth(3).waitFor();
  assert.equal(await rows.count(), 4, "a head and three items");
  await page.getByText("The file never leaves your browser.").waitFor();
});

for (const [what, bad, words] of [
  ["an empty file", file("empty.jsonl", ""), /empty\.jsonl: the file is empty/],
  [
    "a binary file",
    { name: "photo.jsonl", buffer: Buffer.from([0, 255, 1, 10, 200, 10]) },
    /photo\.jsonl: not a session/,
  ],
  [
    "a text that is none",
    file("poem.txt", "roses\nviolets\n"),
    /poem\.txt: not a session file: none of its 2 lines/,
  ],
])
  test(`${what} is refused by name, and the open session stays`, async (t) => {
    const page = await openPage(t);
    await openSession(page, file("good.jsonl", GOOD));
    await page.getByRole("heading", { name: "good.jsonl" }).waitFor();
    await openSession(page, bad);
    assert.match(await page.getByRole("alert").textContent(), words);
    await page.getByRole("heading", { name: "good.jsonl" }).waitFor();
    await openSession(page, file("next.jsonl", GOOD));
    await page.getByRole("heading", { name: "next.jsonl" }).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
  });

test("torn, joined and non-UTF-8 lines are found, named by line, and cost nothing else", async (t) => {
  const page = await openPage(t);
  const lines = GOOD.split("\n");
  const bytes = Buffer.concat([
    Buffer.from(`${lines[0]}\n`),
    Buffer.from([0xff, 0xfe, 0x0a]),
    Buffer.from(`${lines[1]}${lines[2]}\n${lines[3]}\n`),
    Buffer.from('{"type":"user","message":{"content":"cut in the mid'),
  ]);
  await openSession(page, { name: "spoilt.jsonl", buffer: bytes });
  const overview = page.getByRole("region", { name: "Overview" });
  await overview.getByRole("heading", { name: "spoilt.jsonl" }).waitFor();
  for (const found of [/line 2: not UTF-8/, /line 3: /, /line 5: the last record was cut/])
    await overview.getByText(found).first().waitFor();
  const { lines: total, classes } = await lineClasses(page);
  assert.equal(total, 5);
  assert.deepEqual(Object.fromEntries(classes), { record: 2, joined: 1, blank: 0, unreadable: 2 });
  await page.getByRole("region", { name: "Conversation" }).getByText("In round().").waitFor();
});

test("a large file is read with progress, can be stopped, and does not freeze the page", async (t) => {
  const megabytes = process.env.PALIMPSEST_LONG ? 100 : 20;
  const page = await openPage(t);
  await openSession(page, file("good.jsonl", GOOD));
  await page.getByRole("heading", { name: "good.jsonl" }).waitFor();
  // Made in the page, since a driver takes no buffer as large; it is dropped like a file from a folder.
  const drop = (name) =>
    page.evaluate(
      ([name, size]) => {
        const line = (at) =>
          `{"type":"user","uuid":"u${at}","parentUuid":${at ? `"u${at - 1}"` : null},"message":{"role":"user","content":"${"some words of a message ".repeat(400)}"}}\n`;
        const parts = [];
        for (let at = 0, bytes = 0; bytes < size; at += 1) {
          parts.push(line(at));
          bytes += parts.at(-1).length;
        }
        const data = new DataTransfer();
        data.items.add(new File(parts, name));
        window.slowest = 0;
        let last = performance.now();
        const beat = () => {
          const now = performance.now();
          window.slowest = Math.max(window.slowest, now - last);
          last = now;
          if (!window.done) setTimeout(beat, 0);
        };
        beat();
        document.body.dispatchEvent(
          new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }),
        );
      },
      [name, megabytes * 1_000_000],
    );
  await drop("stopped.jsonl");
  await page.getByText(/^Reading stopped\.jsonl: /).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("heading", { name: "good.jsonl" }).waitFor();
  assert.equal(await page.getByText(/^Reading /).count(), 0);
  await drop("large.jsonl");
  await page.getByText(/^Reading large\.jsonl: /).waitFor();
  await page.getByRole("heading", { name: "large.jsonl" }).waitFor({ timeout: 120_000 });
  const slowest = await page.evaluate(() => ((window.done = true), window.slowest));
  t.diagnostic(`${megabytes} MB; longest pause ${Math.round(slowest)} ms`);
  // Reading is sliced; adding up is one piece of work until the core offers it in slices or a worker does it.
  assert.ok(slowest < 60 * Math.max(megabytes, 40), `the page stood still for ${Math.round(slowest)} ms`);
});
