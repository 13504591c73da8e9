// Policies and counting through the API.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { countTokens, policies, policy, validatePolicy } from 'palimpsest';

test('every named policy is there, works and comes back through JSON', () => {
    const names = policies();
    assert.equal(names[0].name, 'palimpsest');
    assert.ok(names.length >= 12);
    for (const { name, about } of names) {
        assert.ok(about.length > 10, name);
        const found = policy(name);
        assert.equal(found.name, name);
        assert.deepEqual(validatePolicy(found), [], name);
        assert.deepEqual(validatePolicy(JSON.stringify(found)), [], name);
        assert.deepEqual(policy(name, 1_000_000), { ...found, window: 1_000_000 });
    }
});

test('what cannot work is told by field', () => {
    const broken = { ...policy('palimpsest'), maxOutput: 0 };
    const fields = validatePolicy(broken).map(({ field, advice }) => [field, advice.length > 0]);
    assert.ok(fields.some(([field]) => field === 'maxOutput'), JSON.stringify(fields));
    assert.ok(fields.every(([, advised]) => advised));
});

test('what is no policy is refused by name, not ignored', () => {
    const whole = policy('palimpsest');
    for (const [value, message] of [
        [{ ...whole, windw: 1 }, /`windw`/],
        [{ ...whole, micro: { ...whole.micro, kepLast: 3 } }, /`micro\.kepLast`/],
        [{ ...whole, window: 'big' }, /policy: /],
        [{ ...whole, trigger: { never_ever: {} } }, /never_ever/],
        ['{"window":', /not JSON/],
        [42, /policy: /],
    ]) {
        assert.throws(() => validatePolicy(value), { name: 'PalimpsestError', code: 'bad-policy', message });
    }
    assert.throws(() => policy('nobody'), { code: 'unknown-policy' });
    assert.throws(() => policy('palimpsest', -1), { code: 'bad-argument' });
    assert.deepEqual(validatePolicy({}), [], 'an empty object is the default policy');
});

test('counts tokens of any text, also of one that is no Unicode', () => {
    assert.equal(countTokens(''), 0);
    assert.ok(countTokens('Hello, world.') >= 3);
    const chinese = '上下文窗口是有限的。'.repeat(50);
    assert.ok(countTokens(chinese) > chinese.length * 0.5, 'no length/4 on Chinese');
    assert.notEqual(countTokens(chinese, 'o200k'), countTokens(chinese, 'claude'));
    assert.ok(countTokens('a lone \ud83d half') > 0);
    assert.throws(() => countTokens('x', 'gpt-9'), { code: 'bad-argument', message: /profile/ });
});
