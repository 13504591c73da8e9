import { config } from "./config.js";
import { log } from "./log.js";
import type { Zone } from "./zones.js";

/** What the tariff service says of one lane. Prices in tenths of a cent. */
export interface Tariff {
  readonly lane: string;
  readonly perKilogram: number;
  readonly dangerousGoods: number;
  readonly validDays: number;
  readonly revision: number;
}

export class TariffError extends Error {
  constructor(
    readonly lane: string,
    readonly status: number,
    message: string,
  ) {
    super(`tariff ${lane}: ${message} (status ${status})`);
  }
}

/** Lanes have no direction: the smaller zone stands first. */
export function lane(from: Zone, to: Zone): string {
  return [from, to].sort().join("-");
}

const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 80;

/** Asks the tariff service for one lane, and again when it is busy. 404 is final: the lane is not served. */
export async function tariff(route: string): Promise<Tariff> {
  for (let attempt = 1; ; attempt += 1) {
    const started = performance.now();
    const response = await fetch(`${config.tariffService}/lanes/${route}`, {
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(config.tariffTimeoutMs),
    });
    const ms = Math.round(performance.now() - started);
    if (response.ok) {
      log.debug({ route, ms, attempt }, "tariff fetched");
      return (await response.json()) as Tariff;
    }
    if (response.status === 404) throw new TariffError(route, 404, "no such lane");
    if (attempt >= ATTEMPTS) throw new TariffError(route, response.status, "gave up");
    log.warn({ route, ms, attempt, status: response.status }, "tariff service busy, trying again");
    await pause(FIRST_PAUSE_MS * 2 ** attempt);
  }
}

/** Every lane at once, for the nightly comparison with `data/tariffs.json`. */
export async function allTariffs(): Promise<Map<string, Tariff>> {
  const response = await fetch(`${config.tariffService}/lanes`);
  if (!response.ok) throw new TariffError("*", response.status, "the list was refused");
  const list = (await response.json()) as Tariff[];
  return new Map(list.map((entry) => [entry.lane, entry]));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
