// What Chat Completions refuses, in the order in which a request is read.
//
//   fields ▶ options ▶ tools ▶ messages one by one ▶ pairing of tool_calls and tool messages     (window: server.mjs)
import { refuse } from "../refusal.mjs";

// prettier-ignore
const FIELDS = new Set([
  "model", "messages", "audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs",
  "max_completion_tokens", "max_tokens", "metadata", "modalities", "n", "parallel_tool_calls", "prediction",
  "presence_penalty", "prompt_cache_key", "prompt_cache_retention", "reasoning_effort", "response_format",
  "safety_identifier", "seed", "service_tier", "stop", "store", "stream", "stream_options", "temperature", "tool_choice",
  "tools", "top_logprobs", "top_p", "user", "verbosity", "web_search_options",
]);
const ROLES = ["system", "assistant", "user", "tool", "developer"];
const NAME = /^[a-zA-Z0-9_-]+$/;
const NAME_LENGTH = 64;
const ID_LENGTH = 40;

/**
 * Checks a parsed request body.
 * @param {object} body
 * @param {object} options `alternation`, `models`, `maxOutput`
 */
export function checkRequest(body, options) {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    refuse("body", "Invalid body: expected an object");
  checkFields(body, options);
  checkOptions(body, options);
  checkTools(body);
  body.messages.forEach((message, at) => checkMessage(message, `messages[${at}]`));
  checkPairing(body.messages);
  if (options.alternation) checkAlternation(body.messages);
}

function checkFields(body, { models }) {
  const unknown = Object.keys(body).find((field) => !FIELDS.has(field));
  if (unknown !== undefined) refuse("extra_field", `Unrecognized request argument supplied: ${unknown}`);
  if (typeof body.model !== "string" || body.model === "")
    refuse("model", "you must provide a model parameter");
  if (models && !models.includes(body.model)) {
    const message = `The model \`${body.model}\` does not exist or you do not have access to it.`;
    refuse("model", message, { status: 404, code: "model_not_found" });
  }
  if (body.messages === undefined) missing("messages");
  if (!Array.isArray(body.messages)) wrongType("messages", "an array of objects", body.messages);
  if (body.messages.length === 0) emptyArray("messages");
}

function checkOptions(body, { maxOutput }) {
  if (body.max_tokens !== undefined && body.max_completion_tokens !== undefined) {
    refuse(
      "max_tokens",
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      {
        param: "max_tokens",
        code: "invalid_parameter_combination",
      },
    );
  }
  for (const field of ["max_tokens", "max_completion_tokens"]) {
    const limit = body[field];
    if (limit === undefined || limit === null) continue;
    if (!Number.isInteger(limit)) wrongType(field, "an integer", limit);
    if (limit < 1) {
      const message = `Invalid '${field}': integer below minimum value. Expected a value >= 1, but got ${limit} instead.`;
      refuse("max_tokens", message, { param: field, code: "integer_below_min_value" });
    }
    if (limit > maxOutput) {
      const message =
        `${field} is too large: ${limit}. This model supports at most ${maxOutput} completion tokens, whereas you ` +
        `provided ${limit}.`;
      refuse("max_tokens", message, { param: field, code: "invalid_value" });
    }
  }
  if (body.stream_options && !body.stream) {
    refuse("stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: "stream_options",
    });
  }
}

function checkTools(body) {
  if (body.tools === undefined) {
    for (const field of ["tool_choice", "parallel_tool_calls"]) {
      if (body[field] === undefined) continue;
      refuse(
        "tool_choice",
        `Invalid value for '${field}': '${field}' is only allowed when 'tools' are specified.`,
        {
          param: field,
        },
      );
    }
    return;
  }
  if (!Array.isArray(body.tools)) wrongType("tools", "an array of objects", body.tools);
  if (body.tools.length === 0) emptyArray("tools");
  body.tools.forEach((tool, at) => {
    const path = `tools[${at}]`;
    if (tool?.type !== "function") invalidValue(`${path}.type`, tool?.type, ["function"]);
    checkName(tool.function?.name, `${path}.function.name`);
  });
}

function checkMessage(message, path) {
  if (!ROLES.includes(message?.role)) invalidValue(`${path}.role`, message?.role, ROLES, "role");
  if (message.role === "assistant") return checkAssistant(message, path);
  if (message.role === "tool" && message.tool_call_id === undefined) missing(`${path}.tool_call_id`);
  if (message.role === "tool" && typeof message.tool_call_id !== "string") {
    wrongType(`${path}.tool_call_id`, "a string", message.tool_call_id);
  }
  if (message.content === undefined) missing(`${path}.content`);
  if (message.content === null) {
    refuse("empty_content", "Invalid value for 'content': expected a string, got null.", {
      param: `${path}.content`,
    });
  }
  checkContent(message, path);
}

function checkAssistant(message, path) {
  const calls = message.tool_calls;
  if (
    (message.content === undefined || message.content === null) &&
    calls === undefined &&
    !message.refusal
  ) {
    refuse("empty_content", "Invalid value for 'content': expected a string, got null.", {
      param: `${path}.content`,
    });
  }
  if (message.content !== undefined && message.content !== null) checkContent(message, path);
  if (calls === undefined) return;
  if (!Array.isArray(calls)) wrongType(`${path}.tool_calls`, "an array of objects", calls);
  if (calls.length === 0) emptyArray(`${path}.tool_calls`);
  const ids = new Set();
  calls.forEach((call, at) => {
    const where = `${path}.tool_calls[${at}]`;
    if (typeof call?.id !== "string") missing(`${where}.id`);
    if (call.id.length > ID_LENGTH) tooLong(`${where}.id`, ID_LENGTH, call.id);
    if (call.type !== "function") invalidValue(`${where}.type`, call.type, ["function"]);
    checkName(call.function?.name, `${where}.function.name`);
    if (typeof call.function.arguments !== "string") {
      wrongType(`${where}.function.arguments`, "a string", call.function.arguments);
    }
    if (ids.has(call.id)) duplicate("call_twice", call.id, path);
    ids.add(call.id);
  });
}

function checkContent({ role, content }, path) {
  if (typeof content === "string") return;
  if (!Array.isArray(content)) wrongType(`${path}.content`, "one of a string or array of objects", content);
  if (content.length === 0) emptyArray(`${path}.content`);
  content.forEach((part, at) => {
    const where = `${path}.content[${at}]`;
    if (part?.type === "text") {
      if (typeof part.text !== "string") wrongType(`${where}.text`, "a string", part.text);
      return;
    }
    if (part?.type === "refusal" && role === "assistant") return;
    if (part?.type === "image_url" && role !== "user") {
      refuse(
        "image_place",
        `Invalid '${path}'. Image URLs are only allowed for messages with role 'user', but this message with role ` +
          `'${role}' contains an image URL.`,
        { param: path, code: "invalid_value" },
      );
    }
    const media = ["image_url", "input_audio", "file"];
    if (role !== "user" || !media.includes(part?.type))
      invalidValue(`${where}.type`, part?.type, ["text", ...media]);
    if (part.type === "image_url" && typeof part.image_url?.url !== "string")
      missing(`${where}.image_url.url`);
  });
}

function checkPairing(messages) {
  let open = null; // the assistant message whose calls are being answered: { ids, answered }
  messages.forEach((message, at) => {
    if (message.role === "tool") {
      answer(open, message.tool_call_id, at);
      return;
    }
    close(open, at);
    open = message.tool_calls
      ? { ids: message.tool_calls.map((call) => call.id), answered: new Set() }
      : null;
  });
  close(open, messages.length);
}

function answer(open, id, at) {
  const param = `messages.[${at}].role`;
  if (!open) {
    refuse(
      "orphan_result",
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      { param },
    );
  }
  if (!open.ids.includes(id)) {
    refuse(
      "orphan_result",
      `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
      {
        param: `messages.[${at}].tool_call_id`,
      },
    );
  }
  if (open.answered.has(id)) duplicate("result_twice", id, `message[${at}]`);
  open.answered.add(id);
}

function close(open, at) {
  const missingIds = open?.ids.filter((id) => !open.answered.has(id)) ?? [];
  if (missingIds.length === 0) return;
  refuse(
    "orphan_call",
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The " +
      `following tool_call_ids did not have response messages: ${missingIds.join(", ")}`,
    { param: `messages.[${at}].role` },
  );
}

// OpenAI itself takes any order; servers with a chat template (Mistral, vLLM) don't.
function checkAlternation(messages) {
  const spoken = messages.filter(({ role }) => role === "user" || role === "assistant" || role === "tool");
  spoken.slice(1).forEach(({ role }, before) => {
    if (role === spoken[before].role && role !== "tool") {
      refuse("alternation", "Conversation roles must alternate user/assistant/user/assistant/...", {
        param: "messages",
      });
    }
  });
}

function checkName(name, path) {
  if (typeof name !== "string") missing(path);
  if (name.length > NAME_LENGTH) tooLong(path, NAME_LENGTH, name);
  if (!NAME.test(name)) {
    const message =
      `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern ` +
      "'^[a-zA-Z0-9_-]+$'.";
    refuse("tool_name", message, { param: path, code: "invalid_value" });
  }
}

function missing(param) {
  refuse("field_required", `Missing required parameter: '${param}'.`, {
    param,
    code: "missing_required_parameter",
  });
}

function emptyArray(param) {
  const message = `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
  refuse("empty_array", message, { param, code: "empty_array" });
}

function tooLong(param, limit, value) {
  const message =
    `Invalid '${param}': string too long. Expected a string with maximum length ${limit}, but got a string with length ` +
    `${value.length} instead.`;
  refuse("too_long", message, { param, code: "string_above_max_length" });
}

function wrongType(param, expected, value) {
  const got = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
  refuse("field_type", `Invalid type for '${param}': expected ${expected}, but got ${got} instead.`, {
    param,
    code: "invalid_type",
  });
}

function invalidValue(param, value, allowed, rule = "field_value") {
  const list = allowed.map((name) => `'${name}'`).join(", ");
  refuse(rule, `Invalid value: '${value}'. Supported values are: ${list}.`, { param, code: "invalid_value" });
}

function duplicate(rule, id, where) {
  refuse(rule, `Duplicate value for 'tool_call_id' of ${id} in ${where}`, { param: "messages" });
}
