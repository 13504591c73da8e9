// Counting: a real tokeniser (o200k_base, npm gpt-tokenizer) for text, pixels for images, pages for PDFs.
//
// The unit is tokens of o200k_base. A real Claude counts some 10 to 40 % more for the same text; give
// `tokenizer: (text) => number` to `createServer` where another scale is wanted.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

import { imageSize } from "./images.mjs";

/** Tokens that frame one message (role, separators). */
export const MESSAGE_OVERHEAD = 4;
/** Tokens that frame a tool call or a result (id, type). */
export const TOOL_BLOCK_OVERHEAD = 8;
/** Tokens of the system prompt that a provider adds as soon as there are tools (Anthropic's documentation: 346). */
export const TOOLS_PREAMBLE = 346;
/** Tokens of one PDF page (Anthropic's documentation: 1,500 to 3,000). */
export const PDF_PAGE = 2000;
/** Tokens of an image whose size can't be known, since it is only linked. */
export const LINKED_IMAGE = 1600;

// The tokeniser is quadratic in the length of one unbroken run; longer runs are cut here, which costs
// at most one token a cut.
const LONG_RUN = /[\p{L}\p{M}]{256}|\s{256}|[^\s\p{L}\p{N}]{256}/gu;
const MEMO_LIMIT = 20_000;

/** Tokens of `text` in o200k_base; text that looks like a special token is counted as text. */
export function countO200k(text) {
  let total = 0;
  let from = 0;
  for (const run of text.matchAll(LONG_RUN)) {
    const to = run.index + run[0].length;
    total += countTokens(text.slice(from, to), { disallowedSpecial: new Set() });
    from = to;
  }
  return total + countTokens(text.slice(from), { disallowedSpecial: new Set() });
}

/** A counter over `countText` that remembers what it has counted. */
export function createCounter(countText = countO200k) {
  const memo = new Map();
  const text = (value) => {
    if (value.length < 32) return countText(value);
    let count = memo.get(value);
    if (count === undefined) {
      if (memo.size >= MEMO_LIMIT) memo.clear();
      count = countText(value);
      memo.set(value, count);
    }
    return count;
  };
  return {
    text,
    /** Tokens of a value written as compact JSON. */
    json: (value) => text(JSON.stringify(value)),
    /** Tokens of a base64 image by its pixels, never by its bytes: (w × h) / 750 after scaling to 1,568 px. */
    image: (base64) => {
      const size = imageSize(base64);
      if (!size) return LINKED_IMAGE;
      const scale = Math.min(1, 1568 / Math.max(size.width, size.height));
      return Math.max(1, Math.min(1600, Math.ceil((size.width * scale * size.height * scale) / 750)));
    },
    /** Tokens of a base64 PDF by its pages. */
    pdf: (base64) => {
      const bytes = Buffer.from(base64, "base64").toString("latin1");
      return PDF_PAGE * Math.max(1, bytes.match(/\/Type\s*\/Page\b/g)?.length ?? 0);
    },
    /** The longest prefix of `value` that takes at most `limit` tokens; never ends in half a character. */
    cut: (value, limit) => {
      const points = Array.from(value);
      let low = 0;
      let high = points.length;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (countText(points.slice(0, middle).join("")) <= limit) low = middle;
        else high = middle - 1;
      }
      return points.slice(0, low).join("");
    },
  };
}
