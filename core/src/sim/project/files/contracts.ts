/** What was agreed with a customer. Everything else is in the general terms. */
export interface Contract {
  readonly customer: string;
  readonly name: string;
  /** Thousandths off the freight; fees are never reduced. */
  readonly discount: number;
  readonly daysToPay: number;
  readonly validFrom: string;
  readonly by: string;
}

/** By customer number. Sales sends changes on the last working day of a month. */
const CONTRACTS: readonly Contract[] = [
{CONTRACTS}];

const byCustomer = new Map(CONTRACTS.map((contract) => [contract.customer, contract]));

/** The contract in force on a day; `undefined` for customers on the general terms. */
export function contractOf(customer: string, day: Date): Contract | undefined {
  const found = byCustomer.get(customer);
  return found && new Date(found.validFrom) <= day ? found : undefined;
}

/** Thousandths off the freight for a customer, 0 without a contract. */
export function discountOf(customer: string, day: Date): number {
  return contractOf(customer, day)?.discount ?? 0;
}
