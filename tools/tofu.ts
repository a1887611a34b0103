import { join } from "node:path";
import { cachedAlone } from "./cached.ts";
import { goModule } from "./go-module.ts";
import { go } from "./go.ts";
import { must } from "./run.ts";

const MINUTES_60 = 3_600_000;
const MODULE = {
  path: "github.com/opentofu/opentofu",
  version: "v1.12.6",
  sum: "h1:0VT4P8pMmGcCUnQ9JDrJ+Qg2d35Vzm4FFd/9+H7oF98=",
};

/**
 * Returns the real OpenTofu, which runs the provider in tests. The first call of a machine builds it, for some minutes. Its module replaces
 * others, which `go install` refuses, so it is built in its own folder.
 */
export async function tofu(): Promise<string> {
  const home = await cachedAlone(`go/tofu-${MODULE.version}`, async (draft) => {
    const { program, env } = await go();
    await must(program, ["build", "-trimpath", "-ldflags=-s -w", "-o", join(draft, "tofu"), "./cmd/tofu"], {
      cwd: await goModule(MODULE),
      timeout: MINUTES_60,
      env: { ...process.env, GOTOOLCHAIN: "auto", GOFLAGS: "-buildvcs=false", GOWORK: "off", ...env },
    });
  });
  return join(home, "tofu");
}
