// The Messages API as one adapter: request in, blocks counted, conversation out, reply and errors back.
import { TOOLS_PREAMBLE, MESSAGE_OVERHEAD, TOOL_BLOCK_OVERHEAD, LINKED_IMAGE, PDF_PAGE } from "../tokens.mjs";
import { refuse } from "../refusal.mjs";
import { asBlocks, checkRequest } from "./rules.mjs";
import { streamEvents } from "./stream.mjs";

export const anthropic = {
  name: "anthropic",
  browserHeader: "anthropic-dangerous-direct-browser-access",
  check: checkRequest,
  maxTokens: (body) => body.max_tokens,
  refuseOverflow,
  streamEvents,
  cacheUsage: (cache, blocks, body) => cache.marked(blocks, body.model),

  /** Refuses a request without the right key, or from a page that did not ask for browser access. */
  authenticate(request, { key, cors }) {
    const { headers } = request;
    if (cors && headers.origin && headers[this.browserHeader] !== "true") {
      denied("cors", "CORS requests must set 'anthropic-dangerous-direct-browser-access' header");
    }
    // The official client of 2026 sends the key as a bearer token, the older ones and most others as x-api-key.
    const given = headers["x-api-key"] ?? /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
    if (!given) denied("key_missing", "x-api-key header is required");
    if (given !== key) denied("key_wrong", "invalid x-api-key");
    if (!headers["anthropic-version"]) refuse("version", "anthropic-version: header is required");
  },

  errorBody: ({ type, message }, requestId) => ({
    type: "error",
    error: { type, message },
    request_id: requestId,
  }),

  badJson: (reason) => `The request body is not valid JSON: ${reason}`,

  /** The error that a fault stands for: `[status, type, message]`. */
  faults: {
    rate_limit: [429, "rate_limit_error", "This request would exceed your organization's rate limit."],
    overloaded: [529, "overloaded_error", "Overloaded"],
    server_error: [500, "api_error", "Internal server error"],
  },

  /** The prompt as blocks in cache order: tools, system, thinking setting, messages. */
  blocks(body, counter) {
    const tools = (body.tools ?? []).map((tool, at) =>
      unit("tool", tool, counter.json(bare(tool)) + (at === 0 ? TOOLS_PREAMBLE : 0)),
    );
    const system = asBlocks(body.system || []).map((block) =>
      unit("system", block, counter.text(block.text)),
    );
    const setting = { key: `thinking ${JSON.stringify(body.thinking ?? null)}`, tokens: 0, mark: false };
    const messages = body.messages.flatMap(({ role, content }) =>
      asBlocks(content).map((block, at) =>
        unit(role, block, blockTokens(block, counter) + (at === 0 ? MESSAGE_OVERHEAD : 0)),
      ),
    );
    const blocks = [...tools, ...system, setting, ...messages];
    if (body.cache_control) blocks.at(-1).mark = true;
    return blocks;
  },

  /** The request as the model sees it. */
  conversation(body) {
    return {
      system: asBlocks(body.system || [])
        .map((block) => block.text)
        .join("\n"),
      tools: (body.tools ?? []).map((tool) => tool.name),
      thinking: body.thinking?.type ?? "disabled",
      messages: body.messages.map(({ role, content }) => ({ role, blocks: asBlocks(content).map(neutral) })),
    };
  },

  /** A finished reply as the body of a 200. */
  message(reply, usage, body) {
    return {
      id: reply.id,
      type: "message",
      role: "assistant",
      model: body.model,
      content: reply.blocks.map(({ cut, ...block }) => (cut === undefined ? block : { ...block, input: {} })),
      stop_reason: reply.stop,
      stop_sequence: null,
      usage: wireUsage(usage),
    };
  },

  modelList: (models) => ({
    data: models.map((id) => ({ type: "model", id, display_name: id, created_at: "2025-01-01T00:00:00Z" })),
    first_id: models[0] ?? null,
    last_id: models.at(-1) ?? null,
    has_more: false,
  }),
};

function denied(rule, message) {
  refuse(rule, message, { status: 401, type: "authentication_error" });
}

function refuseOverflow({ prompt, limit, window, stops }) {
  if (prompt > window) refuse("window", `prompt is too long: ${prompt} tokens > ${window} maximum`);
  if (!stops && prompt + limit > window) {
    refuse(
      "window_output",
      `input length and \`max_tokens\` exceed context limit: ${prompt} + ${limit} > ${window}, decrease input length or ` +
        "`max_tokens` and try again",
    );
  }
}

/** Usage in Anthropic's convention: `input_tokens` holds what the cache neither served nor stored. */
export function wireUsage({ read, written, fresh, output }) {
  return {
    input_tokens: fresh,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: output,
  };
}

const bare = ({ cache_control: _mark, ...block }) => block;

function unit(part, block, tokens) {
  const nested = block.type === "tool_result" && Array.isArray(block.content) ? block.content : [];
  const content = nested.length > 0 ? { ...block, content: nested.map(bare) } : block;
  const mark = Boolean(block.cache_control) || nested.some((inner) => inner.cache_control);
  return { key: `${part} ${JSON.stringify(bare(content))}`, tokens, mark };
}

function blockTokens(block, counter) {
  switch (block.type) {
    case "text":
      return counter.text(block.text);
    case "thinking":
      return counter.text(block.thinking);
    case "redacted_thinking":
      return counter.text(block.data);
    case "image":
      return block.source.type === "base64" ? counter.image(block.source.data) : LINKED_IMAGE;
    case "document":
      return documentTokens(block.source, counter);
    case "tool_use":
      return TOOL_BLOCK_OVERHEAD + counter.text(block.name) + counter.json(block.input);
    case "tool_result":
      return asBlocks(block.content ?? []).reduce(
        (sum, part) => sum + blockTokens(part, counter),
        TOOL_BLOCK_OVERHEAD,
      );
    default:
      return counter.json(bare(block));
  }
}

function documentTokens(source, counter) {
  if (source.type === "text") return counter.text(source.data);
  if (source.type === "base64") return counter.pdf(source.data);
  return source.type === "content" ? counter.json(source.content) : PDF_PAGE;
}

function neutral(block) {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "tool_use":
      return { type: "tool_use", id: block.id, name: block.name, input: block.input };
    case "tool_result": {
      const parts = asBlocks(block.content ?? []);
      const text = parts.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
      return { type: "tool_result", id: block.tool_use_id, text, isError: block.is_error === true };
    }
    default:
      return { type: "other", kind: block.type };
  }
}
