/** Groups of ports with one tariff. A new zone needs a lane to every other one, and a row in `data/tariffs.json`. */
export type Zone = "NORD" | "BALT" | "WEST" | "ISLE" | "SOUTH" | "BOTH";

interface Port {
  readonly code: string;
  readonly name: string;
  readonly zone: Zone;
  /** Tenths of a cent for each consignment. */
  readonly fee: number;
}

/** By UN/LOCODE. The fees are those of 2026; each port announces its own in December. */
const PORTS: readonly Port[] = [
{PORTS}];

const byCode = new Map(PORTS.map((port) => [port.code, port]));

export class UnknownPort extends RangeError {
  constructor(readonly code: string) {
    super(`unknown port ${JSON.stringify(code)}; GET /ports lists what is served`);
  }
}

function port(code: string): Port {
  const found = byCode.get(code.toUpperCase());
  if (!found) throw new UnknownPort(code);
  return found;
}

/** The zone that a port belongs to. */
export function zoneOf(code: string): Zone {
  return port(code).zone;
}

/** What a port takes for a consignment, in tenths of a cent. */
export function portFee(code: string): number {
  return port(code).fee;
}

/** Everything that is served, by name. */
export function ports(): { code: string; name: string; zone: Zone }[] {
  const list = PORTS.map(({ code, name, zone }) => ({ code, name, zone }));
  return list.sort((a, b) => a.name.localeCompare(b.name, "en"));
}
