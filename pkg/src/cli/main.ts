/**
 * Commands and exit codes.
 *
 *   0  done        1  something is wrong with the file        2  something is wrong with the command
 */

import { Command, CommanderError, InvalidArgumentError } from 'commander';
import pc from 'picocolors';

import { policies } from '../policy.js';
import { FileError, inspectFile } from './file.js';
import { report } from './report.js';
import { version } from './version.js';

/** How `inspect` is called. */
interface InspectFlags {
    json?: true;
    window?: number;
    policy: string;
}

const HELP = `
Examples:
  palimpsest inspect ~/.claude/projects/my-project/0a1b2c3d.jsonl
  palimpsest inspect session.jsonl --window 1M --policy claude-code-2.1.87
  palimpsest inspect session.jsonl --json | jq '.view.largest[0]'
  cat session.jsonl | palimpsest inspect -

Exit codes: 0 done, 1 something is wrong with the file, 2 something is wrong with the command.`;

/** Runs a command line and gives its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
    const program = new Command('palimpsest')
        .description('What fills the window of an LLM session, and since when.')
        .version(version())
        .exitOverride()
        .showHelpAfterError('(run `palimpsest --help` for what there is)');
    program
        .command('inspect')
        .description('add up a session file: tokens by category, largest items, compactions, damage')
        .argument('<file>', 'session file (.jsonl), or - to read from standard input')
        .option('--json', 'machine-readable; the keys are in the README of the package')
        .option('--window <tokens>', "the model's window: 200000, 200k, 1M (default: assumed from the file)", tokens)
        .option('--policy <name>', 'whose lines to draw into the window', policyName, 'palimpsest')
        .addHelpText('after', HELP)
        .action(inspectCommand);
    try {
        await program.parseAsync(argv as string[]);
        return 0;
    } catch (reason) {
        if (reason instanceof CommanderError) return reason.exitCode === 0 ? 0 : 2;
        if (reason instanceof FileError) {
            // CI counts as a place for colours with picocolors; a pipe is none.
            const colours = pc.createColors(process.stderr.isTTY === true && pc.isColorSupported);
            process.stderr.write(`${colours.red('palimpsest:')} ${reason.message}\n`);
            return 1;
        }
        throw reason;
    }
}

async function inspectCommand(file: string, { json, ...options }: InspectFlags): Promise<void> {
    const inspection = await inspectFile(file, options);
    const text = json ? `${JSON.stringify(inspection, null, 2)}\n` : report(inspection, file, process.stdout);
    await print(text);
}

/** Writes to standard output; a reader that has gone (`| head`) is no error. */
function print(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
        // A closed pipe is the reader's wish; a full disk is told. The event and the callback may both come.
        const done = (reason?: NodeJS.ErrnoException | null) =>
            !reason || reason.code === 'EPIPE' ? resolve() : reject(new FileError(`(standard output): ${reason.message}`));
        process.stdout.on('error', done);
        process.stdout.write(text, done);
    });
}

/** `200000`, `200k`, `1M`. */
function tokens(text: string): number {
    const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)([kKmM]?)$/.exec(text.replaceAll('_', '').replaceAll(',', '')) ?? [];
    const number = Number(digits) * ({ k: 1e3, m: 1e6 }[unit.toLowerCase()] ?? 1);
    if (Number.isSafeInteger(number) && number >= 1_000) return number;
    throw new InvalidArgumentError('Give a whole number of tokens, 1000 or more: 200000, 200k, 1M.');
}

function policyName(name: string): string {
    const names = policies().map((policy) => policy.name);
    if (names.includes(name)) return name;
    throw new InvalidArgumentError(`There are: ${names.join(', ')}.`);
}
