import type { SealedColumn } from "../lib/lib.ts";
import type { Points, Provisions } from "./points.ts";

/** The context that a module is created with, in addition to the modules that it needs. */
export interface Composition {
  /** The lists of all extension points. They are complete once every module is created; reading one before that throws. */
  readonly points: Points;
  /** Returns true once the service has begun to stop. */
  isStopping(): boolean;
}

/** A part of the service, created by the composer. */
export interface Module<Product = unknown> {
  readonly name: string;
  readonly needs: Readonly<Record<string, Module>>;
  readonly readsPoints: boolean;
  readonly encryptedColumns: readonly SealedColumn[];
  create(made: CreatedParts, composition: Composition): Promise<Product>;
  provides(product: Product, made: CreatedParts): Partial<Provisions>;
}

/** The products of the modules that a module needs, by the names that it gives them. */
type CreatedParts = Readonly<Record<string, unknown>>;
type Needs = Readonly<Record<string, Module>>;
export type ProductOf<M extends Module> = M extends Module<infer Product> ? Product : never;
type ProductsOf<N extends Needs> = { readonly [Name in keyof N]: ProductOf<N[Name]> };

/** Declares the connections of a module to the other modules. */
export interface Manifest<N extends Needs, Product> {
  readonly name: string;
  /** Modules that are created before this one, which gets their products. */
  readonly needs: N;
  /**
   * Set for a module that reads extension points while it is created. It is created last, and provides only `workers`.
   */
  readonly readsPoints?: true;
  /** Columns whose values it encrypts with the master key, for the key's rotation. */
  readonly encryptedColumns?: readonly SealedColumn[];
  create(made: ProductsOf<N>, composition: Composition): Product | Promise<Product>;
  /** Returns the items that it adds to extension points. */
  provides?(product: Product, made: ProductsOf<N>): Partial<Provisions>;
}

export function defineModule<N extends Needs, Product>(manifest: Manifest<N, Product>): Module<Product> {
  return {
    name: manifest.name,
    needs: manifest.needs,
    readsPoints: manifest.readsPoints ?? false,
    encryptedColumns: manifest.encryptedColumns ?? [],
    create: async (made, composition) => await manifest.create(made as ProductsOf<N>, composition),
    provides: (product, made) => manifest.provides?.(product, made as ProductsOf<N>) ?? {},
  };
}

/** A module that is not created but given to the composer, such as the settings. */
export function givenModule<Product>(name: string): Module<Product> {
  return defineModule({
    name,
    needs: {},
    create(): Product {
      throw new Error(`"${name}" was not given to the composer.`);
    },
  });
}
