/**
 * The report a person reads: what ate the window first, then the parts, then the damage.
 */

import pc from 'picocolors';

import type { Account, Category, Inspection, LargeItem } from '../wasm/palimpsest.js';
import { bar, bytes, clean, count, exact, fit, percent, short } from './format.js';

/** Where the report goes. */
export interface Terminal {
    isTTY?: boolean;
    columns?: number;
}

/** Categories in the order and words of `/context`. */
const LABELS: Record<Category, string> = {
    system: 'System prompt',
    tools: 'System tools',
    'mcp-tools': 'MCP tools',
    agents: 'Agents',
    instructions: 'Instruction files',
    memory: 'Memory',
    skills: 'Skills',
    user: 'User messages',
    assistant: 'Assistant messages',
    thinking: 'Thinking',
    'tool-calls': 'Tool calls',
    'tool-results': 'Tool results',
    attachments: 'Attachments',
    summary: 'Summary',
};

/** As many rows of each list; `--json` has the rest. */
const ROWS = 10;
const BAR = 24;

type Colours = ReturnType<typeof pc.createColors>;

/** The whole report, with colours only on a terminal. */
export function report(inspection: Inspection, file: string, terminal: Terminal): string {
    const colours = pc.createColors(terminal.isTTY === true && pc.isColorSupported);
    const width = Math.max(60, Math.min(terminal.columns ?? 100, 120));
    const sections = [
        head(inspection, file, colours),
        headline(inspection, colours),
        categories(inspection, colours),
        largest(inspection, colours, width),
        tools(inspection, colours),
        repeated(inspection, colours, width),
        boundaries(inspection, colours),
        diagnostics(inspection, colours, width),
        foot(inspection, colours),
    ];
    return `${sections.filter((section) => section.length > 0).map((section) => section.join('\n')).join('\n\n')}\n`;
}

function head(inspection: Inspection, file: string, c: Colours): string[] {
    const { file: facts, title, model, sessionId, history } = inspection;
    const odd = Object.entries(facts.lines).filter(([name, lines]) => name !== 'record' && lines > 0);
    const classes = odd.map(([name, lines]) => `, ${exact(lines)} ${name}`).join('');
    const sidechain = facts.sidechainRecords > 0 ? `, ${exact(facts.sidechainRecords)} of subagents` : '';
    const { requests, assistant } = history.messages;
    return [
        c.bold(clean(title ?? file)),
        c.dim(
            [title ? file : '', model ?? '', sessionId ?? ''].filter(Boolean).map(clean).join(' · '),
        ),
        `${bytes(facts.bytes)}, ${count(facts.lineCount, 'line')}${classes}, ${count(facts.records, 'record')}${sidechain}`,
        `${count(requests, 'request')}, ${exact(history.turns)} answered; ${count(assistant, 'response')}; ` +
            `${count(calls(history), 'tool call')}; ${count(inspection.boundaries.length, 'compaction')}`,
    ].filter((line) => line !== '' && line !== c.dim(''));
}

function calls(account: Account): number {
    return account.tools.reduce((sum, tool) => sum + tool.calls, 0);
}

/** What ate the window, in one sentence, and how full it is. */
function headline({ window, view, windowAssumed }: Inspection, c: Colours): string[] {
    const { gauge } = window;
    const [most] = view.largest;
    const [category, tokens] = biggest(view);
    const lines: string[] = [];
    if (tokens > 0) {
        lines.push(
            c.bold(`${LABELS[category]} fill the most: about ${short(tokens)} tokens, ${percent(tokens, gauge.used)} of what is used.`),
        );
    } else {
        lines.push(c.bold('Nothing in the window: the file holds no message.'));
    }
    if (most) lines.push(`The largest item: ${clean(most.label)}, about ${short(most.tokens)} tokens, ${where(most)}.`);
    if (gauge.window > 0) {
        const used = bar(gauge.used, gauge.window, 40).padEnd(40, '·');
        const over = gauge.over > 0 ? c.red(`, ${short(gauge.over)} too much`) : '';
        lines.push(
            '',
            `${used} ${c.bold(percent(gauge.used, gauge.window))} of ${short(gauge.window)}${windowAssumed ? ' (assumed; see --window)' : ''}${over}`,
        );
    }
    return lines;
}

function biggest(view: Account): [Category, number] {
    const entries = Object.entries(view.ledger) as [Category, number][];
    return entries.reduce((best, next) => (next[1] > best[1] ? next : best), ['user', 0] as [Category, number]);
}

/** Tokens by category, in the order of `/context`. */
function categories({ window, view, history, boundaries, policy }: Inspection, c: Colours): string[] {
    const { gauge, unseen, thresholds } = window;
    const compacted = boundaries.length > 0;
    const row = (label: string, tokens: number, ever?: number, paint = c.cyan) => {
        const columns = [label.padEnd(24), short(tokens).padStart(8), percent(tokens, gauge.window).padStart(8)];
        if (compacted) columns.push((ever === undefined ? '' : short(ever)).padStart(10));
        return `${columns.join(' ')}  ${paint(bar(tokens, gauge.window, BAR))}`.trimEnd();
    };
    const title = ['Tokens, estimated'.padEnd(24), 'now'.padStart(8), 'window'.padStart(8)];
    if (compacted) title.push('ever'.padStart(10));
    const rows = [c.dim(title.join(' '))];
    if (unseen > 0) rows.push(row('Not in the file', unseen, undefined, c.dim));
    for (const key of Object.keys(LABELS) as Category[]) {
        const [now, ever] = [view.ledger[key] ?? 0, history.ledger[key] ?? 0];
        if (now > 0 || ever > 0) rows.push(row(LABELS[key], now, ever));
    }
    if (gauge.window > 0) {
        rows.push(row('Free space', gauge.free, undefined, c.dim), row('Reserve for the answer', gauge.reserve, undefined, c.dim));
    }
    if (unseen > 0) {
        rows.push(c.dim('Not in the file: system prompt, tools and whatever else the provider counted beyond our estimate.'));
    }
    if (thresholds?.auto) rows.push(c.dim(`Policy ${policy} compacts above ${short(thresholds.auto)}.`));
    return rows;
}

/** The largest items of the view, or of the whole session when it was compacted. */
function largest({ view, history, boundaries }: Inspection, c: Colours, width: number): string[] {
    const compacted = boundaries.length > 0;
    const lists: [string, LargeItem[]][] = compacted
        ? [['Largest in the window now', view.largest], ['Largest of the whole session', history.largest]]
        : [['Largest items', view.largest]];
    const lines: string[] = [];
    for (const [title, items] of lists) {
        if (items.length === 0) continue;
        if (lines.length > 0) lines.push('');
        lines.push(c.dim(title));
        for (const item of items.slice(0, ROWS)) {
            const share = percent(item.permille, 1_000).padStart(7);
            const place = (item.line > 0 ? `line ${item.line}` : '').padEnd(11);
            lines.push(`${short(item.tokens).padStart(8)} ${share}  ${c.dim(place)} ${fit(clean(item.label), width - 30)}`);
        }
    }
    return lines;
}

function where(item: LargeItem): string {
    const turn = item.turn > 0 ? `turn ${item.turn}` : 'before the first request';
    return item.line > 0 ? `line ${item.line}, ${turn}` : turn;
}

function tools({ history }: Inspection, c: Colours): string[] {
    if (history.tools.length === 0) return [];
    const rows = history.tools.slice(0, ROWS).map((tool) => {
        const faults = [
            tool.errors > 0 ? c.yellow(count(tool.errors, 'error')) : '',
            tool.unanswered > 0 ? c.yellow(`${tool.unanswered} unanswered`) : '',
        ];
        const name = fit(clean(tool.name), 40).padEnd(24);
        return `${short(tool.tokens).padStart(8)} ${String(tool.calls).padStart(6)}×  ${name} ${faults.filter(Boolean).join(', ')}`.trimEnd();
    });
    return [c.dim('Tools, whole session'), ...rows];
}

function repeated({ history }: Inspection, c: Colours, width: number): string[] {
    if (history.repeated.length === 0) return [];
    const rows = history.repeated.slice(0, ROWS).map(({ path, times, tokens }) => {
        return `${short(tokens).padStart(8)} ${String(times).padStart(6)}×  ${fit(clean(path), width - 20)}`;
    });
    return [c.dim('Files read more than once'), ...rows];
}

/** Compactions; the numbers are the file's own. */
function boundaries({ boundaries: found }: Inspection, c: Colours): string[] {
    if (found.length === 0) return [];
    const rows = found.map(({ line, trigger, before, after }) => {
        const told = before > 0 ? `from ${short(before)}${after > 0 ? ` to ${short(after)}` : ''}` : 'size not told';
        return `${`line ${line}`.padStart(11)}  ${clean(trigger).padEnd(10)} ${told}`;
    });
    return [c.dim('Compactions, as the file tells them'), ...rows];
}

function diagnostics({ diagnostics: found, moreDiagnostics }: Inspection, c: Colours, width: number): string[] {
    if (found.length === 0) return [];
    const shown = found.slice(0, ROWS).map(({ line, message }) => {
        const place = line > 0 ? `line ${line}` : 'file';
        return `${c.yellow(place.padStart(11))}  ${fit(clean(message), width - 14)}`;
    });
    const rest = found.length - shown.length + moreDiagnostics;
    if (rest > 0) shown.push(`${''.padStart(11)}  and ${exact(rest)} more (see --json)`);
    return [c.dim(`Damage and oddities: ${exact(found.length + moreDiagnostics)}`), ...shown];
}

/** What the provider counted. */
function foot({ reported, lifetime }: Inspection, c: Colours): string[] {
    const lines: string[] = [];
    if (reported) {
        lines.push(
            `The provider counted ${exact(reported.context)} tokens for the last request (line ${reported.line}); ` +
                `we estimate ${exact(reported.estimated)} for its messages.`,
        );
    }
    if (lifetime.requests > 0) {
        const { input, cacheRead, cacheWrite, output } = lifetime.usage;
        lines.push(
            `Whole life, ${count(lifetime.requests, 'request')}: ${short(input)} input, ${short(cacheRead)} from cache, ` +
                `${short(cacheWrite)} into cache, ${short(output)} output; largest context ${short(lifetime.peak)}.`,
        );
    }
    return lines.map((line) => c.dim(line));
}
