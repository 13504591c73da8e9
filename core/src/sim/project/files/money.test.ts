import { describe, expect, it, test } from "vitest";
import { cents, format, mills, parse, permille, roundCents } from "../src/money.js";

describe("roundCents", () => {
  test.each([
    [0, 0],
    [4, 0],
    [5, 1],
    [10, 1],
    [14, 1],
    [15, 2],
    [12344, 1234],
    [12345, 1235],
    [12346, 1235],
    [99995, 10000],
{CASES}  ])("%i mills are %i cents, half up", (amount, expected) => {
    expect(roundCents(mills(amount))).toBe(expected);
  });
});

describe("permille", () => {
  it("does not round by itself", () => {
    expect(permille(mills(1001), 125)).toBeCloseTo(125.125);
  });
});

describe("format and parse", () => {
  it.each(["0.00 EUR", "0.07 EUR", "12.34 EUR", "-12.34 EUR", "1234567.00 EUR"])("%s comes back", (text) => {
    expect(format(parse(text.replace(" EUR", "")))).toBe(text);
  });

  it("refuses what is not an amount", () => {
    for (const text of ["", "12", "12.3", "1 234.00", "12.345", "EUR 5.00"]) {
      expect(() => parse(text)).toThrow(RangeError);
    }
  });

  it("keeps the currency it is given", () => {
    expect(format(cents(5), "SEK")).toBe("0.05 SEK");
  });
});
