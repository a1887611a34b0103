import { expect, test } from "vitest";
import { createHistogram, merged, quantile } from "./histogram.ts";

test("a quantile is at most 1 % above the latency it stands for", () => {
  const histogram = createHistogram();
  for (let ms = 1; ms <= 1000; ms += 1) histogram.add(ms);
  for (const q of [0.5, 0.95, 0.99, 1]) {
    const found = quantile(histogram.read(), q);
    expect(found).toBeGreaterThanOrEqual(1000 * q * 0.999);
    expect(found).toBeLessThanOrEqual(1000 * q * 1.011);
  }
});

test("the histograms of two processes read as one", () => {
  const [low, high] = [createHistogram(), createHistogram()];
  for (let n = 0; n < 90; n += 1) low.add(1);
  for (let n = 0; n < 10; n += 1) high.add(100);
  const all = merged([high.read(), low.read()]);
  expect(all).toMatchObject({ count: 100, maxMs: 100 });
  expect(quantile(all, 0.9)).toBeLessThan(1.02);
  expect(quantile(all, 0.95)).toBe(100);
});

test("a histogram without latencies has no quantile", () => {
  expect(quantile(createHistogram().read(), 0.99)).toBeNaN();
});
