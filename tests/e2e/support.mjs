// One Chromium a test file, one clean context a test, and what no test may leave behind: console errors, requests to
// strangers.
//
//   PALIMPSEST_DIST  the folder of the built page; else dist/
//   CHROME           the browser; else Debian's
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
];
const MORE_ARGS = ["--disable-component-update", "--disable-sync"];
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
};

/** Real session files, outside the repository; empty where they are not. */
export const CORPUS = path.join(ROOT, "../shared/corpus/transcripts/claude-code");

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

let started;

async function start() {
  const executablePath = process.env.CHROME ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: [...ARGS, ...MORE_ARGS] });
  const server = await serve(process.env.PALIMPSEST_DIST ?? path.join(ROOT, "dist"));
  return { browser, server };
}

after(async () => {
  if (!started) return;
  const { browser, server } = await started;
  await browser.close();
  server.close();
});

async function serve(folder) {
  assert.ok(existsSync(path.join(folder, "index.html")), "no dist/index.html: run cargo xtask build first");
  const server = http.createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const file = path.join(folder, path.normalize(pathname === "/" ? "/index.html" : pathname));
    try {
      response.setHeader("content-type", TYPES[path.extname(file)] ?? "application/octet-stream");
      response.end(await readFile(file));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/**
 * Opens the page in a context of its own. When the test ends, it fails for any error in the console and any request
 * that went elsewhere than to the page and to the `allowed` addresses.
 */
export async function openPage(t, options = {}) {
  const {
    hash = "",
    viewport = DESKTOP,
    colorScheme = "light",
    init,
    allowed = [],
    expectErrors = [],
  } = options;
  started ??= start();
  const { browser, server } = await started;
  const { address } = server;
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  const errors = [];
  const strangers = [];
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && !expectErrors.some((expected) => expected.test(text)))
      errors.push(text);
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("request", (request) => {
    const known = [address, "data:", "blob:", ...allowed];
    if (!known.some((start) => request.url().startsWith(start))) strangers.push(request.url());
  });
  if (init) await page.addInitScript(init);
  t.after(async () => {
    await context.close();
    assert.deepEqual(errors, [], "errors in the console");
    assert.deepEqual(strangers, [], "requests to strangers");
  });
  await page.goto(address + hash);
  await page.getByRole("heading", { name: "Palimpsest" }).waitFor();
  return page;
}

/** Waits until the demo's engine has run its session. */
export async function demoReady(page) {
  await page.waitForFunction(() => {
    const demo = document.querySelector(".place.demo");
    return demo?.getAttribute("aria-busy") === "false" && document.querySelector(".step-count");
  });
}

/** How often each tier acted, as the legend says. */
export async function tiers(page) {
  const items = await page
    .getByRole("list", { name: "How often each tier acted" })
    .getByRole("listitem")
    .all();
  const counts = await Promise.all(
    items.map(async (item) => [
      await item.getAttribute("data-tone"),
      Number(await item.getAttribute("data-count")),
    ]),
  );
  return Object.fromEntries(counts);
}

/** The number in a text such as `11 234 tokens`. */
export function tokensIn(text) {
  return Number(text.replace(/[^\d]/g, ""));
}

/** Opens a session file from a path or from `{ name, buffer }`. */
export async function openSession(page, file) {
  await page.getByRole("navigation").getByRole("button", { name: "Your session" }).click();
  const files = typeof file === "string" ? file : { mimeType: "application/jsonl", ...file };
  await page.getByLabel("Session file").setInputFiles(files);
}

/** Every `.jsonl` below a folder, sorted. */
export async function sessionFiles(folder) {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { recursive: true });
  return entries
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => path.join(folder, name));
}
