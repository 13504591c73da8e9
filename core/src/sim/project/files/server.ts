import { randomUUID } from "node:crypto";
import Fastify from "fastify";
import { ZodError } from "zod";
import { cacheStatistics } from "./cache.js";
import { config } from "./config.js";
import { log } from "./log.js";
import { QuoteRequest, quote, quoteAll } from "./quote.js";
import { TariffError } from "./tariffs.js";
import { ports } from "./zones.js";

/** Larger lists are refused: a quote holds the event loop for about a tenth of a millisecond. */
const MOST_CONSIGNMENTS = 200;

/** A customer may ask so often in a minute; the counters live in memory and are lost on restart. */
const QUOTES_PER_MINUTE = 120;

const app = Fastify({ loggerInstance: log, bodyLimit: 256 * 1024, genReqId: () => randomUUID() });
const counters = new Map<string, { minute: number; count: number }>();

app.post("/quotes", async (request, reply) => {
  const body = QuoteRequest.parse(request.body);
  if (!allowed(body.customer, Date.now())) {
    return reply.code(429).header("retry-after", "60").send({ error: "too many quotes, wait a minute" });
  }
  const started = performance.now();
  const made = await quote(body, new Date(), request.id);
  const ms = Math.round(performance.now() - started);
  request.log.info({ lane: made.lane, total: made.total, ms }, "quote");
  return reply.code(201).send(made);
});

app.post("/quotes/batch", async (request, reply) => {
  if (!Array.isArray(request.body)) return reply.code(400).send({ error: "a list of quote requests is expected" });
  if (request.body.length > MOST_CONSIGNMENTS) {
    return reply.code(413).send({ error: `at most ${MOST_CONSIGNMENTS} consignments at once` });
  }
  const bodies = request.body.map((each) => QuoteRequest.parse(each));
  const made = await quoteAll(bodies, new Date(), randomUUID);
  request.log.info({ count: made.length }, "batch");
  return reply.code(201).send(made);
});

app.get("/ports", () => ports());

app.get("/health", () => ({ ok: true, version: process.env.npm_package_version, cache: cacheStatistics() }));

app.setErrorHandler((error, request, reply) => {
  if (error instanceof ZodError) {
    const issues = error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    return reply.code(422).send({ error: "the request is not valid", issues });
  }
  if (error instanceof TariffError) {
    request.log.error({ lane: error.lane, status: error.status }, error.message);
    return reply.code(error.status === 404 ? 404 : 502).send({ error: error.message });
  }
  request.log.error(error, "unexpected");
  return reply.code(500).send({ error: "internal error", id: request.id });
});

function allowed(customer: string, now: number): boolean {
  const minute = Math.floor(now / 60_000);
  const counter = counters.get(customer);
  if (!counter || counter.minute !== minute) {
    counters.set(customer, { minute, count: 1 });
    return true;
  }
  counter.count += 1;
  return counter.count <= QUOTES_PER_MINUTE;
}

await app.listen({ host: "0.0.0.0", port: config.port });
