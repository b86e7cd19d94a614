import type { CallContext } from './call-context.js';
import type { Redactor } from '../errors/redact.js';

/** The request of a call as a `curl` command that can be pasted: the key stands in it as a variable of the shell. */
export function toCurl({ request }: CallContext, redactor: Redactor): string | undefined {
  if (request === undefined) return undefined;
  const words = [
    // -g: brackets and braces in an address are no patterns.
    request.method === 'HEAD' ? 'curl -g --head' : `curl -g -i -X ${request.method}`,
    quote(redactor.text(request.url)),
    `-H "Authorization: Bearer $PETSTORE_API_KEY"`,
  ];
  if (request.body !== undefined)
    words.push(
      `-H 'Content-Type: application/json'`,
      `--data-raw ${quote(redactor.text(request.body))}`,
    );
  return words.join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
