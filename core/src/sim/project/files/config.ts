import { readFileSync, watchFile } from "node:fs";
import { z } from "zod";

/** One file for each environment. Unknown fields are refused, so that a typing error cannot pass for a default. */
const Config = z
  .object({
    environment: z.enum(["dev", "staging", "prod"]),
    port: z.number().int(),
    cacheSeconds: z.number().int().nonnegative().optional(),
    roundingMode: z.enum(["down", "half-up"]),
    tariffService: z.string().url(),
    tariffTimeoutMs: z.number().int().positive(),
    logLevel: z.enum(["debug", "info", "warn", "error"]),
  })
  .strict();
export type Config = z.infer<typeof Config>;

const path = `config/${process.env.KESTREL_ENV ?? "dev"}.json`;
const listeners: ((before: Config, after: Config) => void)[] = [];

/** The configuration in force; a reload replaces the whole object. */
export let config: Config = read();

/** Called after the file has changed and was found valid. */
export function onConfigReload(listener: (before: Config, after: Config) => void): void {
  listeners.push(listener);
}

function read(): Config {
  return Config.parse(JSON.parse(readFileSync(path, "utf8")));
}

watchFile(path, { interval: 2_000 }, () => {
  const before = config;
  try {
    config = read();
  } catch (error) {
    // The old configuration stays in force; a half-written file must not stop the service.
    console.error(`config: ${path} is not valid and was not taken`, error);
    return;
  }
  for (const listener of listeners) listener(before, config);
});
