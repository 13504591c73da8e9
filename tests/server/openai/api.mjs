// Chat Completions as one adapter: request in, blocks counted, conversation out, reply and errors back.
import { LINKED_IMAGE, MESSAGE_OVERHEAD, TOOL_BLOCK_OVERHEAD } from "../tokens.mjs";
import { refuse } from "../refusal.mjs";
import { checkRequest } from "./rules.mjs";
import { streamEvents } from "./stream.mjs";

const FINISH = {
  end_turn: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content_filter",
};
const DATA_URL = /^data:image\/[a-z]+;base64,/;

export const openai = {
  name: "openai",
  browserHeader: null,
  check: checkRequest,
  maxTokens: (body) => body.max_completion_tokens ?? body.max_tokens ?? null,
  refuseOverflow,
  streamEvents,
  cacheUsage: (cache, blocks, body) => ({ written: 0, ...cache.automatic(blocks, body.model) }),

  /** Refuses a request without the right key. */
  authenticate(request, { key }) {
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    if (!bearer) {
      const message =
        "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth " +
        "(i.e. Authorization: Bearer YOUR_KEY).";
      refuse("key_missing", message, { status: 401 });
    }
    if (bearer !== key)
      refuse("key_wrong", "Incorrect API key provided.", { status: 401, code: "invalid_api_key" });
  },

  errorBody: ({ type, message, param, code }) => ({ error: { message, type, param, code } }),

  badJson: () =>
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library " +
    "correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",

  /** The error that a fault stands for: `[status, type, message, code]`. */
  faults: {
    rate_limit: [
      429,
      "requests",
      "Rate limit reached on requests per min (RPM): Limit 3, Used 3, Requested 1.",
      "rate_limit_exceeded",
    ],
    tokens_per_minute: [
      429,
      "tokens",
      "Request too large on tokens per min (TPM): Limit 30000, Requested 30601. The input or output tokens must be " +
        "reduced in order to run successfully.",
      "rate_limit_exceeded",
    ],
    overloaded: [503, "server_error", "The server is currently overloaded with other requests.", null],
    server_error: [500, "server_error", "The server had an error while processing your request.", null],
  },

  /** The prompt as blocks in cache order: tools, then messages. */
  blocks(body, counter) {
    const tools = (body.tools ?? []).map((tool) => ({
      key: JSON.stringify(tool),
      tokens: counter.json(tool),
      mark: false,
    }));
    const messages = body.messages.map((message) => ({
      key: JSON.stringify(message),
      tokens: MESSAGE_OVERHEAD + messageTokens(message, counter),
      mark: false,
    }));
    return [...tools, ...messages];
  },

  /** The request as the model sees it; tool messages become results of a user. */
  conversation(body) {
    const isSystem = ({ role }) => role === "system" || role === "developer";
    const messages = [];
    for (const message of body.messages.filter((each) => !isSystem(each))) {
      const result = message.role === "tool";
      if (!result || messages.at(-1)?.results !== true) {
        messages.push({ role: result ? "user" : message.role, blocks: [], results: result });
      }
      messages.at(-1).blocks.push(...neutral(message));
    }
    return {
      system: body.messages
        .filter(isSystem)
        .map((message) => textOf(message.content))
        .join("\n"),
      tools: (body.tools ?? []).map((tool) => tool.function.name),
      thinking: "disabled",
      messages: messages.map(({ role, blocks }) => ({ role, blocks })),
    };
  },

  /** A finished reply as the body of a 200. */
  message(reply, usage, body, created) {
    const text = reply.blocks
      .filter((block) => block.type === "text")
      .map((block) => block.text)
      .join("");
    const calls = reply.blocks.filter((block) => block.type === "tool_use").map(wireCall);
    const message = {
      role: "assistant",
      content: text === "" && calls.length > 0 ? null : text,
      refusal: null,
    };
    if (calls.length > 0) message.tool_calls = calls;
    return {
      id: reply.id.replace(/^msg_/, "chatcmpl-"),
      object: "chat.completion",
      created,
      model: body.model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH[reply.stop] ?? "stop" }],
      usage: wireUsage(usage),
    };
  },

  modelList: (models) => ({
    object: "list",
    data: models.map((id) => ({ id, object: "model", created: 1735689600, owned_by: "test" })),
  }),
};

function refuseOverflow({ prompt, limit, window, stops }) {
  const asked = limit ?? 0;
  if (prompt <= window && (stops || prompt + asked <= window)) return;
  const counted =
    prompt > window
      ? `your messages resulted in ${prompt} tokens.`
      : `you requested ${prompt + asked} tokens (${prompt} in the messages, ${asked} in the completion).`;
  refuse(
    prompt > window ? "window" : "window_output",
    `This model's maximum context length is ${window} tokens. However, ${counted} Please reduce the length of the messages` +
      `${prompt > window ? "" : " or completion"}.`,
    { param: "messages", code: "context_length_exceeded" },
  );
}

/** Usage in OpenAI's convention: `prompt_tokens` is the whole prompt, what the cache served included. */
export function wireUsage({ read, written, fresh, output }) {
  const prompt = read + written + fresh;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: read },
  };
}

function wireCall(block) {
  const args = block.cut ?? JSON.stringify(block.input);
  return {
    id: block.id.replace(/^toolu_/, "call_"),
    type: "function",
    function: { name: block.name, arguments: args },
  };
}

function textOf(content) {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}

function messageTokens(message, counter) {
  const parts = Array.isArray(message.content)
    ? message.content
    : [{ type: "text", text: message.content ?? "" }];
  const content = parts.reduce((sum, part) => sum + partTokens(part, counter), 0);
  const calls = (message.tool_calls ?? []).map(
    (call) => TOOL_BLOCK_OVERHEAD + counter.text(call.function.name) + counter.text(call.function.arguments),
  );
  return (
    content + calls.reduce((sum, tokens) => sum + tokens, message.role === "tool" ? TOOL_BLOCK_OVERHEAD : 0)
  );
}

function partTokens(part, counter) {
  if (part.type === "text") return counter.text(part.text);
  if (part.type !== "image_url") return LINKED_IMAGE;
  const { url } = part.image_url;
  return DATA_URL.test(url) ? counter.image(url.replace(DATA_URL, "")) : LINKED_IMAGE;
}

function neutral(message) {
  if (message.role === "tool") {
    return [{ type: "tool_result", id: message.tool_call_id, text: textOf(message.content), isError: false }];
  }
  const text = textOf(message.content);
  const calls = (message.tool_calls ?? []).map((call) => ({
    type: "tool_use",
    id: call.id,
    name: call.function.name,
    input: call.function.arguments,
  }));
  return [...(text === "" ? [] : [{ type: "text", text }]), ...calls];
}
