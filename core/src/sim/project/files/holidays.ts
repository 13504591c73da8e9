/** Days on which no port of a country loads. Kept by hand from the calendars that the port authorities publish. */
const HOLIDAYS: Readonly<Record<string, readonly string[]>> = {
{HOLIDAYS}};

/** True on a day without loading: a Sunday, or a holiday of the port's country. */
export function isClosed(port: string, day: Date): boolean {
  const date = day.toISOString().slice(0, 10);
  return day.getUTCDay() === 0 || (HOLIDAYS[port.slice(0, 2)] ?? []).includes(date);
}

/** The first day from `day` on at which a port loads. */
export function nextOpenDay(port: string, day: Date): Date {
  const next = new Date(day);
  while (isClosed(port, next)) next.setUTCDate(next.getUTCDate() + 1);
  return next;
}
