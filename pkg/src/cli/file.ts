/** Reading a session file in pieces, with progress where somebody watches. */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

import { inspectStream } from '../inspect.js';
import type { Inspection, InspectOptions, PalimpsestError } from '../wasm/palimpsest.js';
import { bytes, percent } from './format.js';

/** Something is wrong with the file; the message names it. */
export class FileError extends Error {}

/** Pieces of this size keep the progress lively and memory low. */
const PIECE = 4 << 20;
/** Files above this size show progress, in bytes. */
const LARGE = 16 << 20;

/** Adds up the file under `path`, or standard input for `-`. */
export async function inspectFile(path: string, options: InspectOptions): Promise<Inspection> {
    const name = path === '-' ? '(standard input)' : path;
    try {
        const size = path === '-' ? undefined : await sizeOf(path);
        const source = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: PIECE });
        return await inspectStream(source, { ...options, ...progress(size) });
    } catch (reason) {
        throw new FileError(`${name}: ${told(reason)}`);
    }
}

async function sizeOf(path: string): Promise<number> {
    const found = await stat(path);
    if (found.isDirectory()) throw new Error('this is a folder; name one session file (.jsonl) in it');
    return found.size;
}

/** Draws progress on a terminal for a large file, and wipes it at the end. */
function progress(size: number | undefined): Pick<Parameters<typeof inspectStream>[1] & object, 'onProgress'> {
    if (!process.stderr.isTTY || size === undefined || size < LARGE) return {};
    return {
        onProgress: ({ bytes: read, records }) => {
            const line = `reading ${percent(read, size)} of ${bytes(size)}, ${records} records`;
            process.stderr.write(read < size ? `\r\x1b[2K${line}` : '\r\x1b[2K');
        },
    };
}

function told(reason: unknown): string {
    const { code, message } = reason as NodeJS.ErrnoException & PalimpsestError;
    switch (code as string | undefined) {
        case 'ENOENT':
            return 'no such file';
        case 'EACCES':
        case 'EPERM':
            return 'it may not be read; check its permissions';
        default:
            return message ?? String(reason);
    }
}
