import { z } from "zod";
import { cached } from "./cache.js";
import { type Cents, format, mills, permille, roundCents } from "./money.js";
import { lane, tariff } from "./tariffs.js";
import { portFee, zoneOf } from "./zones.js";

/** Fuel surcharge in thousandths of the freight. Set by the board, changed on the first of a month. */
export const FUEL_SURCHARGE = 125;

/** One cubic metre counts as so many kilograms; the larger of both weights is charged. */
export const KILOGRAMS_PER_CUBIC_METRE = 333;

/** The smallest chargeable weight. Below it a pallet costs more to handle than to carry. */
export const MINIMUM_WEIGHT = 100;

export const QuoteRequest = z.object({
  customer: z.string().regex(/^K-\d{5}$/),
  origin: z.string().length(5),
  destination: z.string().length(5),
  weight: z.number().positive().max(28_000),
  volume: z.number().positive().max(90),
  dangerous: z.boolean().default(false),
});
export type QuoteRequest = z.infer<typeof QuoteRequest>;

export interface Quote {
  readonly id: string;
  readonly lane: string;
  readonly chargeable: number;
  readonly freight: Cents;
  readonly surcharge: Cents;
  readonly fees: Cents;
  readonly total: Cents;
  readonly text: string;
  readonly validUntil: string;
}

/** The weight that is charged: real, by volume, or the minimum, whichever is largest. */
export function chargeableWeight(request: Pick<QuoteRequest, "weight" | "volume">): number {
  const byVolume = request.volume * KILOGRAMS_PER_CUBIC_METRE;
  return Math.max(request.weight, byVolume, MINIMUM_WEIGHT);
}

/**
 * Makes a quote. The sum is built in tenths of a cent and rounded once, at its end; the three parts beside it are
 * rounded for display only, so they may differ from the total by a cent.
 */
export async function quote(request: QuoteRequest, now: Date, id: string): Promise<Quote> {
  const route = lane(zoneOf(request.origin), zoneOf(request.destination));
  const price = await cached(`tariff:${route}`, () => tariff(route));
  const chargeable = chargeableWeight(request);

  const freight = mills(chargeable * price.perKilogram);
  const surcharge = permille(freight, FUEL_SURCHARGE);
  const handling = request.dangerous ? mills(price.dangerousGoods) : mills(0);
  const fees = mills(portFee(request.origin) + portFee(request.destination) + handling);

  const total = roundCents(mills(freight + surcharge + fees));
  return {
    id,
    lane: route,
    chargeable,
    freight: roundCents(freight),
    surcharge: roundCents(surcharge),
    fees: roundCents(fees),
    total,
    text: format(total),
    validUntil: addDays(now, price.validDays).toISOString(),
  };
}

/** Several consignments of one customer: summed before rounding, which is what the contract says. */
export async function quoteAll(requests: QuoteRequest[], now: Date, nextId: () => string): Promise<Quote[]> {
  const quotes: Quote[] = [];
  for (const request of requests) {
    quotes.push(await quote(request, now, nextId()));
  }
  return quotes;
}

function addDays(date: Date, days: number): Date {
  const later = new Date(date);
  later.setUTCDate(later.getUTCDate() + days);
  return later;
}
