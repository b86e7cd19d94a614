import { safeParse } from 'zod/v4/core';
import { answerSchemas, findDrift, readAnswer, type AnswerSchemas } from './answers.js';
import { parseJson } from './contract/json.js';
import type { Issue } from './errors.js';
import type { Answer } from './exchange.js';
import { BodyProblem } from './failures.js';
import type { RawRequest } from './options.js';
import { toIssues } from './prepare.js';
import type { StandardResult, StandardSchema } from './standard-schema.js';
import type { Call } from './transport.js';
import type { Int64Mode } from './types.js';

/** Parses the answer of an operation of the contract. */
export function parseAnswer<T>(kind: keyof AnswerSchemas, int64: Int64Mode): Call<T>['parse'] {
  return (answer, validation, drift) => {
    if (validation === 'strict' && !isJson(answer)) throw new BodyProblem('the content type is not application/json', answer);
    const value = readWith((text) => readAnswer(text, int64), answer);
    const result = safeParse(answerSchemas(int64, validation)[kind], value);
    if (!result.success) throw invalid(answer, toIssues(result.error.issues));
    if (drift !== undefined) findDrift(result.data, drift);
    return result.data as T;
  };
}

/** Parses the answer of a raw request, with the schema of the caller if there is one. */
export function parseRaw<T>(request: RawRequest<T>): Call<T>['parse'] {
  return async (answer) => {
    const { schema, method } = request;
    const empty = answer.text === '' && answer.problem === undefined;
    const value = empty && (schema === undefined || /^head$/i.test(method)) ? undefined : readWith(parseJson, answer);
    if (schema === undefined) return value as T;
    const result = await validate(schema, value, answer);
    if (result.issues === undefined) return result.value;
    throw invalid(answer, result.issues.map(toIssue));
  };
}

async function validate<T>(schema: StandardSchema<T>, value: unknown, answer: Answer): Promise<StandardResult<T>> {
  try {
    return await schema['~standard'].validate(value);
  } catch {
    throw new BodyProblem('the schema threw an error instead of giving its issues', answer);
  }
}

function readWith(parse: (text: string) => unknown, answer: Answer): unknown {
  if (answer.problem !== undefined) throw new BodyProblem(`the body is ${answer.problem}`, answer);
  try {
    return parse(answer.text);
  } catch {
    throw new BodyProblem(`the body ${notJson(answer.text)}`, answer);
  }
}

function notJson(text: string): string {
  if (text.trim() === '') return 'is empty';
  if (/^\s*</.test(text)) return 'is an HTML page, from a proxy or a captive portal perhaps';
  return /^\s*[[{]/.test(text) ? 'is JSON that breaks off or is malformed' : 'is not JSON';
}

function isJson({ response }: Answer): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\b/i.test(response.headers.get('content-type') ?? '');
}

function invalid(answer: Answer, issues: readonly Issue[]): BodyProblem {
  return new BodyProblem('the body is not what the contract says', answer, issues);
}

type StandardIssue = NonNullable<StandardResult<unknown>['issues']>[number];

function toIssue({ message, path = [] }: StandardIssue): Issue {
  const keys = path.map((part) => (typeof part === 'object' ? part.key : part));
  return { message, path: keys.map((key) => (typeof key === 'symbol' ? String(key) : key)) };
}
