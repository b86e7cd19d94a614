import {
  AuthenticationError,
  BadRequestError,
  ConnectionError,
  RateLimitError,
  RequestValidationError,
  ResponseValidationError,
  TimeoutError,
} from 'petstore-client';

/**
 * Creates a pet for each row that the journal does not tell about yet, `lanes` at a time. How fast is not decided here:
 * the client waits for the rate limit of the key. A row in doubt is left alone.
 *
 * @returns why it ended early, or undefined.
 */
export async function importPets({ client, rows, journal, onProgress, lanes = 4, signal }) {
  const states = rows.map((_row, index) => journal.stateOf(index));
  const queue = states
    .flatMap((state, index) => (state === undefined || state === 'unsent' ? [index] : []))
    .values();
  let done = states.filter(isSettled).length;
  let reason;

  const lane = async () => {
    // All lanes take from one queue. Who finds a reason to stop lets the others end what they have begun.
    for (const index of queue) {
      journal.record(index, 'sending');
      const { state, stop, ...details } = await send(client, rows[index]);
      if (state !== 'sending') journal.record(index, state, details);
      if (isSettled(state)) onProgress(++done);
      reason ??= stop;
      if (reason !== undefined || signal.aborted) return;
    }
  };
  onProgress(done);
  await Promise.all(Array.from({ length: lanes }, lane));
  return reason ?? (signal.aborted ? signal.reason : undefined);
}

const isSettled = (state) => state === 'created' || state === 'rejected';

async function send(client, { name, categoryId, status }) {
  try {
    const { id } = await client.createPet({
      name,
      categoryId: categoryId && BigInt(categoryId),
      ...(status && { status }),
    });
    return { state: 'created', id: String(id) };
  } catch (error) {
    return outcomeOf(error);
  }
}

/** What a failure says about the row, and whether it makes sense to go on. */
function outcomeOf(error) {
  // The row is wrong, and will be wrong next time. (A SyntaxError: its category is no whole number.)
  if (
    error instanceof BadRequestError ||
    error instanceof RequestValidationError ||
    error instanceof SyntaxError
  ) {
    return { state: 'rejected', why: error.message };
  }
  // It took effect, but the answer could not be read: the pet is there, its id is not known.
  if (error instanceof ResponseValidationError) return { state: 'created' };
  // Refused before it was processed, or never sent.
  if (error instanceof AuthenticationError || error instanceof RateLimitError)
    return { state: 'unsent', stop: error };
  if (
    (error instanceof ConnectionError || error instanceof TimeoutError) &&
    error.requestSent === 'no'
  ) {
    return { state: 'unsent', stop: error };
  }
  // The doubtful case: requestSent is 'unknown', or the service failed while it worked. The pet may be there, or not; sent
  // again, it could be there twice. The service has no key by which it knows a repeated request, and no list is sure to
  // hold every pet, so a program cannot find out. The row stays at 'sending', and a person looks.
  return { state: 'sending', stop: error };
}
