const texts = new WeakMap<Response, string>();

/** Keeps the text that a `Response` was made of, so that an adapter can send it at once instead of reading it as a stream. */
export function keepBody(response: Response, text: string): Response {
  texts.set(response, text);
  return response;
}

/** The whole body of a `Response`, where it is known without reading it. */
export function wholeBody(response: Response): string | undefined {
  return response.bodyUsed ? undefined : texts.get(response);
}
