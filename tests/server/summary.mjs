// The model's summary: nine numbered sections, each filled from the messages themselves.

const FILE =
  /(?:[\w.-]+\/)+[\w.-]+|\b[\w-]+\.(?:rs|js|mjs|ts|tsx|py|go|md|json|toml|yaml|yml|html|css|txt|sh)\b/g;
const SPOKEN = /^\W*(?:user|human)\W*:\s*(.+)$/gim;
const QUOTE = 300;

/** Whether a request wants a summary: its system prompt or its last user text shows the tags to write. */
export function asksForSummary(system, request) {
  if (/<summary>/.test(system)) return true;
  const isSummary = /<summary>[\s\S]{200,}<\/summary>/.test(request) && !/<analysis>/.test(request);
  return /<summary>/.test(request) && !isSummary;
}

/** `<analysis>` and `<summary>` of a conversation whose last message asks for it. */
export function summarise(messages) {
  const subject = messages.length > 1 ? messages.slice(0, -1) : messages;
  const blocks = subject.flatMap(({ role, blocks }) => blocks.map((block) => ({ role, ...block })));
  const texts = blocks.map((block) => block.text ?? JSON.stringify(block.input ?? ""));
  const user = messages.length > 1 ? spokenBy(blocks, "user") : spokenIn(texts.join("\n"));
  const assistant = spokenBy(blocks, "assistant");
  const calls = blocks.filter((block) => block.type === "tool_use");
  const errors = blocks.filter(
    (block) => block.type === "tool_result" && (block.isError || /\berror\b/i.test(block.text)),
  );
  const files = [...new Set(texts.flatMap((each) => each.match(FILE) ?? []))];
  const sections = [
    ["Primary request and intent", list(user.slice(0, 3))],
    ["Key technical concepts", list([...new Set(calls.map((call) => `tool ${call.name}`))])],
    ["Files and code", list(files.slice(0, 40))],
    ["Errors and fixes", list(errors.map((block) => block.text))],
    ["Problem solving", `${calls.length} tool calls were made.`],
    ["All user messages", list(user)],
    ["Pending tasks", list(user.slice(-1))],
    ["Current work", list(assistant.slice(-1))],
    ["Next step", list(user.slice(-1))],
  ];
  const body = sections.map(([title, content], nth) => `${nth + 1}. ${title}:\n${content}`).join("\n\n");
  return `<analysis>\n${subject.length} messages, ${user.length} from the user.\n</analysis>\n<summary>\n${body}\n</summary>`;
}

function spokenBy(blocks, role) {
  return blocks
    .filter(
      (block) => block.role === role && block.type === "text" && !/^\s*<system-reminder>/.test(block.text),
    )
    .map((block) => block.text);
}

/** User lines of a conversation that is quoted inside one message. */
function spokenIn(transcript) {
  const lines = [...transcript.matchAll(SPOKEN)].map(([, line]) => line);
  return lines.length > 0 ? lines : [transcript];
}

function list(items) {
  if (items.length === 0) return "   - none";
  return items
    .map((item) => `   - ${item.slice(0, QUOTE).replaceAll(/\s+/g, " ")}`.toWellFormed())
    .join("\n");
}
