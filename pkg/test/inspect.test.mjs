// Session files through the API: at once, in pieces, and everything that is no session.
import assert from 'node:assert/strict';
import { createReadStream, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { Inspector, inspect, inspectStream } from 'palimpsest';

import { corpus, session } from './support.mjs';

const bytes = (text) => new TextEncoder().encode(text);
const file = bytes(session().join('\n') + '\n');

test('adds up a session', () => {
    const found = inspect(file);
    assert.equal(found.sessionId, 's-1');
    assert.equal(found.model, 'm-1');
    assert.equal(found.title, null);
    assert.deepEqual(found.file.lines, { record: 6, joined: 0, blank: 0, unreadable: 0 });
    assert.deepEqual(found.file.recordTypes, { assistant: 3, user: 3 });
    assert.deepEqual(found.history.messages, { user: 1, assistant: 3, requests: 1, summaries: 0 });
    assert.deepEqual(found.history.repeated.map(({ path, times }) => [path, times]), [['src/a.ts', 2]]);
    assert.equal(found.history.largest[0].line, 3);
    const sum = Object.values(found.view.ledger).reduce((a, b) => a + b, 0);
    assert.equal(sum, found.view.total);
    assert.equal(found.window.gauge.used, found.window.total + found.window.unseen);
    assert.equal(found.lifetime.requests, 3);
    assert.deepEqual(found.diagnostics, []);
});

test('options set the window and the lines in it', () => {
    const assumed = inspect(file);
    assert.deepEqual([assumed.windowAssumed, assumed.window.window], [true, 200_000]);
    const given = inspect(file, { window: 1_000_000, policy: 'claude-code-2.1.87' });
    assert.deepEqual([given.windowAssumed, given.window.window, given.policy], [false, 1_000_000, 'claude-code-2.1.87']);
    assert.equal(given.window.thresholds.auto, 987_000);
    assert.equal(inspect(file, { window: 0 }).window.thresholds, null, 'an unknown window has no lines');
});

test('pieces of any size give what the whole gives', async () => {
    for (const size of [1, 7, 1_000]) {
        const seen = [];
        const pieces = (async function* () {
            for (let at = 0; at < file.length; at += size) yield file.subarray(at, at + size);
        })();
        const found = await inspectStream(pieces, { onProgress: ({ bytes }) => seen.push(bytes) });
        assert.deepEqual(found, inspect(file));
        assert.equal(seen.at(-1), file.length);
        assert.ok(seen.every((bytes, at) => at === 0 || bytes > seen[at - 1]));
    }
    assert.deepEqual(await inspectStream(new Blob([file]).stream()), inspect(file), 'a web stream, too');
});

test('a signal stops reading', async () => {
    const controller = new AbortController();
    const endless = (async function* () {
        for (;;) yield file;
    })();
    const reading = inspectStream(endless, { signal: controller.signal, onProgress: () => controller.abort() });
    await assert.rejects(reading, { name: 'AbortError' });
});

test('an inspector is used up by its end, and says so instead of ending the engine', () => {
    const inspector = new Inspector();
    inspector.push(file);
    assert.equal(inspector.records, 6);
    inspector.finish();
    assert.throws(() => inspector.push(file));
    assert.equal(inspect(file).file.records, 6, 'the engine still works');
});

const BAD = [
    ['nothing at all', '', 'empty-file', /the file is empty/],
    ['blank lines', '\n \n\t\n', 'empty-file', /the file is empty/],
    ['prose', '# Title\n\nSome words.\n', 'not-a-session', /not a session file: none of its 3 lines/],
    ['one JSON array', '[1,2,3]', 'not-a-session', /not a session file/],
    ['JSON of something else', '{"name":"x","version":"1.0.0"}\n', 'not-a-session', /no record with a `type`/],
    ['binary', new Uint8Array(4096).map((_, at) => (at * 37) % 256), 'not-a-session', /not a session file/],
    ['UTF-16', Buffer.from('{"type":"user"}', 'utf16le'), 'not-a-session', /not a session file/],
];
for (const [name, content, code, message] of BAD) {
    test(`says what is wrong with ${name}`, () => {
        const input = typeof content === 'string' ? bytes(content) : content;
        assert.throws(() => inspect(input), { name: 'PalimpsestError', code, message });
    });
}

test('a torn last line, invalid UTF-8 and a joined line lose nothing else', () => {
    const lines = session();
    const torn = bytes(lines.join('\n').slice(0, -40));
    const found = inspect(torn);
    assert.equal(found.file.records, 5);
    assert.deepEqual(found.diagnostics.map(({ kind, line }) => [kind, line]).at(-1), ['torn-tail', 6]);

    const invalid = bytes(`${lines.slice(0, 3).join('\n')}\n{"type":"user",XX\n${lines.slice(3).join('\n')}\n`);
    invalid.set([0xff, 0xfe], invalid.indexOf('X'.charCodeAt(0)));
    assert.deepEqual(inspect(invalid).file.lines, { record: 6, joined: 0, blank: 0, unreadable: 1 });
    assert.equal(inspect(invalid).diagnostics[0].line, 4);

    const joined = bytes(`${lines[0]}${lines[1]}\n${lines.slice(2).join('\n')}\n`);
    assert.deepEqual(inspect(joined).file.lines, { record: 4, joined: 1, blank: 0, unreadable: 0 });
    assert.equal(inspect(joined).file.records, 6);
});

test('bad options name themselves', () => {
    assert.throws(() => inspect(file, { window: -1 }), { code: 'bad-argument', message: /window must be a whole number/ });
    assert.throws(() => inspect(file, { window: 0.5 }), { code: 'bad-argument' });
    assert.throws(() => inspect(file, { window: NaN }), { code: 'bad-argument' });
    assert.throws(() => inspect(file, { windw: 1 }), { code: 'bad-argument', message: /windw/ });
    assert.throws(() => inspect(file, { policy: 'nobody' }), { code: 'unknown-policy', message: /palimpsest, claude-code/ });
    assert.throws(() => inspect(file, { policy: { windw: 1 } }), { code: 'bad-policy', message: /windw/ });
});

test('every file of the corpus, read in pieces', { skip: corpus.length === 0 && 'the corpus is not here' }, async () => {
    for (const { name, path } of corpus) {
        const found = await inspectStream(createReadStream(path, { highWaterMark: 10_007 }));
        assert.deepEqual(found, inspect(readFileSync(path)), name);
        for (const account of [found.view, found.history]) {
            assert.equal(Object.values(account.ledger).reduce((a, b) => a + b, 0), account.total, name);
        }
        const { used, reserve, free, over, window } = found.window.gauge;
        assert.equal(used + reserve + free, window + over, name);
    }
});

// The whole 100 MB take half a minute, most of it for making them up.
const large = process.env.PALIMPSEST_LONG ? 100_000_000 : 10_000_000;
test(`${large / 1e6} MB in pieces`, async () => {
    const text = session().join('\n') + '\n';
    const numbered = (at) => bytes(text.replace(/"(uuid|parentUuid)":"(\w+)"/g, `"$1":"$2-${at}"`).replace(/"([cr]\d)"/g, `"$1-${at}"`));
    const times = Math.ceil(large / bytes(text).length);
    const found = await inspectStream(
        (async function* () {
            for (let at = 0; at < times; at += 1) yield numbered(at);
        })(),
    );
    assert.ok(found.file.bytes >= large);
    assert.deepEqual([found.file.records, found.file.lineCount], [6 * times, 6 * times]);
    assert.equal(found.lifetime.requests, 3 * times);
});

test('Windows line breaks are line breaks', () => {
    assert.equal(inspect(bytes(session().join('\r\n'))).file.records, 6);
});
