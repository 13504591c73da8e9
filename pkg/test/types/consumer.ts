// Compiled, never run: the types as a user of the package sees them.
import {
    anthropic,
    answer,
    countTokens,
    init,
    inspect,
    inspectStream,
    memoryStore,
    openSession,
    policy,
    run,
    validatePolicy,
    type Inspection,
    type Model,
    type PalimpsestError,
    type RunEvent,
    type Tool,
} from 'palimpsest';
import { fileStore } from 'palimpsest/node';

export async function files(file: File): Promise<string[]> {
    await init();
    const found: Inspection = await inspectStream(file.stream(), { window: 200_000, onProgress: ({ bytes }) => void bytes });
    const whole = inspect(new Uint8Array(await file.arrayBuffer()), { policy: 'codex' });
    const results: number | undefined = whole.view.ledger['tool-results'];
    return found.history.largest.map(({ label, tokens, tool }) => `${label} ${tokens} ${tool ?? ''} ${results ?? 0}`);
}

export async function turn(signal: AbortSignal): Promise<string> {
    const read: Tool = {
        name: 'read',
        description: 'Reads a file.',
        inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
        readOnly: true,
        run: async ({ path }: { path: string }) => ({ text: path, isError: false }),
    };
    const own: Model = async ({ purpose, encode }) => answer({ purpose, length: encode('openai').length });
    const store = fileStore('sessions') ?? memoryStore();
    const session = await openSession({ model: 'm', tools: [read], store, policy: { ...policy('pi'), maxOutput: 8_000 } });
    let text = '';
    for await (const event of run(session, 'Hello', { model: own ?? anthropic({ apiKey: 'k' }), tools: [read], store, signal })) {
        text += told(event);
    }
    return text + countTokens(text, 'o200k') + validatePolicy('{}').map(({ field }) => field).join();
}

/** Every event can be told apart by its type. */
function told(event: RunEvent): string {
    switch (event.type) {
        case 'text':
            return event.text;
        case 'summarised':
            return `${event.tier} by ${event.by}: ${event.before} to ${event.after}`;
        case 'turn-ended':
            return event.reason === 'failed' ? event.message : event.reason;
        default:
            return '';
    }
}

export function code(reason: unknown): string {
    return (reason as PalimpsestError).code satisfies 'busy' | string;
}

// @ts-expect-error a misspelt option is an error, not silence
inspect(new Uint8Array(), { windw: 1 });
// @ts-expect-error so is a wire that does not exist
answer.call(null, { wire: 'smoke' }).wire === 'smoke';
