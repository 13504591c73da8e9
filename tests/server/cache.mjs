// The prompt cache, simulated from what was really sent.
//
//   request  = [tools][system][message blocks …]          each block: { key, tokens, mark }
//   prefix i = hash of block 0 … block i
//
//   marked     written at cache_control marks, found up to 20 blocks before a mark    (Anthropic)
//   automatic  written at every block, read in steps of 128 tokens                    (OpenAI)
import { createHash } from "node:crypto";

/** No prefix under this many tokens is cached (1,024 to 4,096 by model; the smallest is taken). */
export const MIN_PREFIX = 1024;
/** How many blocks before a mark, itself included, a written prefix is looked for. */
export const LOOK_BACK = 20;
const AUTOMATIC_STEP = 128;

/** Remembers prefixes for `ttl` milliseconds since their last use. */
export class PrefixCache {
  #lastUse = new Map();
  #now;
  #ttl;

  constructor({ ttl = 300_000, now = Date.now } = {}) {
    this.#ttl = ttl;
    this.#now = now;
  }

  clear() {
    this.#lastUse.clear();
  }

  /**
   * Reads and writes the prefixes of one accepted request at its marks.
   * @returns {{read: number, written: number, fresh: number}} tokens; their sum is the prompt
   */
  marked(blocks, scope) {
    const { prefixes, total } = chain(blocks, scope);
    let read = 0;
    let last = 0;
    const marks = prefixes.filter((_, at) => blocks[at].mark);
    for (const mark of marks) {
      for (const prefix of prefixes.slice(Math.max(0, mark.at - LOOK_BACK + 1), mark.at + 1)) {
        if (this.#hit(prefix)) read = Math.max(read, prefix.tokens);
      }
    }
    for (const mark of marks) {
      if (this.#write(mark)) last = Math.max(last, mark.tokens);
    }
    const written = Math.max(0, last - read);
    return { read, written, fresh: total - read - written };
  }

  /** Reads and writes every prefix of one accepted request. @returns {{read: number, fresh: number}} tokens */
  automatic(blocks, scope) {
    const { prefixes, total } = chain(blocks, scope);
    const longest = prefixes.filter((prefix) => this.#hit(prefix)).at(-1)?.tokens ?? 0;
    const read = longest - (longest % AUTOMATIC_STEP);
    prefixes.forEach((prefix) => this.#write(prefix));
    return { read, fresh: total - read };
  }

  #hit(prefix) {
    const used = this.#lastUse.get(prefix.hash);
    return prefix.tokens >= MIN_PREFIX && used !== undefined && this.#now() - used <= this.#ttl;
  }

  #write(prefix) {
    if (prefix.tokens < MIN_PREFIX) return false;
    this.#lastUse.set(prefix.hash, this.#now());
    return true;
  }
}

function chain(blocks, scope) {
  let hash = scope;
  let total = 0;
  const prefixes = blocks.map((block, at) => {
    hash = createHash("sha256").update(hash).update("\0").update(block.key).digest("base64");
    total += block.tokens;
    return { at, hash, tokens: total };
  });
  return { prefixes, total };
}
