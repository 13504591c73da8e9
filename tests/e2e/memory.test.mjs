// Memory files: created, edited, deleted, there again after a reload; and in memory where IndexedDB is refused.
import assert from "node:assert/strict";
import { test } from "node:test";

import { openPage } from "./support.mjs";

const HASH = "#v=1&view=memory";

async function save(page, name, text) {
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("textbox", { name: "Text" }).fill(text);
  await page.getByRole("button", { name: "Save" }).click();
}

const names = (page) =>
  page.getByRole("region", { name: "Memory files" }).getByRole("listitem").allTextContents();

test("files survive a reload; renaming, deleting and undoing work", async (t) => {
  const page = await openPage(t, { hash: HASH });
  await save(page, "testing.md", "# Tests\nRun npm test.");
  await page.getByText("Saved testing.md").waitFor();
  await page.getByRole("button", { name: "New file" }).click();
  await save(page, "Памяць.md", "Пішы па-беларуску.");
  await page.getByText("Saved Памяць.md").waitFor();
  await page.reload();
  await page.getByRole("button", { name: /^testing\.md/ }).click();
  assert.equal(await page.getByRole("textbox", { name: "Text" }).inputValue(), "# Tests\nRun npm test.");
  await page.getByRole("region", { name: "Index" }).getByText("- testing.md: Tests").waitFor();
  await save(page, "checks.md", "Run npm test, always.");
  await page.getByText("Saved checks.md").waitFor();
  assert.equal((await names(page)).length, 2);
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Deleted checks.md").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: /^checks\.md/ }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: /^checks\.md/ }).waitFor();
  assert.deepEqual(
    (await names(page)).map((name) => name.split(".md")[0]),
    ["checks", "Памяць"],
  );
});

test("names that are no plain .md files are refused in words", async (t) => {
  const page = await openPage(t, { hash: HASH });
  for (const [name, words] of [
    ["../secret.md", /has '\/' in it|not begin/],
    ["notes.txt", /must end in \.md/],
    [".md", /letters or digits/],
  ]) {
    await save(page, name, "text");
    await page.getByRole("status").filter({ hasText: words }).waitFor();
  }
  assert.equal((await names(page)).length, 0);
});

test("where IndexedDB is refused the page says so and works in memory", async (t) => {
  const init = () => {
    IDBFactory.prototype.open = () => {
      throw new DOMException(
        "A mutation operation was attempted on a database that did not allow mutations.",
        "InvalidStateError",
      );
    };
  };
  const page = await openPage(t, { hash: HASH, init });
  await page.getByText("This browser keeps no data for this page").waitFor();
  await page.getByText("InvalidStateError").waitFor();
  await save(page, "testing.md", "Run npm test.");
  await page.getByText("Saved testing.md").waitFor();
  await page.getByRole("navigation").getByRole("button", { name: "Demo" }).click();
  await page.getByRole("navigation").getByRole("button", { name: "Memory" }).click();
  await page.getByRole("button", { name: /^testing\.md/ }).waitFor();
});
