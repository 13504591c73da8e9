// Models over HTTP: retries, cancelling, and the key that goes nowhere else.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, beforeEach, test } from 'node:test';

import { NoAnswerError, anthropic, memoryStore, openSession, openai, run } from 'palimpsest';

const KEY = 'sk-secret-0123456789';
const REPLY = JSON.stringify({
    id: 'm1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn',
    content: [{ type: 'text', text: 'Hello.' }], usage: { input_tokens: 10, output_tokens: 2 },
});
const OVERLOADED = JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });

let server;
let url;
let answers;
let seen;
before(async () => {
    server = createServer(async (request, response) => {
        let body = '';
        for await (const piece of request) body += piece;
        seen.push({ path: request.url, headers: request.headers, body });
        const answer = answers.shift() ?? { status: 200, body: REPLY };
        if (answer.hang) return;
        if (answer.close) return request.socket.destroy();
        response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(answer.body);
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${server.address().port}`;
});
beforeEach(() => {
    answers = [];
    seen = [];
});
after(() => {
    server.closeAllConnections();
    server.close();
});

const call = (model, signal = new AbortController().signal) =>
    model({ purpose: 'turn', model: 'm', tokens: 1, encode: () => '{}', signal });
const options = () => ({ baseUrl: url, apiKey: KEY, backoff: 5 });

test('each wire has its own path, headers and key', async () => {
    await call(anthropic(options()));
    await call(openai({ ...options(), baseUrl: `${url}/v1/`, headers: { 'x-team': 'blue' } }));
    const [first, second] = seen;
    assert.equal(first.path, '/v1/messages');
    assert.equal(first.headers['x-api-key'], KEY);
    assert.ok(first.headers['anthropic-version']);
    assert.equal(second.path, '/v1/chat/completions');
    assert.equal(second.headers.authorization, `Bearer ${KEY}`);
    assert.equal(second.headers['x-team'], 'blue');
    await call(openai({ baseUrl: url }));
    assert.equal(seen[2].headers.authorization, undefined, 'no key, no header');
});

test('what may succeed later is tried again, and no more often than asked', async () => {
    answers = [{ status: 529, body: OVERLOADED }, { close: true }, { status: 200, body: REPLY }];
    assert.equal((await call(anthropic(options()))).status, 200);
    assert.equal(seen.length, 3);
    answers = Array.from({ length: 9 }, () => ({ status: 529, body: OVERLOADED }));
    assert.equal((await call(anthropic({ ...options(), retries: 2 }))).status, 529);
    assert.equal(seen.length, 6);
});

test('what will not succeed is not tried again', async () => {
    for (const [status, type] of [[400, 'invalid_request_error'], [401, 'authentication_error'], [404, 'not_found_error']]) {
        seen = [];
        answers = [{ status, body: JSON.stringify({ type: 'error', error: { type, message: 'no' } }) }];
        assert.equal((await call(anthropic(options()))).status, status);
        assert.equal(seen.length, 1, type);
    }
});

test('retry-after is honoured', async () => {
    answers = [{ status: 429, headers: { 'retry-after': '0.3' }, body: JSON.stringify({ type: 'error', error: { type: 'rate_limit_error', message: 'slow' } }) }];
    const began = Date.now();
    await call(anthropic(options()));
    assert.ok(Date.now() - began >= 250, 'waited as long as the server wanted');
});

test('an abort ends a call and a wait at once', async () => {
    answers = [{ hang: true }];
    const during = new AbortController();
    setTimeout(() => during.abort(), 20);
    await assert.rejects(call(anthropic(options()), during.signal), { name: 'NoAnswerError', reason: 'aborted' });
    answers = [{ status: 529, body: OVERLOADED }];
    const waiting = new AbortController();
    setTimeout(() => waiting.abort(), 20);
    const began = Date.now();
    await assert.rejects(call(anthropic({ ...options(), backoff: 60_000 }), waiting.signal), { reason: 'aborted' });
    assert.ok(Date.now() - began < 5_000);
});

test('no server: the address and the cause, after the retries', async () => {
    const nobody = anthropic({ baseUrl: 'http://127.0.0.1:1', apiKey: KEY, retries: 1, backoff: 1 });
    await assert.rejects(call(nobody), (reason) => {
        assert.ok(reason instanceof NoAnswerError);
        assert.equal(reason.reason, 'network');
        assert.match(reason.message, /POST http:\/\/127\.0\.0\.1:1\/v1\/messages: fetch failed: /);
        return true;
    });
});

test('a slow server runs into the timeout', async () => {
    answers = [{ hang: true }];
    await assert.rejects(call(anthropic({ ...options(), timeout: 30, retries: 0 })), { reason: 'network', message: /timeout/i });
});

test('the key is in no event, error or transcript, whatever a server repeats', async () => {
    const echo = JSON.stringify({ type: 'error', error: { type: 'authentication_error', message: `invalid key ${KEY}` } });
    const greet = REPLY.replace('Hello.', `Your key is ${KEY}.`);
    answers = [{ status: 401, headers: { 'x-echo': KEY }, body: echo }, { status: 200, body: greet }];
    const store = memoryStore();
    const opened = await openSession({ model: 'm', store });
    const told = [];
    for (const prompt of ['One.', 'Two.']) {
        for await (const event of run(opened, prompt, { model: anthropic(options()), store })) told.push(event);
    }
    assert.ok(seen.every(({ headers }) => headers['x-api-key'] === KEY));
    assert.ok(told.some((event) => event.type === 'turn-ended' && event.reason === 'failed'));
    const everything = JSON.stringify([told, [...store.transcripts], opened.session.report()]);
    assert.ok(everything.includes('[key]'));
    assert.ok(!everything.includes(KEY));
});
