/** Sessions as files, in the layout that Claude Code's tools know. */

import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { safeId, safeParts, type Store } from '../store.js';

/**
 * Keeps sessions below a folder: `{session}.jsonl` and `{session}/tool-results/…`. A record is on the disk before
 * the engine goes on.
 */
export function fileStore(folder: string): Store {
    const transcript = (sessionId: string) => join(folder, `${safeId(sessionId)}.jsonl`);
    return {
        async read(sessionId) {
            try {
                return await readFile(transcript(sessionId));
            } catch (reason) {
                if ((reason as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
                throw reason;
            }
        },
        async append(sessionId, lines) {
            await mkdir(folder, { recursive: true });
            await appendFile(transcript(sessionId), lines, { flush: true });
        },
        async write(sessionId, path, text) {
            const file = join(folder, safeId(sessionId), ...safeParts(path));
            await mkdir(dirname(file), { recursive: true });
            await writeFile(file, text, { flush: true });
        },
    };
}
