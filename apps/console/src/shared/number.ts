const number = new Intl.NumberFormat("en");

/** "1,234" */
export function numberText(value: number): string {
  return number.format(value);
}
