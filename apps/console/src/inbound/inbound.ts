export { EXTRACTED, fieldsOf } from "./extracted.ts";
export { ReceiptLight, receiptWords } from "./receipt-states.tsx";
export { ReceiptTable } from "./receipt-table.tsx";
