import type { Zone } from "./zones.js";

/** Departures of a week: days of the week (0 is Sunday) and the hour in UTC at which loading ends. */
interface Sailing {
  readonly ship: string;
  readonly from: Zone;
  readonly to: Zone;
  readonly days: readonly number[];
  readonly closes: number;
  readonly hours: number;
}

const SAILINGS: readonly Sailing[] = [
{SAILINGS}];

/** A sailing runs both ways on the same days. */
function sailing(from: Zone, to: Zone): Sailing | undefined {
  return SAILINGS.find((each) => (each.from === from && each.to === to) || (each.from === to && each.to === from));
}

/** The first departure whose loading has not ended; `undefined` when the lane is served on request only. */
export function nextDeparture(from: Zone, to: Zone, now: Date): Date | undefined {
  const found = sailing(from, to);
  if (!found) return undefined;
  for (let ahead = 0; ahead <= 7; ahead += 1) {
    const day = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + ahead, found.closes));
    if (found.days.includes(day.getUTCDay()) && day > now) return day;
  }
  return undefined;
}

/** Arrival for a departure, port handling of four hours on both sides included. */
export function arrival(from: Zone, to: Zone, departure: Date): Date | undefined {
  const found = sailing(from, to);
  if (!found) return undefined;
  return new Date(departure.getTime() + (found.hours + 8) * 3_600_000);
}
