import { beforeEach, describe, expect, it, vi } from "vitest";
import { MINIMUM_WEIGHT, QuoteRequest, chargeableWeight, quote } from "../src/quote.js";
import * as tariffs from "../src/tariffs.js";

const now = new Date("2026-03-02T09:00:00Z");
const price = { lane: "BALT-NORD", perKilogram: 37, dangerousGoods: 45_000, validDays: 14, revision: 311 };

function request(changes: Partial<QuoteRequest> = {}): QuoteRequest {
  const body = { customer: "K-48151", origin: "SEGOT", destination: "LVRIX", weight: 813, volume: 1.5 };
  return QuoteRequest.parse({ ...body, ...changes });
}

beforeEach(() => {
  vi.spyOn(tariffs, "tariff").mockResolvedValue(price);
});

describe("chargeableWeight", () => {
  it("takes the larger of weight and volume", () => {
    expect(chargeableWeight({ weight: 813, volume: 1.5 })).toBe(813);
    expect(chargeableWeight({ weight: 813, volume: 3 })).toBe(999);
  });

  it("is never below the minimum", () => {
    expect(chargeableWeight({ weight: 1, volume: 0.01 })).toBe(MINIMUM_WEIGHT);
  });
});

describe("quote", () => {
  it("rounds the sum once, half up", async () => {
    // 813 kg x 37 = 30081 mills, surcharge 3760.125, fees 9500 + 8200: 51541.125 mills are 5154 cents.
    expect((await quote(request(), now, "q1")).total).toBe(5154);
  });

  it("rounds a half up", async () => {
    // 840 kg x 37 = 31080, surcharge 3885, fees 17700: 52665 mills lie half way between 5266 and 5267 cents.
    expect((await quote(request({ weight: 840 }), now, "q2")).total).toBe(5267);
  });

  it("adds the handling of dangerous goods", async () => {
    expect((await quote(request({ dangerous: true }), now, "q3")).total).toBe(9654);
  });

  it("is valid for as many days as the tariff says", async () => {
    expect((await quote(request(), now, "q4")).validUntil).toBe("2026-03-16T09:00:00.000Z");
  });

  it("does not depend on the direction", async () => {
    const there = await quote(request(), now, "q5");
    const back = await quote(request({ origin: "LVRIX", destination: "SEGOT" }), now, "q6");
    expect(back.total).toBe(there.total);
  });
});
