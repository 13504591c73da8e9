// Without a mouse: the player's keys, the window's blocks, help, and the theme that stays.
import assert from "node:assert/strict";
import { test } from "node:test";

import { demoReady, openPage } from "./support.mjs";

const step = async (page) => Number(await page.locator(".step-number").textContent());

test("space plays, arrows step, Home and End go to the ends", async (t) => {
  const page = await openPage(t);
  await demoReady(page);
  await page.keyboard.press("End");
  const last = await step(page);
  assert.ok(last > 20);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await step(page), last - 1);
  await page.keyboard.press("Home");
  assert.equal(await step(page), 0);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await step(page), 2);
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await page.waitForFunction(() => Number(document.querySelector(".step-number").textContent) > 2);
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Play" }).waitFor();
});

test("a field's keys are the field's", async (t) => {
  const page = await openPage(t);
  await demoReady(page);
  const before = await page.getByRole("slider", { name: "Window" }).inputValue();
  await page.getByRole("slider", { name: "Window" }).focus();
  await page.keyboard.press("ArrowRight");
  await demoReady(page);
  assert.equal(Number(await page.getByRole("slider", { name: "Window" }).inputValue()), Number(before) + 1);
  assert.equal(await step(page), 0);
});

test("the window's blocks are reached by arrows, and told in words", async (t) => {
  const page = await openPage(t);
  await demoReady(page);
  await page.keyboard.press("End");
  const bar = page.getByRole("listbox", { name: /The window, to scale/ });
  await bar.focus();
  await page.keyboard.press("ArrowDown");
  const first = await bar.getAttribute("aria-activedescendant");
  await page.keyboard.press("ArrowDown");
  const second = await bar.getAttribute("aria-activedescendant");
  assert.notEqual(first, second);
  const option = page.locator(`#${second}`);
  assert.equal(await option.getAttribute("aria-selected"), "true");
  assert.match(await option.getAttribute("aria-label"), /tokens?, .* of the window/);
  await page
    .getByRole("tabpanel", { name: "Item" })
    .getByText(/of the window/)
    .waitFor();
});

test("? opens the help, Escape closes it", async (t) => {
  const page = await openPage(t);
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "How to read this page" });
  await help.waitFor();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "hidden" });
  await page.keyboard.press("?");
  await help.getByRole("button", { name: "Close" }).click();
  await help.waitFor({ state: "hidden" });
});

test("every control is reached by Tab and shows that it has the focus", async (t) => {
  const page = await openPage(t);
  await demoReady(page);
  const seen = new Set();
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(() => {
      const active = document.activeElement;
      return active === document.body
        ? null
        : `${active.tagName} ${active.getAttribute("aria-label") ?? active.textContent.slice(0, 30)}`;
    });
    if (name) seen.add(name);
  }
  for (const wanted of [
    /Skip/,
    /Demo/,
    /Memory/,
    /Dark/,
    /Help/,
    /Play/,
    /INPUT Step/,
    /The window, to scale/,
    /Steps/,
  ])
    assert.ok(
      [...seen].some((name) => wanted.test(name)),
      `${wanted} among ${[...seen].join(" | ")}`,
    );
});

test("the chosen colours stay after a reload", async (t) => {
  const page = await openPage(t);
  await page.getByRole("button", { name: "Dark" }).click();
  const dark = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await page.reload();
  await page.getByRole("button", { name: "Dark", pressed: true }).waitFor();
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor), dark);
  await page.getByRole("button", { name: "Light" }).click();
  assert.notEqual(
    await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor),
    dark,
  );
});
