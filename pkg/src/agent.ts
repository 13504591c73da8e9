/**
 * The driver: performs what the engine asks for and tells what happened.
 *
 *   prompt ─▶ Session ─▶ effects ─▶ model, tools, store ─▶ outcomes ─▶ Session ─▶ events ─▶ you
 */

import { failure } from './engine.js';
import { NoAnswerError, type Model } from './model.js';
import type { OpenSession, Tool, ToolOutput } from './session.js';
import type { Store } from './store.js';
import type { Effect, Event, Outcome } from './wasm/palimpsest.js';

/** What the host brings. */
export interface Host {
    /** The model. */
    model: Model;
    /** The tools, as the session was told of them. */
    tools?: readonly Tool[];
    /** Where records go. Without one the session lives in memory only. */
    store?: Store;
    /** Cancels the turn. */
    signal?: AbortSignal;
}

/** What happened: the engine's events, and the model's words. */
export type RunEvent = Event | { type: 'text'; text: string };

type Running = { done: Promise<void>; controller: AbortController };

const driven = new WeakSet<object>();

/**
 * Runs a turn. Without a prompt it performs what waits already: after `session.compact()`, or the repair of a resumed
 * transcript. Leaving the loop early cancels the turn; the session stays valid either way.
 *
 * @throws an error with code `busy` when the session is being run already; queue words with `session.prompt()` then
 */
export async function* run(open: OpenSession, prompt: string | undefined, host: Host): AsyncGenerator<RunEvent, void> {
    const { session } = open;
    host.signal?.throwIfAborted();
    if (driven.has(session)) throw failure('busy', 'this session is being run already');
    driven.add(session);
    const running = new Map<number, Running>();
    const start = startWith(open, host, running);
    let wake = () => {};
    const cancel = () => {
        session.cancel(Date.now());
        wake();
    };
    host.signal?.addEventListener('abort', cancel, { once: true });
    try {
        if (prompt !== undefined) session.prompt(prompt, Date.now());
        for (;;) {
            for (let effect = session.nextEffect(); effect; effect = session.nextEffect()) start(effect);
            const event = session.nextEvent();
            if (event) {
                // While somebody looks at an event, effects may finish: look again after each.
                yield event;
                if (event.type === 'replied' && event.purpose === 'turn' && session.words) {
                    yield { type: 'text', text: session.words };
                }
                continue;
            }
            if (running.size === 0) return;
            const woken = new Promise<void>((resolve) => (wake = resolve));
            await Promise.race([woken, ...[...running.values()].map(({ done }) => done)]);
        }
    } finally {
        host.signal?.removeEventListener('abort', cancel);
        await settle(session, start, running);
        driven.delete(session);
    }
}

/** Cancels what still runs and stores what is still to be stored. */
async function settle(session: OpenSession['session'], start: (effect: Effect) => void, running: Map<number, Running>) {
    if (!session.isIdle) session.cancel(Date.now());
    for (;;) {
        for (let effect = session.nextEffect(); effect; effect = session.nextEffect()) start(effect);
        while (session.nextEvent());
        if (running.size === 0) return;
        await Promise.race([...running.values()].map(({ done }) => done));
    }
}

/** A function that begins an effect and answers it when it is done. */
function startWith({ session, sessionId }: OpenSession, host: Host, running: Map<number, Running>) {
    const tools = new Map(host.tools?.map((tool) => [tool.name, tool]));
    let storing: Promise<unknown> = Promise.resolve();

    const store = (keep: () => Promise<void>): Promise<Outcome> => {
        // One after another, so that records stand in the file in the engine's order.
        const kept = storing.then(keep).then(
            (): Outcome => ({ type: 'stored' }),
            (reason: unknown): Outcome => ({ type: 'not-stored', message: words(reason) }),
        );
        storing = kept;
        return kept;
    };

    const perform = (effect: Exclude<Effect, { type: 'abort' }>, signal: AbortSignal): Promise<Outcome> => {
        switch (effect.type) {
            case 'call-model':
                return callModel(host.model, effect, (wire) => session.encodeRequest(effect.id, wire), signal);
            case 'run-tool':
                return runTool(tools.get(effect.name), effect, signal);
            case 'append':
                return store(async () => host.store?.append(sessionId, effect.lines));
            case 'write-artifact':
                return store(async () => host.store?.write(sessionId, effect.path, effect.text));
        }
    };

    return (effect: Effect): void => {
        if (effect.type === 'abort') {
            running.get(effect.id)?.controller.abort();
            running.delete(effect.id);
            return;
        }
        const controller = new AbortController();
        const done = perform(effect, controller.signal).then((outcome) => {
            // An aborted effect was taken out already, and nobody waits for its outcome.
            if (!running.delete(effect.id)) return;
            try {
                session.complete(effect.id, outcome, Date.now());
            } catch (reason) {
                // Something that is no outcome, from a model of the host's own.
                session.complete(effect.id, { type: 'no-answer', reason: 'other', message: words(reason) }, Date.now());
            }
        });
        running.set(effect.id, { done, controller });
    };
}

async function callModel(
    model: Model,
    { purpose, model: name, tokens }: Extract<Effect, { type: 'call-model' }>,
    encode: Parameters<Model>[0]['encode'],
    signal: AbortSignal,
): Promise<Outcome> {
    try {
        return { type: 'answer', answer: await model({ purpose, model: name, tokens, encode, signal }) };
    } catch (reason) {
        const why = signal.aborted ? 'aborted' : reason instanceof NoAnswerError ? reason.reason : 'other';
        return { type: 'no-answer', reason: why, message: words(reason) };
    }
}

async function runTool(
    tool: Tool | undefined,
    { call, name, input }: Extract<Effect, { type: 'run-tool' }>,
    signal: AbortSignal,
): Promise<Outcome> {
    if (!tool) return { type: 'tool', text: `No such tool: ${name}`, isError: true };
    try {
        const output: string | ToolOutput = await tool.run(JSON.parse(input), { call, signal });
        const { text, isError = false } = typeof output === 'string' ? { text: output } : output;
        return { type: 'tool', text: String(text), isError };
    } catch (reason) {
        return { type: 'tool', text: words(reason), isError: true };
    }
}

/** What was thrown, in words. */
function words(reason: unknown): string {
    return reason instanceof Error && reason.message ? reason.message : String(reason);
}
