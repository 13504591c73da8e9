/** Policies: every number of the engine, as data. */

import { ready } from './engine.js';
import * as wasm from './wasm/palimpsest.js';
import type { NamedPolicy, Policy, PolicyError, Profile } from './wasm/palimpsest.js';

/** The policies that have a name, the default first. */
export function policies(): NamedPolicy[] {
    ready();
    return wasm.policies();
}

/** A named policy, on a window of so many tokens (200,000 when none is given). */
export function policy(name: string, window?: number): Required<Policy> {
    ready();
    return wasm.policy(name, window);
}

/**
 * What of a policy cannot work: nothing when all is well. Takes an object or its JSON text; throws when it is no policy
 * at all.
 */
export function validatePolicy(policy: Policy | string): PolicyError[] {
    ready();
    return wasm.validatePolicy(policy);
}

/** About how many tokens a text costs: an estimate. */
export function countTokens(text: string, profile?: Profile): number {
    ready();
    return wasm.countTokens(text, profile);
}
