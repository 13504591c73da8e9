// A reply as Chat Completions streams it.
//
//   { role } ▸ { content } × n ▸ { tool_calls: [{ index, id, name }] } ▸ { arguments } × n ▸ finish_reason ▸ usage ▸ [DONE]
import { pieces } from "../sse.mjs";

/**
 * The events of a reply.
 * @param {object} _reply finished reply
 * @param {object} _usage tokens
 * @param {object} completion the same reply as a whole body
 * @param {{random: object, body: object, failAfter?: number}} options `failAfter` events an error object ends the stream
 */
export function* streamEvents(_reply, _usage, completion, { random, body, failAfter = Infinity }) {
  let sent = 0;
  for (const chunk of chunks(completion, body.stream_options?.include_usage === true, random)) {
    if (sent++ >= failAfter) {
      yield event({
        error: { message: "The server had an error while processing your request.", type: "server_error" },
      });
      return;
    }
    yield event(chunk);
  }
  yield "data: [DONE]\n\n";
}

function event(data) {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function* chunks(completion, withUsage, random) {
  const { id, created, model, usage } = completion;
  const [{ message, finish_reason: finish }] = completion.choices;
  const frame = (choices) => ({
    id,
    object: "chat.completion.chunk",
    created,
    model,
    choices,
    ...(withUsage ? { usage: null } : {}),
  });
  const delta = (value) => frame([{ index: 0, delta: value, logprobs: null, finish_reason: null }]);

  yield delta({ role: "assistant", content: message.content === null ? null : "", refusal: null });
  for (const content of pieces(message.content ?? "", random)) yield delta({ content });
  for (const [index, call] of (message.tool_calls ?? []).entries()) {
    yield delta({
      tool_calls: [
        { index, id: call.id, type: "function", function: { name: call.function.name, arguments: "" } },
      ],
    });
    for (const part of pieces(call.function.arguments, random)) {
      yield delta({ tool_calls: [{ index, function: { arguments: part } }] });
    }
  }
  yield frame([{ index: 0, delta: {}, logprobs: null, finish_reason: finish }]);
  if (withUsage) yield { ...frame([]), usage };
}
