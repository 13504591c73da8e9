/** Numbers, bars and foreign text on a terminal. */

/** `950`, `12.4k`, `1.25M`. */
export function short(number: number): string {
    if (number < 1_000) return String(number);
    if (number < 999_950) return `${(number / 1_000).toFixed(1)}k`;
    return `${(number / 1_000_000).toFixed(2)}M`;
}

/** `1,234,567`. */
export function exact(number: number): string {
    return number.toLocaleString('en-US');
}

/** `950 bytes`, `12.4 kB`, `2.3 MB`. */
export function bytes(number: number): string {
    if (number < 1_000) return `${number} bytes`;
    if (number < 999_950) return `${(number / 1_000).toFixed(1)} kB`;
    return `${(number / 1_000_000).toFixed(1)} MB`;
}

/** `35.6 %`; nothing of nothing is none. */
export function percent(part: number, whole: number): string {
    return `${(whole > 0 ? (100 * part) / whole : 0).toFixed(1)} %`;
}

/** `1 turn`, `2 turns`. */
export function count(number: number, one: string, many = `${one}s`): string {
    return `${exact(number)} ${number === 1 ? one : many}`;
}

/** A bar of eighths; whatever is there at all shows. */
export function bar(part: number, whole: number, width: number): string {
    const eighths = whole > 0 ? Math.round((8 * width * Math.min(part, whole)) / whole) : 0;
    const seen = part > 0 ? Math.max(eighths, 1) : 0;
    return '█'.repeat(seen >> 3) + ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'][seen & 7];
}

/** Foreign text made safe: a file must not be able to steer the terminal or turn its text around. */
export function clean(text: string): string {
    return text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu, (mark) => (mark === '\u200d' ? mark : '�'));
}

/** A text within `width` columns. A path loses its front, since its end tells the file; other text loses its end. */
export function fit(text: string, width: number): string {
    const parts = segments(text);
    if (columns(parts) <= width) return text;
    const slash = text.search(/ \S*\//);
    const front = parts.slice(0, segments(text.slice(0, slash + 1)).length);
    const path = slash >= 0 && !/ /.test(text.slice(slash + 1)) && columns(front) < width / 2;
    const head = path ? front : [];
    const rest = path ? parts.slice(front.length).reverse() : parts;
    const kept = within(rest, width - columns(head) - 1);
    return path ? `${head.join('')}…${kept.reverse().join('')}` : `${kept.join('').trimEnd()}…`;
}

function segments(text: string): string[] {
    return [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
}

/** How many columns a terminal gives a text; wide characters take two. */
function columns(parts: readonly string[]): number {
    return parts.reduce((sum, part) => sum + (WIDE.test(part) ? 2 : 1), 0);
}

function within(parts: readonly string[], width: number): string[] {
    let used = 0;
    const end = parts.findIndex((part) => (used += columns([part])) > width);
    return parts.slice(0, end < 0 ? parts.length : end);
}

const WIDE =
    /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\uff01-\uff60]/u;
