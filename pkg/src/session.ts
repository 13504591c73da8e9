/** Sessions: a new one, or one that goes on where its transcript ended. */

import { ready } from './engine.js';
import type { Store } from './store.js';
import { Session, type SessionConfig } from './wasm/palimpsest.js';

/** What a tool gives back. */
export interface ToolOutput {
    /** What the model reads. */
    text: string;
    /** Whether the tool failed. */
    isError?: boolean;
}

/** What a tool may look at while it runs. */
export interface ToolContext {
    /** The call's id. */
    call: string;
    /** Aborted when the result is no longer wanted. */
    signal: AbortSignal;
}

/** A tool that the host runs. */
export interface Tool {
    /** Its name, as the model calls it. */
    name: string;
    /** What it does, for the model. */
    description: string;
    /** The JSON schema of its input. */
    inputSchema: object;
    /** It changes nothing. */
    readOnly?: boolean;
    /** It may run beside others of its round. */
    concurrent?: boolean;
    /** Runs it. Whatever it throws becomes an error result. */
    run(input: any, context: ToolContext): string | ToolOutput | Promise<string | ToolOutput>;
}

/** What a session starts with. */
export interface SessionOptions extends Omit<SessionConfig, 'tools' | 'sessionId'> {
    /** The session's id; a new one when it is not given. */
    sessionId?: string;
    /** The tools that the model is told of. */
    tools?: readonly Tool[];
    /** Where a transcript of that id may already be. */
    store?: Store;
}

/** A session with its id. */
export interface OpenSession {
    /** The engine's session. */
    session: Session;
    /** Its id in a store. */
    sessionId: string;
    /** True when it goes on where a transcript ended. */
    resumed: boolean;
}

/** Opens a session: the one that the store has under this id, else a new one. */
export async function openSession(options: SessionOptions): Promise<OpenSession> {
    ready();
    const { store, tools = [], sessionId = crypto.randomUUID(), ...rest } = options;
    const config: SessionConfig = {
        ...rest,
        sessionId,
        tools: tools.map(({ name, description, inputSchema, readOnly = false, concurrent = false }) => ({
            name,
            description,
            inputSchema: JSON.stringify(inputSchema),
            readOnly,
            concurrent,
        })),
    };
    const transcript = await store?.read(sessionId);
    if (!transcript?.length) return { session: new Session(config), sessionId, resumed: false };
    return { session: Session.resume(config, transcript, Date.now()), sessionId, resumed: true };
}
