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
  { code: "SEGOT", name: "Göteborg", zone: "NORD", fee: 9_500 },
  { code: "SESTO", name: "Stockholm", zone: "NORD", fee: 9_900 },
  { code: "NOOSL", name: "Oslo", zone: "NORD", fee: 10_400 },
  { code: "DKCPH", name: "København", zone: "NORD", fee: 9_100 },
  { code: "LVRIX", name: "Rīga", zone: "BALT", fee: 8_200 },
  { code: "EETLL", name: "Tallinn", zone: "BALT", fee: 8_000 },
  { code: "LTKLJ", name: "Klaipėda", zone: "BALT", fee: 7_800 },
  { code: "PLGDN", name: "Gdańsk", zone: "BALT", fee: 7_600 },
  { code: "DEHAM", name: "Hamburg", zone: "WEST", fee: 9_700 },
  { code: "NLRTM", name: "Rotterdam", zone: "WEST", fee: 9_200 },
  { code: "BEANR", name: "Antwerpen", zone: "WEST", fee: 9_300 },
  { code: "FRLEH", name: "Le Havre", zone: "WEST", fee: 9_800 },
  { code: "GBFXT", name: "Felixstowe", zone: "ISLE", fee: 10_900 },
  { code: "GBLIV", name: "Liverpool", zone: "ISLE", fee: 11_200 },
  { code: "IEDUB", name: "Dublin", zone: "ISLE", fee: 10_800 },
  { code: "ISREY", name: "Reykjavík", zone: "ISLE", fee: 13_900 },
  { code: "ESBIO", name: "Bilbao", zone: "SOUTH", fee: 9_400 },
  { code: "PTLEI", name: "Leixões", zone: "SOUTH", fee: 9_000 },
  { code: "ESVLC", name: "València", zone: "SOUTH", fee: 8_900 },
  { code: "ITGOA", name: "Genova", zone: "SOUTH", fee: 9_600 },
  { code: "FIHEL", name: "Helsinki", zone: "BOTH", fee: 9_600 },
  { code: "FIRAU", name: "Rauma", zone: "BOTH", fee: 9_150 },
  { code: "SELLA", name: "Luleå", zone: "BOTH", fee: 9_890 },
  { code: "FIOUL", name: "Oulu", zone: "BOTH", fee: 9_720 },
];

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
