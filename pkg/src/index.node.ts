/** The same in Node, where the wasm file is read at first use. */

import { readFileSync } from 'node:fs';

import { provide } from './engine.js';

provide(() => new Uint8Array(readFileSync(new URL('./wasm/palimpsest_bg.wasm', import.meta.url))));

export * from './index.js';
