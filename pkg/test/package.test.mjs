// The package as it is published: its files, its types, its entries.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => join(root, ...parts);
const manifest = JSON.parse(readFileSync(at('package.json'), 'utf8'));

test('the tarball holds what its exports name, the licences, and nothing else', () => {
    const [packed] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' }));
    const files = packed.files.map(({ path }) => path);
    const named = JSON.stringify(manifest.exports).match(/\.\/[^"]+/g).filter((path) => path.startsWith('./dist')).map((path) => path.slice(2));
    for (const path of [...named, manifest.bin.palimpsest, 'README.md', 'LICENSE-MIT', 'LICENSE-APACHE', 'package.json']) {
        assert.ok(files.includes(path), path);
    }
    assert.deepEqual(files.filter((path) => !/^(dist\/|README\.md|LICENSE-|package\.json)/.test(path)), []);
    assert.ok(files.every((path) => !/\.(rs|ts)$/.test(path) || path.endsWith('.d.ts')));
});

test('the lock file names no server', () => {
    const lock = readFileSync(at('package-lock.json'), 'utf8');
    assert.ok(!lock.includes('"resolved"'));
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
        assert.match(version, /^\d+\.\d+\.\d+$/, `${name} is pinned`);
    }
});

test('the types serve a user of the package', () => {
    const tsc = spawnSync(process.execPath, [at('node_modules/typescript/bin/tsc'), '-p', at('test/types')], { encoding: 'utf8' });
    assert.equal(tsc.status, 0, tsc.stdout);
});

test('the browser entry reaches nothing of Node and no package', () => {
    const seen = new Set();
    const visit = (file) => {
        if (seen.has(file)) return;
        seen.add(file);
        const text = readFileSync(file, 'utf8');
        for (const [, from] of text.matchAll(/(?:import|export)\s(?:[^;]*?\sfrom\s)?['"]([^'"]+)['"]/g)) {
            assert.match(from, /^\.\.?\//, `${file} imports ${from}`);
            visit(join(dirname(file), from));
        }
    };
    visit(at('dist/index.js'));
    assert.ok(seen.has(at('dist/wasm/palimpsest.js')) && seen.size > 8);
});

test('importing loads nothing, and the browser entry says how to start', () => {
    const script = `
        globalThis.fetch = () => { throw new Error('network at import'); };
        const before = process.memoryUsage().arrayBuffers;
        const browser = await import(${JSON.stringify(at('dist/index.js'))});
        try { browser.countTokens('x'); } catch (reason) { console.log(reason.code, reason.message); }
        await browser.init(await import('node:fs').then(({ readFileSync }) => readFileSync(${JSON.stringify(at('dist/wasm/palimpsest_bg.wasm'))})));
        await browser.init();
        console.log(browser.countTokens('Hello') > 0);`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
    assert.deepEqual(stdout.trim().split('\n'), ['not-initialised the engine has not started; call `await init()` first', 'true'], stderr);
});

test('the wasm file keeps to its size', () => {
    const size = gzipSync(readFileSync(at('dist/wasm/palimpsest_bg.wasm')), { level: 9 }).length;
    assert.ok(size <= 250_000, `${size} bytes gzipped, of 250,000 allowed`);
});
