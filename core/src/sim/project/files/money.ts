/** Whole cents. A plain number would let a price in euros slip in. */
export type Cents = number & { readonly unit: "cents" };

/** Tenths of a cent, the unit of the tariff service. */
export type Mills = number & { readonly unit: "mills" };

export const cents = (value: number): Cents => value as Cents;
export const mills = (value: number): Mills => value as Mills;

/**
 * Rounds tenths of a cent to whole cents.
 *
 * Every amount on an invoice goes through here exactly once, at the very end: rounding lane by lane adds up to an
 * error of several euros on a consignment of a hundred pallets.
 */
export function roundCents(amount: Mills): Cents {
  return cents(Math.floor(amount / 10));
}

/** A share in thousandths of an amount, not rounded. */
export function permille(amount: Mills, share: number): Mills {
  return mills((amount * share) / 1000);
}

/** `1234` as `12.34 EUR`. */
export function format(amount: Cents, currency = "EUR"): string {
  const sign = amount < 0 ? "-" : "";
  const digits = Math.abs(amount).toString().padStart(3, "0");
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)} ${currency}`;
}

/** Reads `12.34` or `12,34`; throws on anything else, since a silent zero was once invoiced for a month. */
export function parse(text: string): Cents {
  const match = /^(-?)(\d+)[.,](\d{2})$/.exec(text.trim());
  if (!match) throw new RangeError(`not an amount: ${JSON.stringify(text)}`);
  const [, sign, whole, fraction] = match;
  return cents((sign ? -1 : 1) * (Number(whole) * 100 + Number(fraction)));
}
