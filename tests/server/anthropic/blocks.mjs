// The shape of single content blocks in a Messages request: types, fields, roles, sizes.
//
//   block ──▶ known type? ──▶ known fields? ──▶ right types? ──▶ allowed in this place? ──▶ its own rules
import { imageSize } from "../images.mjs";
import { refuse } from "../refusal.mjs";

const ID = /^[a-zA-Z0-9_-]+$/;
/** What a tool may be called. */
export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const IMAGE_BYTES = 5 * 1024 * 1024;
const IMAGE_EDGE = 8000;

// For each type: required fields, optional fields, and the places where it may stand.
const TYPES = {
  text: {
    required: { text: "string" },
    optional: ["citations"],
    places: ["user", "assistant", "system", "tool_result"],
  },
  image: { required: { source: "dictionary" }, optional: [], places: ["user", "tool_result"] },
  document: {
    required: { source: "dictionary" },
    optional: ["title", "context", "citations"],
    places: ["user", "tool_result"],
  },
  search_result: {
    required: { source: "string", title: "string", content: "list" },
    optional: ["citations"],
    places: ["user", "tool_result"],
  },
  tool_reference: { required: { tool_name: "string" }, optional: [], places: ["tool_result"] },
  tool_use: {
    required: { id: "string", name: "string", input: "dictionary" },
    optional: ["caller"],
    places: ["assistant"],
  },
  tool_result: { required: { tool_use_id: "string" }, optional: ["content", "is_error"], places: ["user"] },
  thinking: {
    required: { thinking: "string", signature: "string" },
    optional: [],
    places: ["assistant"],
    unmarked: true,
  },
  redacted_thinking: { required: { data: "string" }, optional: [], places: ["assistant"], unmarked: true },
};

// Calls that the provider's own servers run and answer, inside one assistant message.
for (const tag of ["server_tool_use", "mcp_tool_use"]) {
  TYPES[tag] = { ...TYPES.tool_use, optional: ["caller", "server_name"] };
}
for (const tool of [
  "web_search",
  "web_fetch",
  "code_execution",
  "bash_code_execution",
  "tool_search",
  "advisor",
  "mcp",
]) {
  TYPES[`${tool}_tool_result`] = {
    required: { tool_use_id: "string" },
    optional: ["content", "is_error"],
    places: ["assistant"],
  };
}

const PLACED_BY_ROLE = {
  tool_use: "`tool_use` blocks can only be in `assistant` messages",
  tool_result: "`tool_result` blocks can only be in `user` messages",
  thinking: "`thinking` blocks can only be in `assistant` messages",
  redacted_thinking: "`redacted_thinking` blocks can only be in `assistant` messages",
};

/**
 * Checks one block.
 * @param {unknown} block
 * @param {string} path where it stands, such as `messages.2.content.0`
 * @param {"user"|"assistant"|"system"|"tool_result"} place
 */
export function checkBlock(block, path, place) {
  if (typeof block !== "object" || block === null || Array.isArray(block)) {
    refuse("block_type", `${path}: Input should be an object`);
  }
  if (block.type === undefined) refuse("block_type", `${path}.type: Field required`);
  const type = Object.hasOwn(TYPES, block.type) ? TYPES[block.type] : null;
  if (!type || (place === "tool_result" && !type.places.includes(place))) {
    const tags = Object.keys(TYPES).filter(
      (tag) => place !== "tool_result" || TYPES[tag].places.includes(place),
    );
    refuse(
      place === "tool_result" ? "tool_result_content" : "block_type",
      `${path}: Input tag '${block.type}' found using 'type' does not match any of the expected tags: ` +
        tags.map((tag) => `'${tag}'`).join(", "),
    );
  }
  const at = `${path}.${block.type}`;
  checkFields(block, type, at);
  if (!type.places.includes(place)) {
    const message =
      PLACED_BY_ROLE[block.type] ?? `\`${block.type}\` blocks are not permitted in \`${place}\` content`;
    refuse("block_place", `${path.split(".content.")[0]}: ${message}`);
  }
  checkOwnRules(block, path, at);
}

function checkFields(block, type, at) {
  for (const [field, kind] of Object.entries(type.required)) {
    if (block[field] === undefined) refuse("field_required", `${at}.${field}: Field required`);
    if (!isKind(block[field], kind)) refuse("field_type", `${at}.${field}: Input should be a valid ${kind}`);
  }
  for (const field of Object.keys(block)) {
    const known = field === "type" || Object.hasOwn(type.required, field) || type.optional.includes(field);
    const mark = field === "cache_control" && !type.unmarked;
    if (!known && !mark) {
      const rule = field === "cache_control" ? "cache_on_thinking" : "extra_field";
      refuse(rule, `${at}.${field}: Extra inputs are not permitted`);
    }
  }
}

function isKind(value, kind) {
  if (kind === "list") return Array.isArray(value);
  if (kind === "dictionary") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === kind;
}

function checkOwnRules(block, path, at) {
  switch (block.type) {
    case "text":
      return checkText(block, path, at);
    case "image":
      return checkImage(block.source, `${at}.source`);
    case "document":
      return checkDocument(block.source, `${at}.source`);
    case "tool_use":
      if (!ID.test(block.id)) refuse("tool_id", `${at}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
      if (!TOOL_NAME.test(block.name)) {
        refuse("tool_name", `${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
      }
      return undefined;
    case "tool_result":
      return checkResult(block, path, at);
    case "thinking":
      if (block.thinking === "")
        refuse("thinking_empty", `${path}.thinking: each thinking block must contain thinking`);
      return undefined;
    default:
      return undefined;
  }
}

function checkText(block, path, at) {
  const scope = path.split(".")[0];
  if (block.text === "") {
    if (block.cache_control) refuse("empty_text", `${at}: cache_control cannot be set for empty text blocks`);
    refuse("empty_text", `${scope}: text content blocks must be non-empty`);
  }
  if (block.text.trim() === "") {
    refuse("empty_text", `${scope}: text content blocks must contain non-whitespace text`);
  }
}

function checkResult(block, path, at) {
  if (block.is_error !== undefined && typeof block.is_error !== "boolean") {
    refuse("field_type", `${at}.is_error: Input should be a valid boolean`);
  }
  if (block.content === undefined || typeof block.content === "string") return;
  if (!Array.isArray(block.content)) {
    refuse(
      "tool_result_content",
      `${at}.content: Input should be a valid string or a list of content blocks`,
    );
  }
  block.content.forEach((part, at2) => checkBlock(part, `${path}.tool_result.content.${at2}`, "tool_result"));
  if (block.is_error && block.content.some((part) => part.type !== "text")) {
    refuse("tool_result_content", `${at}: all content must be type \`text\` if \`is_error\` is true`);
  }
}

function checkImage(source, at) {
  if (source.type === "url" && typeof source.url === "string") return;
  if (source.type !== "base64" || typeof source.data !== "string") {
    refuse("image", `${at}: Input should be a base64 or url source`);
  }
  if (!IMAGE_TYPES.includes(source.media_type)) {
    refuse(
      "image",
      `${at}.base64.media_type: Input should be ${IMAGE_TYPES.map((type) => `'${type}'`).join(", ")}`,
    );
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(source.data)) refuse("image", `${at}.base64.data: invalid base64 data`);
  if (source.data.length > IMAGE_BYTES) {
    refuse(
      "image",
      `${at}.base64: image exceeds 5 MB maximum: ${source.data.length} bytes > ${IMAGE_BYTES} bytes`,
    );
  }
  const size = imageSize(source.data);
  if (!size || size.width < 1 || size.height < 1) refuse("image", "Could not process image");
  if (Math.max(size.width, size.height) > IMAGE_EDGE) {
    refuse(
      "image",
      `${at}.base64.data: At least one of the image dimensions exceed max allowed size: ${IMAGE_EDGE} pixels`,
    );
  }
}

function checkDocument(source, at) {
  const known =
    (source.type === "text" && typeof source.data === "string") ||
    (source.type === "base64" &&
      source.media_type === "application/pdf" &&
      typeof source.data === "string") ||
    (source.type === "url" && typeof source.url === "string") ||
    (source.type === "content" && (typeof source.content === "string" || Array.isArray(source.content)));
  if (!known) refuse("document", `${at}: Input should be a base64, text, content or url source`);
}
