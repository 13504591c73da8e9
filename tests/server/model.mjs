// The model behind the server: no intelligence, only rules that a test can foresee.
//
//   last user text            reply
//   use read {"path":"a"}     calls `read`; several such lines are parallel calls
//   then                      what follows is called in the next round
//   think                     a thinking block leads every reply of the turn
//   write 300 words           that much text
//   stop max_tokens           ends with that stop reason
//   (asks for a <summary>)    a summary in nine sections of the messages that are there
//   (results of calls)        quotes the first 60 characters of each
//   (anything else)           quotes the first 200 characters of the text
//
// A conversation is { system, tools: [name], thinking, messages: [{ role, blocks }] }; a reply is { blocks, stop? }.
import { asksForSummary, summarise } from "./summary.mjs";

const QUOTE = 60;
const USE = /^use (\S+)(?:\s+(\{.*\}))?\s*$/;
const REMINDER = /^\s*<system-reminder>/;

/** A model with the default behaviours. It remembers in which round of a turn it made which call. */
export function createModel() {
  const rounds = new Map(); // call id → number of its round in its turn
  return {
    /** The reply to a conversation. */
    reply(conversation) {
      const live = liveRequest(conversation.messages);
      if (asksForSummary(conversation.system, live.text))
        return { blocks: [text(summarise(conversation.messages))] };
      const plan = parseDirectives(live.text);
      const round = nextRound(conversation.messages.slice(live.at + 1), rounds);
      const wanted = plan.rounds[round] ?? [];
      const known = wanted.filter((call) => conversation.tools.includes(call.name));
      const unknown = wanted.filter((call) => !conversation.tools.includes(call.name));
      const blocks = [...thoughts(conversation.thinking, plan, round, known.length)];
      if (unknown.length > 0)
        blocks.push(text(`There is no tool ${unknown.map((call) => call.name).join(", ")}.`));
      blocks.push(...known.map((call) => ({ type: "tool_use", ...call })));
      if (wanted.length === 0) blocks.push(text(answer(conversation.messages, live.text, plan)));
      const isContinued = conversation.messages.at(-1)?.role === "assistant";
      return { blocks, stop: known.length > 0 || isContinued ? undefined : plan.stop, round };
    },
    /** Remembers the calls of a finished reply. */
    remember(reply) {
      for (const block of reply.blocks)
        if (block.type === "tool_use") rounds.set(bareId(block.id), reply.round ?? 0);
    },
  };
}

const text = (value) => ({ type: "text", text: value });
const bareId = (id) => id.replace(/^(?:toolu|call)_/, "");

/** The last text that a user wrote, reminders aside, and the index of its message. */
export function liveRequest(messages) {
  for (let at = messages.length - 1; at >= 0; at--) {
    if (messages[at].role !== "user") continue;
    const spoken = messages[at].blocks.findLast(
      (block) => block.type === "text" && !REMINDER.test(block.text),
    );
    if (spoken) return { at, text: spoken.text };
  }
  return { at: messages.length - 1, text: "" };
}

function parseDirectives(request) {
  const plan = { rounds: [[]], think: false, words: 0, stop: undefined };
  for (const line of request.split("\n").map((each) => each.trim())) {
    const use = USE.exec(line);
    const input = use && parseInput(use[2] ?? "{}");
    if (input) plan.rounds.at(-1).push({ name: use[1], input });
    else if (line === "then") plan.rounds.push([]);
    else if (line === "think") plan.think = true;
    else if (/^write \d+ words$/.test(line)) plan.words = Number(line.split(" ")[1]);
    else if (/^stop [a-z_]+$/.test(line)) plan.stop = line.split(" ")[1];
  }
  return plan;
}

function parseInput(json) {
  try {
    return JSON.parse(json);
  } catch {
    return null; // not a directive, only text that looks like one
  }
}

// The newest call that is still in view tells the round, so that a compaction of earlier rounds restarts nothing.
function nextRound(sinceRequest, rounds) {
  const calls = sinceRequest.flatMap(({ blocks }) => blocks).filter((block) => block.type === "tool_use");
  const known = calls.map((call) => rounds.get(bareId(call.id))).filter((round) => round !== undefined);
  if (known.length > 0) return Math.max(...known) + 1;
  return sinceRequest.filter(({ blocks }) => blocks.some((block) => block.type === "tool_use")).length;
}

function* thoughts(mode, plan, round, calls) {
  if (mode === "disabled") return;
  // With thinking "enabled" a turn always opens with it, since the API asks for it back at that place.
  if (plan.think || (mode === "enabled" && round === 0)) {
    yield {
      type: "thinking",
      thinking: `Round ${round + 1}: ${calls} call${calls === 1 ? "" : "s"} to make.`,
    };
  }
}

function answer(messages, request, plan) {
  if (plan.words > 0) return Array.from({ length: plan.words }, (_, nth) => `word${nth + 1}`).join(" ");
  const results = (messages.at(-1)?.blocks ?? []).filter((block) => block.type === "tool_result");
  if (results.length === 0) return `You wrote: ${request.slice(0, 200) || "(nothing)"}`.toWellFormed();
  const calls = messages.flatMap(({ blocks }) => blocks).filter((block) => block.type === "tool_use");
  const names = new Map(calls.map((call) => [call.id, call.name]));
  return results
    .map(({ id, text: result, isError }) =>
      `${names.get(id)}${isError ? " failed" : ""}: ${result.slice(0, QUOTE)}`.toWellFormed(),
    )
    .join("\n");
}
