/**
 * Starting the wasm engine, once.
 *
 *   browser:  await init()  ──fetch──▶ palimpsest_bg.wasm beside this file
 *   Node:     at first use  ──read───▶ the same file
 *
 * Nothing is loaded when a module is imported.
 */

import start, { initSync, type ErrorCode, type InitInput, type PalimpsestError } from './wasm/palimpsest.js';

type Bytes = Uint8Array<ArrayBuffer>;

let started = false;
let starting: Promise<void> | undefined;
let readFile: (() => Bytes) | undefined;

/** Tells how the wasm file is read without waiting, where a platform can. */
export function provide(read: () => Bytes): void {
    readFile = read;
}

/**
 * Starts the engine. In Node this is not needed; in a browser everything else waits for it. Calling it again costs
 * nothing.
 *
 * @param source the wasm file's address, bytes or response; by default the file that comes with the package
 */
export function init(source?: InitInput | Promise<InitInput>): Promise<void> {
    starting ??= (async () => {
        if (started) return;
        if (source === undefined && readFile) ready();
        else await start(source === undefined ? undefined : { module_or_path: source });
        started = true;
    })().catch((reason: unknown) => {
        starting = undefined;
        throw reason;
    });
    return starting;
}

/** Makes sure that the engine runs, or says what to do. */
export function ready(): void {
    if (started) return;
    if (!readFile) throw failure('not-initialised', 'the engine has not started; call `await init()` first');
    initSync({ module: readFile() });
    started = true;
}

/** An error as the engine makes them: a message for people, a code for programs. */
export function failure(code: ErrorCode, message: string): PalimpsestError {
    return Object.assign(new Error(message), { name: 'PalimpsestError', code });
}
