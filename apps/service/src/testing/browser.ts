/** Returns the path of the Chromium that the tests' global setup found (tools/console/global-setup.ts). Undefined if there is none. */
export function findBrowser(): string | undefined {
  const found = process.env["CHROMIUM"];
  if (found === undefined)
    console.warn("SKIPPED: tests in a browser: there is no Chromium, and none could be fetched from the npm registry.");
  return found;
}
