// The driver with models and stores made here: what a host may do wrong must not hurt the session.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Session, answer, inspect, memoryStore, openSession, run } from 'palimpsest';
import { fileStore } from 'palimpsest/node';

let serial = 0;
const message = (...content) => ({
    id: `m${++serial}`, type: 'message', role: 'assistant', model: 'm', content,
    stop_reason: content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
    usage: { input_tokens: 300, output_tokens: 5 },
});
const say = (text) => answer(message({ type: 'text', text }));
const use = (name, ...inputs) =>
    answer(message(...inputs.map((input) => ({ type: 'tool_use', id: `c${++serial}`, name, input }))));
/** A model that gives these answers in turn, then says "Done." */
const scripted = (...answers) => async () => answers.shift() ?? say('Done.');
const tool = (name, work, more = {}) => ({ name, description: name, inputSchema: { type: 'object' }, run: work, ...more });

async function collect(events) {
    const all = [];
    for await (const event of events) all.push(event);
    return all;
}
const last = (events) => events.at(-1);

test('a turn: words, tools with their input, records in order', async () => {
    const inputs = [];
    const echo = tool('echo', async (input, { call, signal }) => {
        assert.ok(call.startsWith('c') && signal instanceof AbortSignal);
        inputs.push(input);
        return { text: `got ${input.n}`, isError: false };
    });
    const store = memoryStore();
    const opened = await openSession({ model: 'm', tools: [echo], store });
    const model = scripted(use('echo', { n: 1 }, { n: 2 }), say('Both done.'));
    const events = await collect(run(opened, 'Go.', { model, tools: [echo], store }));
    assert.deepEqual(inputs, [{ n: 1 }, { n: 2 }]);
    assert.deepEqual(last(events), { type: 'turn-ended', reason: 'done' });
    assert.deepEqual(events.filter(({ type }) => type === 'text'), [{ type: 'text', text: 'Both done.' }]);
    const found = inspect(await store.read(opened.sessionId));
    assert.deepEqual(found.diagnostics, []);
    assert.deepEqual(found.window.items.map(({ role }) => role), ['user', 'assistant', 'assistant']);
});

test('a tool that throws, lies about its type or is not there gives an error result, and the turn goes on', async () => {
    const tools = [tool('throws', () => Promise.reject(new Error('broken'))), tool('odd', () => ({ text: 42 }))];
    const spare = tool('ghost', () => '');
    const opened = await openSession({ model: 'm', tools: [...tools, spare] });
    const model = scripted(use('throws', {}), use('odd', {}), use('ghost', {}));
    const events = await collect(run(opened, 'Go.', { model, tools }));
    const errors = events.filter(({ type }) => type === 'tool-finished').map(({ isError }) => isError);
    assert.deepEqual(errors, [true, false, true]);
    assert.equal(last(events).reason, 'done');
});

test('a model that throws or answers nonsense fails the turn, not the session', async () => {
    const opened = await openSession({ model: 'm' });
    for (const [model, message] of [
        [async () => Promise.reject(new Error('no power')), /no power/],
        [async () => ({ wire: 'anthropic', status: 200, body: '<html>' }), /cannot be read/],
        [async () => ({ wire: 'smoke', status: 200, body: '' }), /wire "smoke"/],
        [async () => undefined, /answer must be an object/],
    ]) {
        const events = await collect(run(opened, 'Go.', { model }));
        assert.equal(last(events).reason, 'failed');
        assert.match(last(events).message, message);
        assert.ok(opened.session.isIdle);
    }
    assert.equal(last(await collect(run(opened, 'Go.', { model: scripted() }))).reason, 'done');
});

test('a store that fails is told, and the session goes on in memory', async () => {
    const store = { ...memoryStore(), append: () => Promise.reject(new Error('disk full')) };
    const opened = await openSession({ model: 'm', store });
    const order = [];
    const model = async () => (order.push('model'), say('x'));
    for await (const event of run(opened, 'Go.', { model, store })) {
        if (event.type === 'notice' && event.message.includes('disk full')) order.push('notice');
        if (event.type === 'turn-ended') order.push(event.reason);
    }
    assert.ok(order.includes('done') && order.includes('model'));
    assert.ok(order.includes('notice'), 'the store’s own words reach the user');
    assert.equal(opened.session.report().items.length, 2);
});

test('no call goes out before the records it rests on are kept', async () => {
    const order = [];
    const store = {
        ...memoryStore(),
        append: async () => {
            await new Promise((done) => setTimeout(done, 10));
            order.push('kept');
        },
    };
    const opened = await openSession({ model: 'm', store });
    await collect(run(opened, 'Go.', { model: async () => (order.push('called'), say('x')), store }));
    assert.deepEqual(order, ['kept', 'called', 'kept']);
});

test('words said during a turn are said after it, once', async () => {
    const opened = await openSession({ model: 'm' });
    const heard = [];
    const model = async ({ encode }) => {
        heard.push(JSON.parse(encode('anthropic')).messages.filter(({ role }) => role === 'user').length);
        if (heard.length === 1) opened.session.prompt('And this.', Date.now());
        return say('Yes.');
    };
    const events = await collect(run(opened, 'First.', { model }));
    assert.equal(events.filter(({ type }) => type === 'turn-ended').length, 2);
    assert.deepEqual(heard, [1, 2]);
});

test('one session is run once at a time', async () => {
    const opened = await openSession({ model: 'm' });
    const first = run(opened, 'One.', { model: scripted() });
    await first.next();
    await assert.rejects(run(opened, 'Two.', { model: scripted() }).next(), { code: 'busy' });
    await first.return();
    assert.equal(last(await collect(run(opened, 'Three.', { model: scripted() }))).reason, 'done');
});

test('a signal that is aborted already starts nothing', async () => {
    const opened = await openSession({ model: 'm' });
    await assert.rejects(run(opened, 'Go.', { model: scripted(), signal: AbortSignal.abort() }).next(), { name: 'AbortError' });
    assert.equal(opened.session.report().items.length, 0);
});

test('an abort during a slow tool ends the turn at once', async () => {
    const controller = new AbortController();
    let stopped = false;
    const slow = tool('slow', (_, { signal }) => {
        setTimeout(() => controller.abort(), 10);
        signal.addEventListener('abort', () => (stopped = true));
        return new Promise(() => {});
    });
    const opened = await openSession({ model: 'm', tools: [slow] });
    const events = await collect(run(opened, 'Go.', { model: scripted(use('slow', {})), tools: [slow], signal: controller.signal }));
    assert.equal(last(events).reason, 'cancelled');
    assert.ok(stopped, 'the tool was told');
    assert.equal(last(await collect(run(opened, 'Go on.', { model: scripted(), tools: [slow] }))).reason, 'done');
});

test('a manual compaction', async () => {
    const opened = await openSession({ model: 'm' });
    const summary = say('<analysis>a</analysis><summary>1. Primary request and intent: counting sheep.</summary>');
    const model = async ({ purpose }) => (purpose === 'summary' ? summary : say('Sheep. '.repeat(300)));
    for (let turn = 0; turn < 12; turn += 1) await collect(run(opened, `Count ${turn}.`, { model }));
    const before = opened.session.report().total;
    opened.session.compact('Keep the sheep.', Date.now());
    const events = await collect(run(opened, undefined, { model }));
    const done = events.find(({ type }) => type === 'summarised');
    assert.equal(done?.tier, 'manual', JSON.stringify(events));
    assert.ok(opened.session.report().total < before);
    assert.ok(opened.session.report().items.some(({ state }) => state === 'summary'));
});

test('sessions as files: layout, large results beside, no way out of the folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'palimpsest-'));
    try {
        const store = fileStore(folder);
        const dump = tool('dump', () => 'line of a large dump\n'.repeat(20_000));
        const opened = await openSession({ model: 'm', tools: [dump], store, sessionId: 'one' });
        const events = await collect(run(opened, 'Go.', { model: scripted(use('dump', {})), tools: [dump], store }));
        const spilled = events.find(({ type }) => type === 'spilled');
        const kept = readFileSync(join(folder, 'one', spilled.path), 'utf8');
        assert.equal(kept, 'line of a large dump\n'.repeat(20_000), 'the whole result, byte for byte');
        assert.deepEqual(readdirSync(folder).sort(), ['one', 'one.jsonl']);
        const again = await openSession({ model: 'm', tools: [dump], store, sessionId: 'one' });
        assert.ok(again.resumed);
        const costs = ({ session }) => session.report().items.map(({ id, tokens }) => [id, tokens]);
        assert.deepEqual(costs(again), costs(opened), 'the preview, not the whole, is what the model sees again');
        for (const id of ['../evil', '', 'a/b', '.', 'a\0b']) {
            await assert.rejects(openSession({ model: 'm', store, sessionId: id }), { code: 'bad-argument' }, id);
        }
        await assert.rejects(store.write('one', '../../evil', ''), { code: 'bad-argument' });
        await assert.rejects(store.write('one', 'a//b', ''), { code: 'bad-argument' });
    } finally {
        rmSync(folder, { recursive: true });
    }
});

test('a configuration that cannot work names its field', async () => {
    const cases = [
        [{}, 'bad-config', /model/],
        [{ model: 'm', widow: 1 }, 'bad-config', /widow/],
        [{ model: 'm', window: 5 }, 'bad-policy', /window/],
        [{ model: 'm', policy: 'nobody' }, 'unknown-policy', /nobody/],
        [{ model: 'm', tools: [tool('two words', () => '')] }, 'bad-config', /two words/],
        [{ model: 'm', tools: [tool('a', () => ''), tool('a', () => '')] }, 'bad-config', /two tools are named/],
        [{ model: 'm', window: 2_000, system: ['word '.repeat(5_000)] }, 'bad-policy', /window/],
    ];
    for (const [options, code, message] of cases) {
        await assert.rejects(openSession(options), { name: 'PalimpsestError', code, message });
    }
});

test('the bare session refuses what makes no sense and stays usable', async () => {
    await openSession({ model: 'm' });
    const session = new Session({ model: 'm', sessionId: 's' });
    assert.throws(() => session.prompt('  ', 0), { code: 'empty-prompt' });
    assert.throws(() => session.encodeRequest(99, 'anthropic'), { code: 'unknown-effect' });
    assert.throws(() => session.complete(1, { type: 'magic' }, 0), { code: 'bad-argument' });
    assert.throws(() => session.complete(1, null, 0), { code: 'bad-argument' });
    session.complete(12345, { type: 'stored' }, 0);
    session.complete(NaN, { type: 'tool', text: 'x', isError: false }, NaN);
    assert.throws(() => session.setPolicy('nobody'), { code: 'unknown-policy' });
    session.prompt('Hello.', 0);
    assert.throws(() => session.compact(undefined, 0), { code: 'busy' });
    const effect = session.nextEffect();
    assert.equal(effect.type, 'append');
    session.complete(effect.id, { type: 'stored' }, 1);
    const call = session.nextEffect();
    assert.equal(call.type, 'call-model');
    assert.equal(JSON.parse(session.encodeRequest(call.id, 'openai')).model, 'm');
    session.cancel(2);
    assert.ok(session.isIdle);
});
