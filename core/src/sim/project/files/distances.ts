import { UnknownPort } from "./zones.js";

/** Nautical miles between two ports on the usual route, measured pilot to pilot. One row serves both directions. */
const MILES: readonly (readonly [string, string, number])[] = [
{MILES}];

const byPair = new Map(MILES.map(([from, to, miles]) => [key(from, to), miles]));

function key(from: string, to: string): string {
  return from < to ? `${from}-${to}` : `${to}-${from}`;
}

/** The distance of two ports; `undefined` when the route goes by a third one. */
export function miles(from: string, to: string): number | undefined {
  if (from.length !== 5) throw new UnknownPort(from);
  return from === to ? 0 : byPair.get(key(from, to));
}

/** Hours at sea at a speed in knots, without pilotage and locks. */
export function hoursAtSea(from: string, to: string, knots: number): number | undefined {
  const distance = miles(from, to);
  return distance === undefined || knots <= 0 ? undefined : distance / knots;
}
