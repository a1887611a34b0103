/** All faults of the environment. The process prints them and exits with code 78. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    const [first = ""] = faults;
    const list = faults.map((fault) => `  - ${fault}`).join("\n");
    super(faults.length === 1 ? first : `The configuration has ${faults.length} errors:\n${list}`);
    this.name = "ConfigError";
    this.faults = faults;
  }
}
