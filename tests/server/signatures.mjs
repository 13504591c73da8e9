// What the server has signed: every thinking block it issued, with its exact text and place.
//
//   response R = [thinking₀, text₁, thinking₂, tool_use₃]
//                    └ signature ──▶ { response: R, index: 0, text }
//                                                      tool_use id ──▶ R
//
// A provider never forgets its own signatures, so `reset` of the server keeps them.

/** The blocks of thinking and their redacted form. */
export const THINKING = new Set(["thinking", "redacted_thinking"]);

/** A register of issued thinking. */
export class Signatures {
  #bySeal = new Map();
  #byCall = new Map();
  #responses = 0;

  /** Remembers a finished reply: its thinking blocks under their seals, its calls under their ids. */
  issue(blocks) {
    const response = { number: ++this.#responses, thinking: [] };
    blocks.forEach((block, index) => {
      if (THINKING.has(block.type)) {
        response.thinking.push({ index, seal: sealOf(block) });
        this.#bySeal.set(sealOf(block), { response, index, text: block.thinking });
      }
      if (block.type === "tool_use") this.#byCall.set(block.id, response);
    });
  }

  /** What is known of a thinking block in a request: `undefined` if its seal was never issued. */
  lookup(block) {
    const issued = this.#bySeal.get(sealOf(block));
    return (
      issued && { ...issued, intact: block.type === "redacted_thinking" || block.thinking === issued.text }
    );
  }

  /** The response that issued the call, or `undefined`. */
  responseOfCall(id) {
    return this.#byCall.get(id);
  }
}

function sealOf(block) {
  return block.type === "redacted_thinking" ? `data:${block.data}` : `signature:${block.signature}`;
}
