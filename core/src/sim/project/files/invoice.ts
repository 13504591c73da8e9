import { type Cents, cents, format } from "./money.js";
import type { Quote } from "./quote.js";

/** Value added tax in thousandths, by the customer's country; freight across a border is free of it. */
const TAX: Readonly<Record<string, number>> = { SE: 250, NO: 250, DK: 250, LV: 210, EE: 240, LT: 210, PL: 230, DE: 190 };

export interface Line {
  readonly text: string;
  readonly amount: Cents;
}

export interface Invoice {
  readonly number: string;
  readonly lines: readonly Line[];
  readonly net: Cents;
  readonly tax: Cents;
  readonly gross: Cents;
  readonly due: string;
}

/** Payment is due so many days after the invoice; a customer's contract may say otherwise. */
export const DAYS_TO_PAY = 30;

/** One invoice for all quotes that a customer accepted in a month. Amounts are whole cents already and only added. */
export function invoice(number: string, country: string, domestic: boolean, quotes: readonly Quote[], day: Date): Invoice {
  const lines = quotes.map((quote) => ({ text: `${quote.id} ${quote.lane} ${quote.chargeable} kg`, amount: quote.total }));
  const net = sum(lines.map((line) => line.amount));
  const tax = domestic ? taxOn(net, country) : cents(0);
  const due = new Date(day);
  due.setUTCDate(due.getUTCDate() + DAYS_TO_PAY);
  return { number, lines, net, tax, gross: sum([net, tax]), due: due.toISOString().slice(0, 10) };
}

/** Tax is rounded to the cent on the whole invoice, as the law of every served country allows. */
export function taxOn(net: Cents, country: string): Cents {
  const share = TAX[country];
  if (share === undefined) throw new RangeError(`no tax rate for ${country}`);
  return cents(Math.round((net * share) / 1000));
}

/** The invoice as plain text, for the mail that goes with the document. */
export function printed(invoice: Invoice): string {
  const rows = invoice.lines.map((line) => `${line.text.padEnd(48)}${format(line.amount).padStart(16)}`);
  const foot = [["net", invoice.net], ["tax", invoice.tax], ["to pay", invoice.gross]] as const;
  const totals = foot.map(([name, amount]) => `${name.padEnd(48)}${format(amount).padStart(16)}`);
  return [`Invoice ${invoice.number}`, "", ...rows, "-".repeat(64), ...totals, `due on ${invoice.due}`].join("\n");
}

function sum(amounts: readonly Cents[]): Cents {
  return cents(amounts.reduce((total, amount) => total + amount, 0));
}
