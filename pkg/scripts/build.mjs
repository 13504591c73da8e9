// TypeScript and the files of wasm-bindgen become the package.
//
//   src/*.ts ──tsc──▶ dist/*.js, *.d.ts        wasm/* (wasm-bindgen, wasm-opt) ──copy──▶ dist/wasm/*
//
// `cargo xtask build` makes wasm/ first and then runs this.

import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const at = (...parts) => join(root, ...parts);

if (!existsSync(at('wasm', 'palimpsest_bg.wasm'))) {
    console.error('pkg/wasm is missing: run `cargo xtask build`, which makes it and then runs this script.');
    process.exit(1);
}
rmSync(at('dist'), { recursive: true, force: true });
const tsc = spawnSync(process.execPath, [at('node_modules', 'typescript', 'bin', 'tsc'), '-p', root], { stdio: 'inherit' });
if (tsc.status !== 0) process.exit(tsc.status ?? 1);
cpSync(at('wasm'), at('dist', 'wasm'), { recursive: true });
chmodSync(at('dist', 'cli.js'), 0o755);
for (const licence of ['LICENSE-MIT', 'LICENSE-APACHE']) {
    if (existsSync(at('..', licence))) copyFileSync(at('..', licence), at(licence));
}
