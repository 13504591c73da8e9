// Thinking blocks: issued by this server, byte for byte, whole, in their order, and leading a live tool loop.
//
//   user "…"          ← the last real user message
//   assistant [thinking, tool_use]    ┐
//   user      [tool_result]           │ live loop: thinking exactly as issued,
//   assistant [thinking, tool_use]    │ the opener starts with it when thinking is enabled
//   user      [tool_result]           ┘
import { refuse } from "../refusal.mjs";
import { THINKING } from "../signatures.mjs";

const DOCUMENTATION = "https://docs.claude.com/en/docs/build-with-claude/extended-thinking";

/**
 * Checks all thinking of a request.
 * @param {{role: string, content: object[]}[]} messages with content as lists of blocks
 * @param {"disabled"|"enabled"|"adaptive"} mode the request's `thinking.type`; only `enabled` demands an opener
 * @param {import("../signatures.mjs").Signatures} signatures
 * @param {boolean} foreign whether blocks that another server signed may pass unseen
 */
export function checkThinking(messages, mode, signatures, foreign) {
  const enabled = mode === "enabled";
  const latest = messages.findLastIndex((message) => message.role === "assistant");
  const loopStart = messages.findLastIndex(isRealUser) + 1;
  messages.forEach((message, at) => {
    if (message.role !== "assistant") return;
    checkPlace(message.content, at, enabled);
    const known = checkSeals(message.content, at, at === latest, signatures, foreign);
    checkOneResponse(known, at);
    if (at >= loopStart && mode !== "disabled")
      checkWhole(message.content, known, at, enabled && at === loopStart, signatures);
  });
  if (enabled) checkOpener(messages, loopStart);
}

/** A message that a person wrote, not one that only answers calls. */
function isRealUser(message) {
  return message.role === "user" && !message.content.some((block) => block.type === "tool_result");
}

function checkPlace(content, at, enabled) {
  if (content.length > 0 && THINKING.has(content.at(-1).type)) {
    refuse(
      "thinking_last",
      `messages.${at}: The final block in an assistant message cannot be \`thinking\`.`,
    );
  }
  const first = content[0]?.type;
  if (enabled && content.some((block) => THINKING.has(block.type)) && !THINKING.has(first)) {
    refuse(
      "thinking_first",
      `messages.${at}.content.0: If an assistant message contains any thinking blocks, the first block must be ` +
        `\`thinking\` or \`redacted_thinking\`. Found \`${first}\`.`,
    );
  }
}

function checkSeals(content, at, isLatest, signatures, foreign) {
  return content.flatMap((block, index) => {
    if (!THINKING.has(block.type)) return [];
    const issued = signatures.lookup(block);
    if (!issued && foreign) return [];
    if (!issued || (!issued.intact && !isLatest)) {
      const field = block.type === "thinking" ? "signature" : "data";
      refuse(
        issued ? "thinking_altered" : "thinking_forged",
        `messages.${at}.content.${index}: Invalid \`${field}\` in \`${block.type}\` block`,
      );
    }
    if (!issued.intact) refuseModified("thinking_altered", at, index);
    return [{ ...issued, place: index }];
  });
}

function checkOneResponse(known, at) {
  known.slice(1).forEach((block, before) => {
    const previous = known[before];
    if (block.response !== previous.response) refuseModified("thinking_merged", at, block.place);
    if (block.index <= previous.index) refuseModified("thinking_order", at, block.place);
  });
}

function checkWhole(content, known, at, isOpener, signatures) {
  const call = content.find((block) => block.type === "tool_use");
  const response = call && signatures.responseOfCall(call.id);
  if (!response) return;
  if (isOpener && known.length === 0 && response.thinking.length > 0) return; // `checkOpener` has the better words
  if (known.length > 0 && known[0].response !== response)
    refuseModified("thinking_merged", at, known[0].place);
  response.thinking.forEach(({ index }, nth) => {
    const kept = known[nth];
    if (!kept || kept.index !== index || kept.place !== index)
      refuseModified("thinking_dropped", at, kept?.place ?? index);
  });
}

function checkOpener(messages, loopStart) {
  const opener = messages[loopStart];
  if (!opener || opener.role !== "assistant") return;
  const first = opener.content[0]?.type;
  if (first === undefined || THINKING.has(first)) return;
  refuse(
    "thinking_opens_loop",
    `messages.${loopStart}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. ` +
      "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the " +
      "lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous " +
      `turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at ${DOCUMENTATION}`,
  );
}

function refuseModified(rule, at, index) {
  refuse(
    rule,
    `messages.${at}.content.${index}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message ` +
      "cannot be modified. These blocks must remain as they were in the original response.",
  );
}
