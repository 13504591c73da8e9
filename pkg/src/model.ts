/** Models: anything that answers a request. */

import type { Answer, NoAnswer, Purpose, Wire } from './wasm/palimpsest.js';

/** One call of a model. */
export interface ModelCall {
    /** Why: to go on with the turn, or to summarise. */
    readonly purpose: Purpose;
    /** The model's name. */
    readonly model: string;
    /** What the request costs: an estimate. */
    readonly tokens: number;
    /** The request's body, as a wire spells it. */
    encode(wire: Wire): string;
    /** Aborted when the answer is no longer wanted. */
    readonly signal: AbortSignal;
}

/**
 * Answers a call with what came over the wire, reply or refusal; the engine reads it. When there is no answer it
 * throws; a {@link NoAnswerError} says why.
 */
export type Model = (call: ModelCall) => Promise<Answer>;

/** No answer from a model. */
export class NoAnswerError extends Error {
    override readonly name = 'NoAnswerError';

    constructor(
        /** Why not. */
        readonly reason: NoAnswer,
        message: string,
    ) {
        super(message);
    }
}

/** An answer of your own making: a message in the shape of Anthropic's API. */
export function answer(message: object): Answer {
    return { wire: 'anthropic', status: 200, headers: [], body: JSON.stringify(message) };
}
