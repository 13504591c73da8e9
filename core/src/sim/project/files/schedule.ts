import type { Zone } from "./zones.js";

/** Departures of a week: days of the week (0 is Sunday) and the hour in UTC at which loading ends. */
interface Sailing {
  readonly from: Zone;
  readonly to: Zone;
  readonly days: readonly number[];
  readonly closes: number;
  readonly hours: number;
}

const SAILINGS: readonly Sailing[] = [
  { from: "NORD", to: "BALT", days: [1, 3, 5], closes: 16, hours: 22 },
  { from: "NORD", to: "WEST", days: [2, 4, 6], closes: 14, hours: 31 },
  { from: "NORD", to: "ISLE", days: [1, 4], closes: 12, hours: 40 },
  { from: "NORD", to: "SOUTH", days: [3], closes: 10, hours: 118 },
  { from: "BALT", to: "WEST", days: [1, 2, 4], closes: 15, hours: 44 },
  { from: "BALT", to: "ISLE", days: [5], closes: 11, hours: 63 },
  { from: "BALT", to: "SOUTH", days: [2], closes: 9, hours: 141 },
  { from: "WEST", to: "ISLE", days: [0, 1, 2, 3, 4, 5, 6], closes: 18, hours: 11 },
  { from: "WEST", to: "SOUTH", days: [2, 5], closes: 13, hours: 87 },
  { from: "BOTH", to: "NORD", days: [1, 2, 3, 4, 5], closes: 17, hours: 19 },
  { from: "BOTH", to: "BALT", days: [1, 4], closes: 16, hours: 26 },
];

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
