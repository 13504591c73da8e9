// axe on every place, light and dark, wide and narrow: nothing serious, nothing critical; and no sideways scrolling.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";

import { DESKTOP, PHONE, demoReady, openPage, openSession } from "./support.mjs";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const SESSION = [
  '{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Where is the bug?"}}',
  '{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"thinking","thinking":"Hm.","signature":"x"},{"type":"text","text":"In round()."}]}}',
  "torn",
].join("\n");

const PLACES = {
  "demo at its start": async (page) => demoReady(page),
  "demo at its end, an item picked": async (page) => {
    await demoReady(page);
    await page.keyboard.press("End");
    await page.locator(".slab").nth(3).dispatchEvent("click");
  },
  "demo, the table and the request open": async (page, viewport) => {
    await demoReady(page);
    await page.keyboard.press("End");
    await page.getByText(/items as a table/).click();
    if (viewport === PHONE) await page.getByRole("button", { name: "Inspector", exact: true }).click();
    await page.getByRole("tab", { name: "Request" }).click();
    await page.getByText("The whole body").click();
  },
  "session, nothing open": async (page) =>
    page.getByRole("navigation").getByRole("button", { name: "Your session" }).click(),
  "session open": async (page) => {
    await openSession(page, { name: "s.jsonl", buffer: Buffer.from(SESSION) });
    await page.getByRole("region", { name: "Overview" }).waitFor();
  },
  live: async (page) => page.getByRole("navigation").getByRole("button", { name: "Live" }).click(),
  memory: async (page) => {
    await page.getByRole("navigation").getByRole("button", { name: "Memory" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("bad");
    await page.getByRole("button", { name: "Save" }).click();
  },
  help: async (page) => page.getByRole("button", { name: "Help" }).click(),
};

for (const colorScheme of ["light", "dark"])
  for (const viewport of [DESKTOP, PHONE])
    test(`${colorScheme} at ${viewport.width}`, async (t) => {
      for (const [place, go] of Object.entries(PLACES)) {
        const page = await openPage(t, { colorScheme, viewport });
        await go(page, viewport);
        const { violations } = await runAxe(page);
        const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
        const told = grave.map(
          ({ id, nodes }) =>
            `${id}: ${nodes
              .slice(0, 3)
              .map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`)
              .join("\n   ")}`,
        );
        assert.deepEqual(told, [], place);
        const sideways = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        assert.ok(sideways <= 0, `${place} is ${sideways} px too wide`);
      }
    });

/** Evaluated by the driver, since the page's policy rightly lets no foreign script in. */
async function runAxe(page) {
  await page.evaluate(AXE);
  return page.evaluate(() =>
    window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"] }),
  );
}
