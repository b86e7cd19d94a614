import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly headers: Readonly<
      Record<string, { readonly required?: boolean; readonly schema: object }>
    >;
  };
}
interface DescribedOperation {
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}
interface DescribedResponse {
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

/** Says of an answer what the description does not allow: empty when it is as described. The body is left unread. */
export type CheckAnswer = (
  request: { method: string; url: string },
  response: Response,
) => Promise<readonly string[]>;

/** An independent judge of answers, made from the OpenAPI description alone. `prefix` is what stands before its paths. */
export function answersFrom(document: object, prefix = '/v1'): CheckAnswer {
  const { paths, components } = document as Described;
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: false });
  formats.default(ajv);
  ajv.addVocabulary(['components', 'info', 'openapi', 'paths', 'security', 'servers', 'tags']);
  ajv.addSchema(document, 'openapi');
  const cache = new Map<object, ValidateFunction>();
  const validator = (schema: object) => {
    const known = cache.get(schema) ?? ajv.compile(absolute(schema));
    cache.set(schema, known);
    return known;
  };

  return async ({ method, url }, response) => {
    const path = new URL(url).pathname.slice(prefix.length);
    const template = Object.keys(paths).find((each) =>
      new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
    );
    const described =
      template === undefined
        ? undefined
        : paths[template]?.[method.toLowerCase()]?.responses[response.status];
    if (!described) return [`${method} ${path} answering ${response.status} is not described`];
    const problems: string[] = [];
    for (const name of Object.keys(described.headers ?? {})) {
      const { required = false, schema } = components.headers[name] ?? { schema: false as never };
      const text = response.headers.get(name);
      if (text === null && required) problems.push(`header ${name} is missing`);
      const value = (schema as { type?: string }).type === 'integer' ? Number(text) : text;
      if (text !== null && !validator(schema)(value)) problems.push(`header ${name}: ${text}`);
    }
    for (const [type, { schema }] of Object.entries(described.content ?? {})) {
      if (!response.headers.get('Content-Type')?.startsWith(type))
        problems.push(`the body is no ${type}`);
      const validate = validator(schema);
      if (!validate(await response.clone().json())) problems.push(ajv.errorsText(validate.errors));
    }
    return problems;
  };
}

/** The schema with references that lead into the whole description. */
function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/')) as object;
}
