// Helpers of the tests in this folder: a running server, clients for both APIs, and a reader of event streams.
import { after } from "node:test";

import { createServer } from "./server.mjs";

/** Starts a server that ends with the test file, and gives clients for it. */
export async function start(options = {}) {
  const server = await createServer({ seed: 7, ...options });
  after(() => server.close());
  const post = (path, body, headers = {}) =>
    fetch(server.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    });
  const anthropicHeaders = { "x-api-key": server.key, "anthropic-version": "2023-06-01" };
  const openaiHeaders = { authorization: `Bearer ${server.key}` };
  return {
    server,
    post,
    anthropicHeaders,
    openaiHeaders,
    /** `{ status, body, entry }` of a Messages request. */
    anthropic: async (body, path = "/v1/messages") =>
      answer(await post(path, body, anthropicHeaders), server),
    /** `{ status, body, entry }` of a Chat Completions request. */
    openai: async (body) => answer(await post("/v1/chat/completions", body, openaiHeaders), server),
    control: async (path, body) => (await post(`/__test/${path}`, body)).json(),
  };
}

async function answer(response, server) {
  return {
    status: response.status,
    headers: response.headers,
    body: await response.json(),
    entry: server.journal.entries.at(-1),
  };
}

/** The data of all events of a stream. */
export function readEvents(text) {
  return text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) =>
      event
        .split("\n")
        .find((line) => line.startsWith("data: "))
        .slice(6),
    )
    .filter((data) => data !== "[DONE]")
    .map((data) => JSON.parse(data));
}

/** The message that a stream of Messages events spells. */
export function foldAnthropic(events) {
  let message;
  const inputs = new Map();
  for (const event of events) {
    const block = message?.content[event.index];
    switch (event.type) {
      case "message_start":
        message = event.message;
        break;
      case "content_block_start":
        message.content[event.index] = { ...event.content_block };
        inputs.set(event.index, "");
        break;
      case "content_block_delta": {
        const { delta } = event;
        if (delta.type === "text_delta") block.text += delta.text;
        if (delta.type === "thinking_delta") block.thinking += delta.thinking;
        if (delta.type === "signature_delta") block.signature += delta.signature;
        if (delta.type === "input_json_delta")
          inputs.set(event.index, inputs.get(event.index) + delta.partial_json);
        break;
      }
      case "content_block_stop":
        if (block.type === "tool_use") block.input = JSON.parse(inputs.get(event.index) || "{}");
        break;
      case "message_delta":
        Object.assign(message, event.delta);
        Object.assign(message.usage, event.usage);
        break;
      default:
    }
  }
  return message;
}

/** The completion that a stream of Chat Completions chunks spells. */
export function foldOpenai(chunks) {
  const { id, created, model } = chunks[0];
  const message = { role: "assistant", content: null, refusal: null };
  let finish = null;
  let usage;
  for (const chunk of chunks) {
    usage = chunk.usage ?? usage;
    const [choice] = chunk.choices;
    if (!choice) continue;
    finish = choice.finish_reason ?? finish;
    if (typeof choice.delta.content === "string")
      message.content = (message.content ?? "") + choice.delta.content;
    for (const { index, function: part, ...head } of choice.delta.tool_calls ?? []) {
      message.tool_calls ??= [];
      message.tool_calls[index] ??= { ...head, function: { name: part.name, arguments: "" } };
      message.tool_calls[index].function.arguments += part.arguments;
    }
  }
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }];
  return { id, object: "chat.completion", created, model, choices, usage };
}

/** A PNG of the given size in base64: a true head, then `padding` bytes of nothing. */
export function png(width, height, padding = 0) {
  const bytes = Buffer.alloc(33 + padding);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]).copy(
    bytes,
  );
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes.toString("base64");
}

/** All names of rules that the given source files refuse by. */
export function rulesIn(...sources) {
  const call = /\b(?:refuse|refuseModified|denied|duplicate)\(\s*"(\w+)"/g;
  return new Set(sources.flatMap((source) => [...source.matchAll(call)].map(([, rule]) => rule)));
}
