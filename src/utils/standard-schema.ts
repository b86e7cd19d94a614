/**
 * A schema of any library that follows Standard Schema v1 (Zod, Valibot, ArkType…).
 *
 * @see https://standardschema.dev
 */
export interface StandardSchema<Output = unknown> {
  /** What the library offers to others: the one property of the standard. */
  readonly '~standard': {
    /** The version of the standard. */
    readonly version: 1;
    /** The library. */
    readonly vendor: string;
    /** Checks a value. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** For types alone. */
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** What a schema says of a value: the parsed value, or its issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };
