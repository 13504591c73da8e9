/**
 * Palimpsest: a context engine for LLM agents.
 *
 * In a browser call `await init()` first; in Node everything is ready at first use.
 */

export { run, type Host, type RunEvent } from './agent.js';
export { init } from './engine.js';
export { inspect, inspectStream, type StreamOptions } from './inspect.js';
export { NoAnswerError, answer, type Model, type ModelCall } from './model.js';
export { anthropic, openai, type HttpOptions } from './models/http.js';
export { countTokens, policies, policy, validatePolicy } from './policy.js';
export {
    openSession,
    type OpenSession,
    type SessionOptions,
    type Tool,
    type ToolContext,
    type ToolOutput,
} from './session.js';
export { memoryStore, type MemoryStore, type Store } from './store.js';
export { Inspector, Session } from './wasm/palimpsest.js';
export type * from './wasm/palimpsest.js';
