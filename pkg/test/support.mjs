// Helpers of the tests in this folder.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

export const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const CORPUS = fileURLToPath(new URL('../../../shared/corpus/transcripts/claude-code', import.meta.url));

/** Every session file of the corpus; none where it is not there. */
export const corpus = existsSync(CORPUS)
    ? readdirSync(CORPUS, { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.jsonl'))
          .sort()
          .map((name) => ({ name, path: join(CORPUS, name) }))
    : [];

/** Runs the command line; `input` goes to its standard input, as pieces or as one. */
export function palimpsest(args, { input, env } = {}) {
    return new Promise((resolve) => {
        const options = { maxBuffer: 1 << 28, encoding: 'utf8', env: { ...process.env, ...env } };
        const child = execFile(process.execPath, [CLI, ...args], options, (error, stdout, stderr) => {
            resolve({ code: error ? error.code : 0, stdout, stderr });
        });
        child.stdin.on('error', () => {});
        child.stdin.end(input ?? '');
    });
}

/** A folder that goes when the test file ends, and a function that puts a file into it. */
export function scratch() {
    const folder = mkdtempSync(join(tmpdir(), 'palimpsest-'));
    after(() => rmSync(folder, { recursive: true }));
    return {
        folder,
        file(name, content) {
            const path = join(folder, name);
            writeFileSync(path, content);
            return path;
        },
    };
}

/** A record of a session. */
export function record(type, uuid, parentUuid, message, more = {}) {
    return JSON.stringify({ type, uuid, parentUuid, sessionId: 's-1', message, ...more });
}

/** A small session: a request, two reads of one file, an answer. */
export function session() {
    const usage = { input_tokens: 900, cache_read_input_tokens: 100, output_tokens: 20 };
    const response = (id, ...content) => ({ id, role: 'assistant', model: 'm-1', content, usage });
    const read = (id) => ({ type: 'tool_use', id, name: 'Read', input: { file_path: 'src/a.ts' } });
    const result = (id, content) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] });
    return [
        record('user', 'u1', null, { role: 'user', content: 'What is in a.ts? 你好' }),
        record('assistant', 'a1', 'u1', response('r1', read('c1'))),
        record('user', 'u2', 'a1', result('c1', 'const word = 1;\n'.repeat(200))),
        record('assistant', 'a2', 'u2', response('r2', read('c2'))),
        record('user', 'u3', 'a2', result('c2', 'const word = 2;\n'.repeat(20))),
        record('assistant', 'a3', 'u3', response('r3', { type: 'text', text: 'Words.' })),
    ];
}
