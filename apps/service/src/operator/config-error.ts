/** Every fault of the environment at once; the process exits 78 with them. */
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
