// Live turns against the strict server, by both wire formats; and where the key goes: to one origin, nowhere else.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { createServer } from "../server/server.mjs";
import { openPage, tiers } from "./support.mjs";

const CANARY = "sk-canary-7f3a9b51";
const REFUSALS = [/status of 4\d\d/];

async function openLive(t, provider, options = {}) {
  const server = await createServer({ key: CANARY, cors: true, ...options });
  t.after(() => server.close());
  const page = await openPage(t, { hash: "#v=1&view=live", allowed: [server.url], expectErrors: REFUSALS });
  await page.getByRole("combobox", { name: "Provider" }).selectOption(provider);
  const address = page.getByRole("combobox", { name: "Address" });
  await address.fill(provider === "openai" ? `${server.url}/v1` : server.url);
  await address.blur();
  await page.getByRole("textbox", { name: "Model" }).fill("test-model");
  await page.getByLabel("Key", { exact: true }).fill(CANARY);
  return { server, page };
}

async function say(page, words) {
  await page.getByRole("textbox", { name: "What the agent should do" }).fill(words);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("The agent works…").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Export .jsonl" }).waitFor();
}

async function exported(page) {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export .jsonl" }).click();
  return readFile(await (await download).path(), "utf8");
}

for (const provider of ["anthropic", "openai"]) {
  test(`${provider}: a turn with tools comes to its end`, async (t) => {
    const { server, page } = await openLive(t, provider);
    await say(
      page,
      'use list {"path":""}\nuse read {"file_path":"package.json"}\nthen\nuse read {"file_path":"README.md"}',
    );
    const conversation = page.getByRole("region", { name: "Conversation" });
    await conversation.locator("summary", { hasText: "package.json" }).waitFor();
    await conversation.locator("summary", { hasText: "README.md" }).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
    assert.deepEqual(
      server.journal.entries.map((entry) => entry.status),
      [200, 200, 200],
    );
    const lines = (await exported(page)).trimEnd().split("\n");
    assert.ok(lines.length >= 5);
    for (const line of lines) assert.ok(JSON.parse(line).uuid, line);
  });

  test(`${provider}: a prompt over the provider's window sets off the reactive tier, and the turn goes on`, async (t) => {
    // The engine believes in 200k; the server takes far less, and says so only when the prompt itself is too long.
    const { server, page } = await openLive(t, provider, { window: 30_000, overflow: "stop" });
    const read = 'use read {"file_path":"docs/en/quotes.md"}';
    const acted = async () => (await tiers(page)).reactive > 0;
    await say(page, "Hello");
    for (let turn = 0; turn < 6 && !(await acted()); turn += 1)
      await say(page, `Turn ${turn}\n${Array(6).fill(read).join("\n")}`);
    assert.ok(await acted(), "the reactive tier did not act");
    const refused = server.journal.entries.filter((entry) => entry.status === 400);
    assert.ok(refused.length > 0, "nothing was refused");
    for (const entry of refused) assert.match(JSON.stringify(entry.error), /too long|exceed|maximum context/);
    await page.getByRole("tab", { name: "Steps" }).click();
    await page.getByText("The provider refuses the request as too long").first().waitFor();
    assert.equal(server.journal.entries.at(-1).status, 200);
    assert.equal(await page.getByRole("alert").count(), 0);
  });
}

test("the key goes to its origin only: not into address, storage, export or page", async (t) => {
  const { server, page } = await openLive(t, "anthropic");
  await say(page, "Hello");
  assert.equal(server.journal.entries[0].status, 200);
  const transcript = await exported(page);
  const traces = await page.evaluate(() => ({
    address: location.href,
    local: JSON.stringify({ ...localStorage }),
    session: JSON.stringify({ ...sessionStorage }),
    text: document.documentElement.outerHTML,
  }));
  const databases = await page.evaluate(async () => {
    const names = (await indexedDB.databases()).map((database) => database.name);
    const values = await Promise.all(
      names.map(
        (name) =>
          new Promise((done, failed) => {
            const opening = indexedDB.open(name);
            opening.onerror = () => failed(opening.error);
            opening.onsuccess = () => {
              const stores = [...opening.result.objectStoreNames];
              if (stores.length === 0) return done([]);
              const all = opening.result.transaction(stores).objectStore(stores[0]).getAll();
              all.onsuccess = () => done(all.result);
            };
          }),
      ),
    );
    return JSON.stringify(values);
  });
  for (const [where, text] of Object.entries({ ...traces, transcript, databases }))
    assert.ok(!text.includes(CANARY), `the key is in ${where}`);
  // Another origin, and the key is forgotten.
  await page.getByText("test-model at").click();
  const address = page.getByRole("combobox", { name: "Address" });
  await address.fill("http://localhost:9/v1");
  await address.blur();
  assert.equal(await page.getByLabel("Key", { exact: true }).inputValue(), "");
});

test("a wrong key, a dead server and an impossible address are told in words", async (t) => {
  const { page } = await openLive(t, "anthropic");
  await page.getByLabel("Key", { exact: true }).fill("wrong");
  await say(page, "Hello");
  assert.match(await page.getByRole("alert").textContent(), /the key is missing or wrong \(status 401\)/);
  const dead = await createServer({});
  await dead.close();
  const other = await openPage(t, {
    hash: "#v=1&view=live",
    allowed: ["http://127.0.0.1:", "https://models.example"],
    expectErrors: [/ERR_CONNECTION_REFUSED/, /Content Security Policy/, /connect-src/],
  });
  const address = other.getByRole("combobox", { name: "Address" });
  await other.getByRole("textbox", { name: "Model" }).fill("m");
  await address.fill(dead.url);
  await address.blur();
  await say(other, "Hello");
  assert.match(
    await other.getByRole("alert").textContent(),
    /not reachable, or it does not allow this page \(CORS\).*Is it running|is it running/s,
  );
  await other.getByRole("button", { name: "New session" }).click();
  await address.fill("https://models.example/v1");
  await address.blur();
  await say(other, "Hello");
  assert.match(
    await other.getByRole("alert").textContent(),
    /policy does not let it call https:\/\/models\.example/,
  );
  await other.getByRole("button", { name: "New session" }).click();
  await address.fill("https://user:secret@models.example/v1");
  await address.blur();
  await other.getByText("must not hold a user name or a password").waitFor();
});

test("a running turn can be cancelled, and the session goes on", async (t) => {
  const { server, page } = await openLive(t, "anthropic");
  server.faults.add({ kind: "hang" });
  await page.getByRole("textbox", { name: "What the agent should do" }).fill("Hello");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("The agent works…").waitFor({ state: "detached" });
  await say(page, "Are you there?");
  await page.getByRole("region", { name: "Conversation" }).getByText("Are you there?").first().waitFor();
  assert.equal(server.journal.entries.at(-1).status, 200);
});

test("the memory index is part of what a live session sends", async (t) => {
  const { server, page } = await openLive(t, "anthropic");
  await page.getByRole("navigation").getByRole("button", { name: "Memory" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("testing.md");
  await page.getByRole("textbox", { name: "Text" }).fill("Run npm test after every change.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved testing.md").waitFor();
  await page.getByRole("navigation").getByRole("button", { name: "Live" }).click();
  await say(page, "Hello");
  assert.match(
    JSON.stringify(server.journal.entries[0].request),
    /testing\.md: Run npm test after every change/,
  );
});
