// Seeded randomness: the same seed gives the same ids, signatures and chunk borders, so that a failure replays.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** A generator of numbers in [0, 1) from a 32-bit seed (mulberry32). */
export function createRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    next,
    /** An integer from `low` to `high`, both included. */
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    /** A word of `length` letters and digits behind `prefix`. */
    id: (prefix, length = 24) =>
      prefix + Array.from({ length }, () => ALPHABET[Math.floor(next() * ALPHABET.length)]).join(""),
  };
}
