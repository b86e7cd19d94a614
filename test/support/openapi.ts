import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly headers: Readonly<Record<string, { required?: boolean; schema: { type?: string } }>>;
  };
}
interface DescribedOperation {
  readonly responses: Readonly<Record<string, Readonly<Record<'headers' | 'content', object>>>>;
}

/** An independent judge of answers, made from an OpenAPI description alone. */
export function answersFrom(document: object) {
  const { paths, components } = document as Described;
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: false });
  formats.default(ajv);
  ajv.addVocabulary(['components', 'info', 'openapi', 'paths', 'security', 'servers', 'tags']);
  ajv.addSchema(document, 'openapi');
  /** The schema at a place of the description. */
  const validator = (...place: string[]) => {
    const names = place.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1'));
    return ajv.getSchema(`openapi#/${names.map(encodeURIComponent).join('/')}/schema`)!;
  };

  /** Says of an answer what the description does not allow: empty when it is as described. The body is left unread. */
  return async ({ method, url }: Request, response: Response): Promise<string[]> => {
    const path = new URL(url).pathname.replace('/v1', '');
    const template = Object.keys(paths).find((each) =>
      new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
    );
    const at = [method.toLowerCase(), 'responses', String(response.status)] as const;
    const described = paths[template ?? '']?.[at[0]]?.responses[at[2]];
    if (!described) return [`${method} ${path} answering ${response.status} is not described`];
    const problems: string[] = [];
    for (const name of Object.keys(described.headers ?? {})) {
      const { required = false, schema } = components.headers[name]!;
      const text = response.headers.get(name);
      if (text === null && required) problems.push(`header ${name} is missing`);
      const value = schema.type === 'integer' ? Number(text) : text;
      if (text !== null && !validator('components', 'headers', name)(value))
        problems.push(`header ${name}: ${text}`);
    }
    for (const type of Object.keys(described.content ?? {})) {
      if (!response.headers.get('Content-Type')?.startsWith(type))
        problems.push(`the body is no ${type}`);
      const validate = validator('paths', template!, ...at, 'content', type);
      if (!validate(await response.clone().json())) problems.push(ajv.errorsText(validate.errors));
    }
    return problems;
  };
}
