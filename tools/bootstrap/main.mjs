import { buildConsole } from "./console.mjs";
import { install } from "./install.mjs";
import { EXIT, Refusal, say, systemRefusal } from "./report.mjs";

try {
  await install();
  // `--console`: the service works without, and says so at its `/`. `--console=must`: the tests do not.
  const [asked] = process.argv.slice(2);
  if (asked !== undefined && !(await buildConsole()) && asked === "--console=must") process.exitCode = EXIT.failure;
} catch (error) {
  const refusal = error instanceof Refusal ? error : systemRefusal(error.code, error.message);
  if (refusal === undefined) throw error;
  say(refusal.message);
  process.exitCode = refusal.exit;
}
