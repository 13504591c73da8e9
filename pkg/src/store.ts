/**
 * Where sessions are kept. Three verbs are enough, since a transcript is only ever appended to.
 *
 *   {session}.jsonl                          append, read
 *   {session}/tool-results/{tool}-{id}.txt   write
 */

import { failure } from './engine.js';

/** A place for transcripts and artifacts. A promise that resolves means: it is kept. */
export interface Store {
    /** The whole transcript of a session, or nothing when there is none. */
    read(sessionId: string): Promise<Uint8Array | undefined>;
    /** Appends whole lines to a transcript. Calls come one after another. */
    append(sessionId: string, lines: string): Promise<void>;
    /** Keeps a text under a path below the session's folder. */
    write(sessionId: string, path: string, text: string): Promise<void>;
}

/** A store that lives as long as the program. */
export interface MemoryStore extends Store {
    /** Transcripts by session. */
    readonly transcripts: ReadonlyMap<string, string>;
    /** Artifacts by `{session}/{path}`. */
    readonly artifacts: ReadonlyMap<string, string>;
}

/** Keeps sessions in memory: for tests, and where nothing shall be kept. */
export function memoryStore(): MemoryStore {
    const transcripts = new Map<string, string>();
    const artifacts = new Map<string, string>();
    return {
        transcripts,
        artifacts,
        async read(sessionId) {
            const lines = transcripts.get(sessionId);
            return lines === undefined ? undefined : new TextEncoder().encode(lines);
        },
        async append(sessionId, lines) {
            transcripts.set(sessionId, (transcripts.get(sessionId) ?? '') + lines);
        },
        async write(sessionId, path, text) {
            artifacts.set(`${sessionId}/${path}`, text);
        },
    };
}

/** A session's id as the name of a file or folder. */
export function safeId(sessionId: string): string {
    if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(sessionId)) return sessionId;
    throw failure('bad-argument', `session id ${JSON.stringify(sessionId)}: use letters, digits, ".", "_" or "-"`);
}

/** The parts of a path that stays below its folder. */
export function safeParts(path: string): string[] {
    const parts = path.split('/');
    if (parts.every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\:\0]/.test(part))) return parts;
    throw failure('bad-argument', `path ${JSON.stringify(path)} does not stay below the session's folder`);
}
