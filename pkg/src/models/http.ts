/**
 * Models over HTTP: Anthropic Messages, and Chat Completions of OpenAI and everything compatible with it.
 *
 * The key goes into one request header and nowhere else: not into the engine, events, errors or transcripts. Should a
 * server repeat it in its answer, it is blotted out.
 */

import { ready } from '../engine.js';
import { NoAnswerError, type Model } from '../model.js';
import { modelFailure, wireFormat, type Answer, type Wire } from '../wasm/palimpsest.js';

/** How a model is reached. */
export interface HttpOptions {
    /** The key. A server that wants none gets none. */
    apiKey?: string;
    /** The address before the wire's own path. */
    baseUrl?: string;
    /** More headers. */
    headers?: Record<string, string>;
    /** How often a call that may succeed later is tried again. Default 4. */
    retries?: number;
    /** The wait before the first retry in milliseconds, doubled each time. Default 1,000; `retry-after` goes first. */
    backoff?: number;
    /** How long one try may take, in milliseconds. Default 10 minutes. */
    timeout?: number;
    /** In place of the platform's own `fetch`. */
    fetch?: typeof fetch;
}

/** The longest wait before a retry, whatever a server asks for, in milliseconds. */
const LONGEST_WAIT = 60_000;

/** A model behind Anthropic's Messages API. */
export function anthropic(options: HttpOptions = {}): Model {
    const key: Record<string, string> = options.apiKey ? { 'x-api-key': options.apiKey } : {};
    return overHttp('anthropic', 'https://api.anthropic.com', key, options);
}

/** A model behind Chat Completions: OpenAI, vLLM, Ollama, llama.cpp, LM Studio, OpenRouter and others. */
export function openai(options: HttpOptions = {}): Model {
    const key: Record<string, string> = options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {};
    return overHttp('openai', 'https://api.openai.com/v1', key, options);
}

function overHttp(wire: Wire, home: string, key: Record<string, string>, options: HttpOptions): Model {
    const { apiKey, baseUrl = home, retries = 4, backoff = 1_000, timeout = 600_000 } = options;
    const send = options.fetch ?? fetch;
    const blot = (text: string) => (apiKey ? text.replaceAll(apiKey, '[key]') : text);

    const attempt = async (url: string, headers: Record<string, string>, body: string, signal: AbortSignal) => {
        const limited = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
        const response = await send(url, { method: 'POST', headers, body, signal: limited });
        const answer: Answer = {
            wire,
            status: response.status,
            headers: [...response.headers].map(([name, value]): [string, string] => [name, blot(value)]),
            body: blot(await response.text()),
        };
        return answer;
    };

    return async (call) => {
        ready();
        const format = wireFormat(wire);
        const url = baseUrl.replace(/\/+$/, '') + format.path;
        const headers = { ...Object.fromEntries(format.headers), ...options.headers, ...key };
        const body = call.encode(wire);
        for (let tries = 0; ; tries += 1) {
            let wait = backoff * 2 ** tries;
            try {
                const answer = await attempt(url, headers, body, call.signal);
                if (tries >= retries || !modelFailure(answer)?.retryable) return answer;
                wait = retryAfter(answer) ?? wait;
            } catch (reason) {
                if (call.signal.aborted) throw new NoAnswerError('aborted', 'cancelled');
                if (tries >= retries) throw new NoAnswerError('network', blot(told(reason, url)));
            }
            await pause(Math.min(wait, LONGEST_WAIT), call.signal);
        }
    };
}

/** How long the server wants to be left alone, in milliseconds: seconds or a date. */
function retryAfter(answer: Answer): number | undefined {
    const value = answer.headers?.find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
    if (value === undefined) return undefined;
    const wait = /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
    return Number.isNaN(wait) ? undefined : Math.max(wait, 0);
}

/** What went wrong, with the cause that `fetch` hides behind "fetch failed". */
function told(reason: unknown, url: string): string {
    const { message = String(reason), cause } = reason as { message?: string; cause?: { message?: string } };
    return `POST ${url}: ${[message, cause?.message].filter(Boolean).join(': ')}`;
}

/** Waits, with a little chance in it so that many clients do not come back at once; an abort ends it. */
function pause(wait: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
        const stop = () => {
            clearTimeout(timer);
            reject(new NoAnswerError('aborted', 'cancelled'));
        };
        const timer = setTimeout(() => {
            signal.removeEventListener('abort', stop);
            resolve();
        }, wait * (0.9 + 0.2 * Math.random()));
        if (signal.aborted) stop();
        else signal.addEventListener('abort', stop, { once: true });
    });
}
