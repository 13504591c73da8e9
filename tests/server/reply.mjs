// From what the model wants to say to what the server sends: ids, signatures, the output limit, the count.
//
//   { blocks } ──▶ limit ──▶ ids & signatures ──▶ { id, blocks, stop, output }

/**
 * Finishes a reply.
 * @param {{blocks: object[], stop?: string}} draft
 * @param {{limit: number, full: string, counter: object, random: object}} context
 *   `limit` output tokens at most, `full` the stop reason when they are used up
 * @returns {{id: string, blocks: object[], stop: string, output: number}} `output` in tokens
 */
export function finishReply(draft, { limit, full, counter, random }) {
  const blocks = [];
  let left = limit;
  let isShort = false;
  for (const block of draft.blocks) {
    const taken = take(block, left, counter);
    left -= Math.min(left, taken.tokens);
    isShort = taken.isShort;
    if (taken.block) blocks.push(seal(taken.block, random));
    if (isShort) break;
  }
  const natural = blocks.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn";
  const stop = isShort ? full : (draft.stop ?? natural);
  return { id: random.id("msg_"), blocks, stop, output: Math.max(1, limit - left), round: draft.round };
}

/** As much of a block as `left` tokens hold, or none. A call cut inside its input keeps the piece of JSON in `cut`. */
function take(block, left, counter) {
  const written = contentOf(block);
  const tokens = counter.text(written) + (block.type === "tool_use" ? counter.text(block.name) : 0);
  if (tokens <= left) return { block, tokens, isShort: false };
  const part = counter.cut(written, left);
  if (part === "" || block.type === "redacted_thinking") return { block: null, tokens: left, isShort: true };
  const field = { text: "text", thinking: "thinking", tool_use: "cut" }[block.type];
  return { block: { ...block, [field]: part }, tokens: left, isShort: true };
}

function contentOf(block) {
  return block.text ?? block.thinking ?? block.data ?? JSON.stringify(block.input);
}

function seal(block, random) {
  if (block.type === "tool_use") {
    const { type, name, input, cut } = block;
    return { type, id: block.id ?? random.id("toolu_"), name, input, ...(cut === undefined ? {} : { cut }) };
  }
  if (block.type === "thinking") return { ...block, signature: block.signature ?? random.id("sig", 120) };
  if (block.type === "redacted_thinking") return { ...block, data: block.data || random.id("red", 120) };
  return block;
}
