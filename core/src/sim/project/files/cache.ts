import { config, onConfigReload } from "./config.js";
import { log } from "./log.js";

interface Entry {
  readonly value: Promise<unknown>;
  readonly until: number;
}

const entries = new Map<string, Entry>();
let hits = 0;
let misses = 0;

/** So many entries are kept; the oldest goes first. */
const CAPACITY = 512;

/**
 * The value under a key, made when it is not there or too old. Requests for one key at the same time share one call:
 * after a restart a hundred quotes for the same lane would otherwise ask the tariff service a hundred times.
 */
export function cached<T>(key: string, make: () => Promise<T>): Promise<T> {
  const now = Date.now();
  const known = entries.get(key);
  if (known && known.until > now) {
    hits += 1;
    return known.value as Promise<T>;
  }
  misses += 1;
  const value = make();
  entries.set(key, { value, until: now + lifetime() });
  // A failure must not be served until it is old.
  value.catch(() => entries.delete(key));
  evict();
  return value;
}

/** Seconds of the configuration as milliseconds. A reload may leave the field out; then nothing is kept at all. */
function lifetime(): number {
  return (config.cacheSeconds ?? 0) * 1000;
}

function evict(): void {
  while (entries.size > CAPACITY) {
    const oldest = entries.keys().next().value;
    if (oldest === undefined) return;
    entries.delete(oldest);
  }
}

onConfigReload((before, after) => {
  if (before.tariffService !== after.tariffService) entries.clear();
  log.info({ cacheSeconds: after.cacheSeconds ?? 0, hits, misses }, "cache reconfigured");
  hits = 0;
  misses = 0;
});

/** For `/health`. */
export function cacheStatistics() {
  return { entries: entries.size, hits, misses };
}
