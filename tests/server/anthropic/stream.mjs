// A reply as the Messages API streams it.
//
//   message_start ▸ ping ▸ { content_block_start ▸ …_delta × n ▸ content_block_stop } ▸ message_delta ▸ message_stop
import { pieces } from "../sse.mjs";
import { wireUsage } from "./api.mjs";

/**
 * The events of a reply.
 * @param {object} reply finished reply
 * @param {object} usage tokens
 * @param {object} message the same reply as a whole body
 * @param {{random: object, failAfter?: number}} options `failAfter` events an `error` event ends the stream
 */
export function* streamEvents(reply, usage, message, { random, failAfter = Infinity }) {
  let sent = 0;
  for (const data of eventData(reply, usage, message, random)) {
    if (sent++ >= failAfter) {
      yield event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
      return;
    }
    yield event(data);
  }
}

function event(data) {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function* eventData(reply, usage, message, random) {
  yield {
    type: "message_start",
    message: { ...message, content: [], stop_reason: null, usage: wireUsage({ ...usage, output: 1 }) },
  };
  yield { type: "ping" };
  for (const [index, block] of reply.blocks.entries()) {
    yield { type: "content_block_start", index, content_block: emptyBlock(block) };
    for (const delta of deltas(block, random)) yield { type: "content_block_delta", index, delta };
    yield { type: "content_block_stop", index };
  }
  yield {
    type: "message_delta",
    delta: { stop_reason: reply.stop, stop_sequence: null },
    usage: { output_tokens: usage.output },
  };
  yield { type: "message_stop" };
}

function emptyBlock(block) {
  switch (block.type) {
    case "text":
      return { type: "text", text: "" };
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "tool_use":
      return { type: "tool_use", id: block.id, name: block.name, input: {} };
    default:
      return block; // redacted thinking comes whole
  }
}

function* deltas(block, random) {
  switch (block.type) {
    case "text":
      for (const text of pieces(block.text, random)) yield { type: "text_delta", text };
      break;
    case "thinking":
      for (const thinking of pieces(block.thinking, random)) yield { type: "thinking_delta", thinking };
      yield { type: "signature_delta", signature: block.signature };
      break;
    case "tool_use": {
      const json = block.cut ?? JSON.stringify(block.input);
      if (json === "{}") return;
      yield { type: "input_json_delta", partial_json: "" };
      for (const partial of pieces(json, random)) yield { type: "input_json_delta", partial_json: partial };
      break;
    }
    default:
  }
}
