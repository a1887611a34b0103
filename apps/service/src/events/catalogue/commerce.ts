import { eventsOf } from "./event-type.ts";
import { ada, count, currency, customer, entity, list, money, object, orNull, text, time, url } from "./shapes.ts";

const item = object("One item", {
  sku: text("Stock keeping unit"),
  name: text("Name of the product"),
  quantity: count("Quantity"),
  unit_price_minor: money("Unit price"),
});

const address = object("Shipping address", {
  line1: text("Street and number"),
  line2: text("Additional address information"),
  city: text("City"),
  postal_code: text("Postal code"),
  country: text("ISO 3166-1 alpha-2 code"),
});

const order = entity("The order as it is after the event", {
  number: text("Order number shown to the customer"),
  status: text("Status, such as open, paid, shipped, delivered, cancelled or returned"),
  currency,
  total_minor: money("Order total, including taxes and shipping"),
  items: list("Ordered items", item),
  shipping_address: address,
});

const product = entity("The product", {
  sku: text("Stock keeping unit"),
  name: text("Name"),
  currency,
  price_minor: money("List price"),
  url: url("URL of the product page"),
});

const lamp = { sku: "LMP-30-BRS", name: "Desk lamp, brass", quantity: 1, unit_price_minor: 8900 } as const;
const bulb = { sku: "BLB-E27-4W", name: "LED bulb E27, 4 W", quantity: 2, unit_price_minor: 650 } as const;

const lampOrder = {
  external_id: "ord_10482",
  number: "10482",
  status: "open",
  currency: "EUR",
  total_minor: 10_690,
  items: [lamp, bulb],
  shipping_address: { line1: "12 rue des Tanneurs", city: "Lyon", postal_code: "69009", country: "FR" },
} as const;

const parcel = {
  carrier: text("Name of the carrier"),
  tracking_number: text("Tracking number"),
  tracking_url: url("Tracking URL"),
};

export const commerceEvents = eventsOf("commerce", [
  {
    name: "order.created",
    description: "A customer placed an order, which may not be paid yet.",
    data: { order, customer, placed_at: time("Time at which the order was placed") },
    example: { order: lampOrder, customer: ada, placed_at: "2026-11-20T09:31:02.000Z" },
  },
  {
    name: "order.updated",
    description: "The items, the address or the amounts of an order changed after it was placed.",
    data: { order, customer, changed: list("Names of the changed fields", text("Field name")) },
    example: { order: { ...lampOrder, total_minor: 11_340 }, customer: ada, changed: ["items", "total_minor"] },
  },
  {
    name: "order.paid",
    description: "The full amount of an order has been paid.",
    data: {
      order,
      customer,
      payment_external_id: text("The payment that settled it"),
      paid_at: time("Time of payment"),
    },
    example: {
      order: { ...lampOrder, status: "paid" },
      customer: ada,
      payment_external_id: "pay_90177",
      paid_at: "2026-11-20T09:32:10.000Z",
    },
  },
  {
    name: "order.shipped",
    description: "An order, or the last part of it, left the warehouse.",
    data: { order, customer, ...parcel, shipped_at: time("Time of dispatch") },
    example: {
      order: { ...lampOrder, status: "shipped" },
      customer: ada,
      carrier: "Colissimo",
      tracking_number: "6A12345678901",
      tracking_url: "https://tracking.example.com/6A12345678901",
      shipped_at: "2026-11-21T14:05:00.000Z",
    },
  },
  {
    name: "order.delivered",
    description: "The carrier delivered the order.",
    data: {
      order,
      customer,
      ...parcel,
      delivered_at: time("Time of delivery"),
      signed_by: text("Person who signed for the delivery"),
    },
    example: {
      order: { ...lampOrder, status: "delivered" },
      customer: ada,
      carrier: "Colissimo",
      tracking_number: "6A12345678901",
      delivered_at: "2026-11-23T10:47:00.000Z",
    },
  },
  {
    name: "order.cancelled",
    description: "An order was cancelled before it was delivered.",
    data: {
      order,
      customer,
      reason: text("Reason"),
      cancelled_by: text("Who cancelled the order, such as customer, merchant or system"),
      cancelled_at: time("Time at which this happened"),
    },
    example: {
      order: { ...lampOrder, status: "cancelled" },
      customer: ada,
      reason: "ordered twice by mistake",
      cancelled_by: "customer",
      cancelled_at: "2026-11-20T11:15:00.000Z",
    },
  },
  {
    name: "order.returned",
    description: "Some or all items of an order were returned.",
    data: {
      order,
      customer,
      items: list("Returned items", item),
      reason: text("Reason"),
      refund_minor: money("Amount to be refunded"),
      returned_at: time("Time at which the items arrived"),
    },
    example: {
      order: { ...lampOrder, status: "returned" },
      customer: ada,
      items: [lamp],
      reason: "switch is broken",
      refund_minor: 8900,
      returned_at: "2026-11-28T08:20:00.000Z",
    },
  },
  {
    name: "cart.abandoned",
    description: "A cart was not changed for the time after which your shop treats it as abandoned.",
    data: {
      cart: entity("The cart", {
        currency,
        total_minor: money("Value of the cart"),
        items: list("Items in the cart", item),
        url: url("URL at which the customer can resume"),
      }),
      customer: orNull(customer),
      last_active_at: time("Time of the last change"),
    },
    example: {
      cart: {
        external_id: "crt_55310",
        currency: "EUR",
        total_minor: 8900,
        items: [lamp],
        url: "https://shop.example.com/carts/55310",
      },
      customer: ada,
      last_active_at: "2026-11-20T08:02:44.000Z",
    },
  },
  {
    name: "checkout.completed",
    description: "A customer completed the checkout.",
    data: {
      checkout: entity("The checkout", {
        currency,
        total_minor: money("Agreed total"),
        coupon: orNull(text("Coupon code, null without one")),
        payment_method: text("Payment method, such as card, sepa_debit or invoice"),
      }),
      order_external_id: text("The resulting order"),
      customer,
      completed_at: time("Time at which this happened"),
    },
    example: {
      checkout: {
        external_id: "chk_78120",
        currency: "EUR",
        total_minor: 10_690,
        coupon: null,
        payment_method: "card",
      },
      order_external_id: "ord_10482",
      customer: ada,
      completed_at: "2026-11-20T09:31:00.000Z",
    },
  },
  {
    name: "product.created",
    description: "A product was added to the catalog.",
    data: { product, created_at: time("Time at which this happened") },
    example: {
      product: {
        external_id: "prd_310",
        sku: "LMP-30-BRS",
        name: "Desk lamp, brass",
        currency: "EUR",
        price_minor: 8900,
        url: "https://shop.example.com/p/desk-lamp-brass",
      },
      created_at: "2026-11-03T07:00:00.000Z",
    },
  },
  {
    name: "product.out_of_stock",
    description: "The last piece of a product was sold or reserved.",
    data: {
      product,
      warehouse: text("Name of the stock that ran out"),
      restock_expected_at: orNull(time("Expected restock date, null when unknown")),
    },
    example: {
      product: {
        external_id: "prd_310",
        sku: "LMP-30-BRS",
        name: "Desk lamp, brass",
        currency: "EUR",
        price_minor: 8900,
      },
      warehouse: "lyon-1",
      restock_expected_at: "2026-12-04T00:00:00.000Z",
    },
  },
]);
