/**
 * A schema of any library that follows Standard Schema v1 (Zod, Valibot, ArkType…).
 *
 * @see https://standardschema.dev
 */
// @ts-nocheck

export interface StandardSchema<Output = unknown> {
  /** The one property that the standard defines. */
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

/** The result of a check: the parsed value, or its issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };
