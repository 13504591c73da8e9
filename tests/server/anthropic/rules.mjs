// What the Messages API refuses, in the order in which a request is read.
//
//   fields ▶ tools ▶ system ▶ messages & blocks ▶ roles ▶ pairing ▶ thinking ▶ cache marks     (window: server.mjs)
//
// Each refusal names its rule; rules.test.mjs has for each one request that is refused and a near twin that passes.
import { refuse } from "../refusal.mjs";
import { checkBlock, TOOL_NAME } from "./blocks.mjs";
import { checkThinking } from "./thinking.mjs";

// prettier-ignore
const FIELDS = new Set([
  "model", "messages", "max_tokens", "system", "tools", "tool_choice", "thinking", "stream", "temperature", "top_p",
  "top_k", "stop_sequences", "metadata", "service_tier", "cache_control", "context_management", "container",
  "mcp_servers", "output_config", "output_format", "inference_geo", "betas", "speed",
]);
const MIN_THINKING_BUDGET = 1024;
const MAX_MARKS = 4;

/**
 * Checks a parsed request body.
 * @param {object} body
 * @param {object} options `counting` (a count_tokens request), `alternation`, `declaredTools`, `prefill`, `models`,
 *   `maxOutput`, `signatures`, `foreignThinking`
 */
export function checkRequest(body, options) {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    refuse("body", "Input should be an object");
  checkFields(body, options);
  checkTools(body);
  checkSystem(body.system);
  checkMessages(body.messages);
  checkOptions(body, options);
  const messages = body.messages.map(({ role, content }) => ({ role, content: asBlocks(content) }));
  checkRoles(messages, options);
  const turns = foldTurns(messages);
  checkPairing(turns);
  checkDeclared(messages, body.tools, options);
  checkThinking(messages, body.thinking?.type ?? "disabled", options.signatures, options.foreignThinking);
  checkMarks(body);
}

/** Content as a list of blocks; a string is one text block. */
export function asBlocks(content) {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function checkFields(body, { counting, models }) {
  for (const field of ["model", "messages", ...(counting ? [] : ["max_tokens"])]) {
    if (body[field] === undefined)
      refuse(field === "max_tokens" ? "max_tokens" : "field_required", `${field}: Field required`);
  }
  for (const field of Object.keys(body)) {
    if (!FIELDS.has(field)) refuse("extra_field", `${field}: Extra inputs are not permitted`);
  }
  if (typeof body.model !== "string" || body.model === "")
    refuse("field_type", "model: String should have at least 1 character");
  if (models && !models.includes(body.model)) {
    refuse("model", `model: ${body.model}`, { status: 404, type: "not_found_error" });
  }
  if (body.stream !== undefined && typeof body.stream !== "boolean") {
    refuse("field_type", "stream: Input should be a valid boolean");
  }
}

function checkTools({ tools, tool_choice: choice }) {
  if (tools === undefined) {
    if (choice !== undefined)
      refuse("tool_choice", "tool_choice: may only be specified while providing `tools`");
    return;
  }
  if (!Array.isArray(tools)) refuse("tools", "tools: Input should be a valid list");
  const names = new Set();
  tools.forEach((tool, at) => {
    const custom = tool?.type === undefined || tool.type === "custom";
    const path = custom ? `tools.${at}.custom` : `tools.${at}`;
    if (typeof tool?.name !== "string") refuse("tools", `${path}.name: Field required`);
    if (!TOOL_NAME.test(tool.name))
      refuse("tool_name", `${path}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    if (custom && tool.input_schema?.type === undefined)
      refuse("tools", `${path}.input_schema.type: Field required`);
    if (custom && tool.input_schema.type !== "object")
      refuse("tools", `${path}.input_schema.type: Input should be 'object'`);
    if (names.has(tool.name)) refuse("tools", "tools: Tool names must be unique.");
    names.add(tool.name);
  });
  if (choice?.type === "tool" && !names.has(choice.name)) {
    refuse("tool_choice", `tool_choice: Tool '${choice.name}' not found in provided tools`);
  }
}

function checkSystem(system) {
  if (system === undefined || typeof system === "string") return;
  if (!Array.isArray(system)) refuse("system", "system: Input should be a valid string or list");
  system.forEach((block, at) => checkBlock(block, `system.${at}`, "system"));
}

function checkMessages(messages) {
  if (!Array.isArray(messages)) refuse("messages", "messages: Input should be a valid list");
  if (messages.length === 0) refuse("messages", "messages: at least one message is required");
  messages.forEach((message, at) => {
    const path = `messages.${at}`;
    if (message?.role === "system") {
      refuse(
        "role",
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as ' +
          "an input message role.",
      );
    }
    if (message?.role !== "user" && message?.role !== "assistant") {
      refuse("role", `${path}.role: Input should be 'user' or 'assistant'`);
    }
    for (const field of Object.keys(message)) {
      if (field !== "role" && field !== "content")
        refuse("extra_field", `${path}.${field}: Extra inputs are not permitted`);
    }
    checkContent(message, path, at === messages.length - 1);
  });
}

function checkContent({ role, content }, path, isLast) {
  if (content === undefined) refuse("field_required", `${path}.content: Field required`);
  if (typeof content !== "string" && !Array.isArray(content)) {
    refuse("field_type", `${path}.content: Input should be a valid string or list`);
  }
  if (content.length === 0) {
    if (role === "user") refuse("empty_content", `${path}: user messages must have non-empty content`);
    if (isLast) return;
    refuse(
      "empty_content",
      `${path}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  asBlocks(content).forEach((block, at) => checkBlock(block, `${path}.content.${at}`, role));
}

function checkOptions(
  { max_tokens: limit, thinking, temperature, tool_choice: choice, model },
  { counting, maxOutput },
) {
  if (!counting) {
    if (!Number.isInteger(limit)) refuse("max_tokens", "max_tokens: Input should be a valid integer");
    if (limit < 1) refuse("max_tokens", "max_tokens: Input should be greater than or equal to 1");
    if (limit > maxOutput) {
      refuse(
        "max_tokens",
        `max_tokens: ${limit} > ${maxOutput}, which is the maximum allowed number of output tokens for ${model}`,
      );
    }
  }
  if (thinking === undefined || thinking?.type === "disabled") return;
  if (thinking?.type !== "enabled" && thinking?.type !== "adaptive") {
    refuse("thinking_option", "thinking.type: Input should be 'enabled', 'disabled' or 'adaptive'");
  }
  if (thinking.type === "enabled") {
    const budget = thinking.budget_tokens;
    if (!Number.isInteger(budget))
      refuse("thinking_budget", "thinking.enabled.budget_tokens: Field required");
    if (budget < MIN_THINKING_BUDGET) {
      refuse(
        "thinking_budget",
        "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
      );
    }
    if (!counting && limit <= budget) {
      refuse("thinking_budget", "`max_tokens` must be greater than `thinking.budget_tokens`.");
    }
  }
  if (temperature !== undefined && temperature !== 1) {
    refuse("thinking_option", "`temperature` may only be set to 1 when thinking is enabled.");
  }
  if (choice?.type === "any" || choice?.type === "tool") {
    refuse("thinking_option", "Thinking may not be enabled when tool_choice forces tool use.");
  }
}

function checkRoles(messages, { alternation, prefill }) {
  if (messages[0].role !== "user") refuse("first_user", 'messages: first message must use the "user" role');
  messages.slice(1).forEach(({ role }, before) => {
    if (alternation && role === messages[before].role) {
      refuse(
        "alternation",
        `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`,
      );
    }
  });
  const last = messages.at(-1);
  if (last.role !== "assistant") return;
  if (!prefill) {
    refuse(
      "prefill",
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
  }
  const end = last.content.at(-1);
  if (end?.type === "text" && end.text !== end.text.trimEnd()) {
    refuse("trailing_space", "messages: final assistant content cannot end with trailing whitespace");
  }
}

/** Messages of one role in a row are one turn; where roles alternate, each message is a turn of its own. */
function foldTurns(messages) {
  const turns = [];
  messages.forEach(({ role, content }, at) => {
    if (turns.at(-1)?.role !== role) turns.push({ role, at, blocks: [] });
    content.forEach((block, index) =>
      turns.at(-1).blocks.push({ block, path: `messages.${at}.content.${index}` }),
    );
  });
  return turns;
}

function checkPairing(turns) {
  const seen = new Set();
  turns.forEach((turn, nth) => {
    if (turn.role === "user") checkResults(turn, turns[nth - 1]);
    else {
      checkServerResults(turn);
      checkCalls(turn, turns[nth + 1], seen);
    }
  });
}

/** What the provider's own tools answered stands behind its call, in the same turn. */
function checkServerResults(turn) {
  const called = new Set();
  for (const { block, path } of turn.blocks) {
    if (block.type === "server_tool_use" || block.type === "mcp_tool_use") called.add(block.id);
    else if (block.type.endsWith("_tool_result") && !called.has(block.tool_use_id)) {
      refuse(
        "orphan_server_result",
        `${path}: unexpected \`tool_use_id\` found in \`${block.type}\` blocks: ${block.tool_use_id}. Each ` +
          `\`${block.type}\` block must have a corresponding \`server_tool_use\` block before it.`,
      );
    }
  }
}

function checkResults(turn, previous) {
  const called = new Set(previous?.blocks.filter(isCall).map(({ block }) => block.id));
  const answered = new Set();
  for (const { block, path } of turn.blocks.filter(isResult)) {
    const id = block.tool_use_id;
    if (answered.has(id)) {
      refuse(
        "result_twice",
        `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    if (!called.has(id)) {
      refuse(
        "orphan_result",
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a ` +
          "corresponding `tool_use` block in the previous message.",
      );
    }
    answered.add(id);
  }
}

function checkCalls(turn, next, seen) {
  const calls = turn.blocks.filter(isCall);
  for (const { block, path } of calls) {
    if (seen.has(block.id)) refuse("call_twice", `${path}: \`tool_use\` ids must be unique`);
    seen.add(block.id);
  }
  // Only results that lead the next turn answer calls: one behind other content comes too late.
  const all = next?.blocks ?? [];
  const end = all.findIndex((entry) => !isResult(entry));
  const leading = new Set(all.slice(0, end === -1 ? all.length : end).map(({ block }) => block.tool_use_id));
  const missing = calls.map(({ block }) => block.id).filter((id) => !leading.has(id));
  if (missing.length === 0) return;
  const late = all.some((entry) => isResult(entry) && missing.includes(entry.block.tool_use_id));
  refuse(
    late ? "results_first" : "orphan_call",
    `messages.${turn.at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
      `${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

const isCall = ({ block }) => block.type === "tool_use";
const isResult = ({ block }) => block.type === "tool_result";

// The first half is the API's own; that each called name is declared is stricter than the API is today.
function checkDeclared(messages, tools, { declaredTools }) {
  const calls = messages
    .flatMap(({ content }, at) => content.map((block, index) => ({ block, at, index })))
    .filter(isCall);
  if (calls.length === 0) return;
  if (!tools || tools.length === 0) {
    refuse("tools_missing", "Requests which include `tool_use` or `tool_result` blocks must define tools.");
  }
  const names = new Set(tools.map((tool) => tool.name));
  const unknown = calls.find(({ block }) => !names.has(block.name));
  if (declaredTools && unknown) {
    const { block, at, index } = unknown;
    refuse(
      "tool_undeclared",
      `messages.${at}.content.${index}.tool_use.name: Tool '${block.name}' not found in provided tools`,
    );
  }
}

function checkMarks(body) {
  const blocks = [body, ...(body.tools ?? []), ...(Array.isArray(body.system) ? body.system : [])];
  for (const block of body.messages.flatMap((message) => asBlocks(message.content))) {
    blocks.push(block);
    if (block.type === "tool_result" && Array.isArray(block.content)) blocks.push(...block.content);
  }
  const marks = blocks.filter((block) => block.cache_control).map((block) => block.cache_control);
  for (const mark of marks) {
    if (mark.type !== "ephemeral") refuse("cache_type", "cache_control.type: Input should be 'ephemeral'");
    if (mark.ttl !== undefined && mark.ttl !== "5m" && mark.ttl !== "1h") {
      refuse("cache_type", "cache_control.ephemeral.ttl: Input should be '5m' or '1h'");
    }
  }
  if (marks.length > MAX_MARKS) {
    refuse("cache_marks", `A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}.`);
  }
}
