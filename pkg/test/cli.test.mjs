// The command line: every real session file, and everything that is none.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { corpus, palimpsest, scratch, session } from './support.mjs';

const { folder, file } = scratch();
const good = file('good.jsonl', session().join('\n') + '\n');

/** Physical lines, counted without the product: breaks, and a rest that has none. */
function countLines(bytes) {
    const breaks = bytes.reduce((sum, byte) => sum + (byte === 10 ? 1 : 0), 0);
    return breaks + (bytes.length > 0 && bytes.at(-1) !== 10 ? 1 : 0);
}

test('every file of the corpus', { skip: corpus.length === 0 && 'the corpus is not here' }, async (t) => {
    assert.ok(corpus.length > 20);
    for (const { name, path } of corpus) {
        await t.test(name, async () => {
            const bytes = readFileSync(path);
            const json = await palimpsest(['inspect', path, '--json']);
            assert.equal(json.code, 0, json.stderr);
            const { file: facts, window } = JSON.parse(json.stdout);
            assert.equal(facts.bytes, bytes.length);
            assert.equal(facts.lineCount, countLines(bytes));
            const { record, joined, blank, unreadable } = facts.lines;
            assert.equal(record + joined + blank + unreadable, facts.lineCount, 'every line has one class');
            assert.ok(window.gauge.used >= 0);
            const text = await palimpsest(['inspect', path]);
            assert.equal(text.code, 0, text.stderr);
            assert.match(text.stdout, /Tokens, estimated/);
            assert.doesNotMatch(text.stdout, /\x1b|undefined|NaN|\[object/);
        });
    }
});

test('the report names what ate the window first', async () => {
    const { stdout, stderr, code } = await palimpsest(['inspect', good]);
    assert.equal(code, 0);
    assert.equal(stderr, '');
    const lines = stdout.split('\n');
    const at = (pattern) => lines.findIndex((line) => pattern.test(line));
    assert.ok(at(/Tool results fill the most/) < at(/Tokens, estimated/));
    assert.match(stdout, /The largest item: Read src\/a\.ts, about .* tokens, line 3, turn 1\./);
    assert.ok(at(/User messages/) < at(/Tool results  /) && at(/Tool results  /) < at(/Free space/), 'the order of /context');
    assert.match(stdout, /2×  src\/a\.ts/);
});

test('JSON is the API’s own answer, with stable keys', async () => {
    const { stdout } = await palimpsest(['inspect', good, '--json', '--window', '1M', '--policy', 'codex']);
    const found = JSON.parse(stdout);
    assert.deepEqual(Object.keys(found).sort(), [
        'boundaries', 'diagnostics', 'file', 'history', 'lifetime', 'model', 'moreDiagnostics', 'policy',
        'reported', 'sessionId', 'title', 'view', 'window', 'windowAssumed',
    ]);
    assert.deepEqual(Object.keys(found.view).sort(), ['largest', 'ledger', 'messages', 'repeated', 'tools', 'total', 'turns']);
    assert.equal(found.window.window, 1_000_000);
    assert.equal(found.policy, 'codex');
    const { window, policy } = JSON.parse((await palimpsest(['inspect', good, '--json', '--window=128k'])).stdout);
    assert.deepEqual([window.window, policy], [128_000, 'palimpsest']);
});

test('reads standard input', async () => {
    const piped = await palimpsest(['inspect', '-', '--json'], { input: readFileSync(good) });
    const { stdout } = await palimpsest(['inspect', good, '--json']);
    assert.equal(piped.code, 0);
    assert.equal(piped.stdout, stdout);
});

test('colours only where they are seen or asked for', async () => {
    assert.doesNotMatch((await palimpsest(['inspect', good])).stdout, /\x1b/);
});

const BAD = [
    ['an empty file', file('empty.jsonl', ''), /empty\.jsonl: the file is empty/],
    ['a binary file', file('noise.bin', Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 131) % 256))), /noise\.bin: not a session file/],
    ['prose', file('notes.md', '# Notes\n\nWords.\n'), /notes\.md: not a session file: none of its 3 lines .*line 1/],
    ['another JSON file', file('package.json', '{"name":"x"}\n'), /package\.json: not a session file/],
    ['only half a record', file('half.jsonl', '{"type":"user","uuid":"u1","mess'), /half\.jsonl: not a session file/],
    ['a missing file', join(folder, 'nowhere.jsonl'), /nowhere\.jsonl: no such file/],
    ['a folder', folder, /: this is a folder; name one session file/],
];
mkdirSync(join(folder, 'inner'));
for (const [name, path, message] of BAD) {
    test(`${name}: a message with its name, exit code 1`, async () => {
        for (const flags of [[], ['--json']]) {
            const { code, stdout, stderr } = await palimpsest(['inspect', path, ...flags]);
            assert.equal(code, 1);
            assert.equal(stdout, '');
            assert.match(stderr, message);
            assert.ok(stderr.startsWith('palimpsest: ') && stderr.trim().split('\n').length === 1, stderr);
        }
    });
}

test('bad standard input is named, too', async () => {
    const { code, stderr } = await palimpsest(['inspect', '-'], { input: '' });
    assert.equal(code, 1);
    assert.match(stderr, /\(standard input\): the file is empty/);
});

test('a damaged file opens, and says what was wrong where', async () => {
    const lines = session();
    const damaged = Buffer.from(`${lines[0]}\n\n\xff not a record\n${lines[1]}${lines[2]}\n${lines[3]}\n${lines[4].slice(0, 60)}`, 'latin1');
    const { code, stdout } = await palimpsest(['inspect', file('damaged.jsonl', damaged)]);
    assert.equal(code, 0);
    assert.match(stdout, /6 lines, 1 joined, 1 blank, 2 unreadable, 4 records/);
    for (const line of [3, 4, 6]) assert.match(stdout, new RegExp(`line ${line} `));
});

test('text from a file cannot steer the terminal', async () => {
    const evil = 'Look \u001b[2J\u001b]0;owned\u0007 \u202e here \u009b31m';
    const lines = session();
    lines[0] = JSON.stringify({ ...JSON.parse(lines[0]), message: { role: 'user', content: `${evil} ${'x '.repeat(400)}` } });
    lines.push(JSON.stringify({ type: 'summary', summary: evil, leafUuid: 'u1' }));
    const { code, stdout } = await palimpsest(['inspect', file('evil\u001b.jsonl', lines.join('\n'))]);
    assert.equal(code, 0);
    assert.match(stdout, /Look/);
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
});

for (const [args, message] of [
    [[], /Usage: palimpsest/],
    [['inspect'], /missing required argument 'file'/],
    [['inspct', good], /unknown command 'inspct'/],
    [['inspect', good, '--jsn'], /unknown option '--jsn'/],
    [['inspect', good, 'another'], /too many arguments/],
    [['inspect', good, '--window', 'big'], /Give a whole number of tokens/],
    [['inspect', good, '--window', '10'], /Give a whole number of tokens/],
    [['inspect', good, '--policy', 'nobody'], /There are: palimpsest, claude-code-2\.1\.87/],
]) {
    test(`wrong usage: palimpsest ${args.slice(0, 1).concat(args.slice(2)).join(' ')}`, async () => {
        const { code, stdout, stderr } = await palimpsest(args);
        assert.equal(code, 2);
        assert.equal(stdout, '');
        assert.match(stderr, message);
    });
}

test('help and version', async () => {
    const help = await palimpsest(['inspect', '--help']);
    assert.equal(help.code, 0);
    for (const word of ['--json', '--window', '--policy', 'Exit codes', 'standard input']) assert.ok(help.stdout.includes(word), word);
    assert.equal((await palimpsest(['--help'])).code, 0);
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    assert.equal((await palimpsest(['--version'])).stdout.trim(), version);
});
