#!/usr/bin/env node
// Starts the strict test server from a shell and prints one JSON line: { url, port, key, window, seed }.
//
//   node tests/server/cli.mjs --port 0 --window 32000 [--key K] [--seed N] [--chop] [--overflow stop]
//                             [--no-alternation] [--no-cors] [--foreign-thinking]
//                             [--latency MS] [--between MS] [--script rules.json]
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { createServer } from "./server.mjs";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    window: { type: "string", default: "200000" },
    key: { type: "string", default: "test-key" },
    seed: { type: "string" },
    overflow: { type: "string", default: "refuse" },
    latency: { type: "string", default: "0" },
    between: { type: "string", default: "0" },
    script: { type: "string" },
    chop: { type: "boolean", default: false },
    "no-alternation": { type: "boolean", default: false },
    "foreign-thinking": { type: "boolean", default: false },
    "no-cors": { type: "boolean", default: false },
  },
});

const window = number("window");
const server = await createServer({
  port: number("port"),
  window,
  key: values.key,
  seed: values.seed === undefined ? null : number("seed"),
  overflow: values.overflow,
  latency: { first: number("latency"), between: number("between") },
  script: values.script === undefined ? null : JSON.parse(readFileSync(values.script, "utf8")),
  chop: values.chop,
  cors: !values["no-cors"],
  foreignThinking: values["foreign-thinking"],
  ...(values["no-alternation"] ? { alternation: false } : {}),
});
console.log(
  JSON.stringify({ url: server.url, port: server.port, key: server.key, window, seed: server.seed }),
);
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => server.close().then(() => process.exit(0)));

function number(name) {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value >= 0) return value;
  console.error(`--${name}: expected a whole number, got ${values[name]}`);
  return process.exit(2);
}
