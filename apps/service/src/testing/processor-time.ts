/**
 * Returns the processor time of this thread in milliseconds. For what a test says of the price of work: unlike the time of day, it does
 * not grow while the machine is busy with other things. It advances in steps of some milliseconds.
 */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
