export { EXTRACTED, fieldsOf } from "../features/sources/extracted.ts";
export { ReceiptLight, receiptWords } from "../features/sources/receipt-states.tsx";
export { ReceiptTable } from "../features/sources/receipt-table.tsx";
