/** Session files: what fills the window, and since when. */

import { ready } from './engine.js';
import * as wasm from './wasm/palimpsest.js';
import type { Inspection, InspectOptions } from './wasm/palimpsest.js';

/** How a stream is to be inspected. */
export interface StreamOptions extends InspectOptions {
    /** Called after every piece with what was taken in so far. */
    onProgress?: (progress: { bytes: number; records: number }) => void;
    /** Stops reading. */
    signal?: AbortSignal;
}

/** Adds up a session file given as one piece. */
export function inspect(bytes: Uint8Array, options?: InspectOptions): Inspection {
    ready();
    return wasm.inspect(bytes, options);
}

/** Adds up a session file as it is read: `fs.createReadStream(path)`, `file.stream()`, `response.body`. */
export async function inspectStream(
    source: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
    { onProgress, signal, ...options }: StreamOptions = {},
): Promise<Inspection> {
    ready();
    const inspector = new wasm.Inspector(options);
    try {
        for await (const piece of pieces(source)) {
            signal?.throwIfAborted();
            inspector.push(piece);
            onProgress?.({ bytes: inspector.bytes, records: inspector.records });
        }
    } catch (reason) {
        inspector.free();
        throw reason;
    }
    return inspector.finish();
}

/** A stream's pieces, also where streams cannot be iterated (Safari). */
async function* pieces(source: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    if (Symbol.asyncIterator in source) {
        yield* source;
        return;
    }
    const reader = (source as ReadableStream<Uint8Array>).getReader();
    try {
        for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
    } finally {
        await reader.cancel();
    }
}
