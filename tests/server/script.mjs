// A script puts words into the model's mouth; what it does not answer, the default model does.
//
//   function   (conversation) => reply | undefined
//   rules      [{ "user": "regex", "system": "regex", "times": 1, "reply": [blocks], "stop": "end_turn" }]
//
// Blocks of a rule: "text", { "text": … }, { "thinking": … }, { "redacted": … }, { "use": name, "input": {…} }.
import { liveRequest } from "./model.mjs";

/** A function (conversation) → reply or `undefined` from a function, a list of rules, or nothing. */
export function createScript(script) {
  if (script === undefined || script === null) return () => undefined;
  if (typeof script === "function") return (conversation) => normalise(script(conversation));
  if (!Array.isArray(script)) throw new TypeError("script: expected a function or a list of rules");
  const rules = script.map((rule) => ({
    user: new RegExp(rule.user ?? ""),
    system: new RegExp(rule.system ?? ""),
    left: rule.times ?? Infinity,
    reply: normalise({ blocks: rule.reply, stop: rule.stop }),
  }));
  return (conversation) => {
    const { text } = liveRequest(conversation.messages);
    const rule = rules.find(
      ({ user, system, left }) => left > 0 && user.test(text) && system.test(conversation.system),
    );
    if (rule) rule.left -= 1;
    return rule?.reply;
  };
}

function normalise(reply) {
  return reply && { ...reply, blocks: reply.blocks.map(toBlock) };
}

function toBlock(block) {
  if (typeof block === "string") return { type: "text", text: block };
  if (block.type !== undefined) return block;
  if (block.use !== undefined) return { type: "tool_use", name: block.use, input: block.input ?? {} };
  if (block.thinking !== undefined) return { type: "thinking", thinking: block.thinking };
  if (block.redacted !== undefined) return { type: "redacted_thinking", data: block.redacted };
  if (block.text !== undefined) return { type: "text", text: block.text };
  throw new TypeError(`script: unknown block ${JSON.stringify(block)}`);
}
