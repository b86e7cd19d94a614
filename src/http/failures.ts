import type { Issue } from '../errors/errors.js';
import type { Answer } from './fetch.js';

/** A function of the caller's own failed: the one that gives the key, or a gate. */
export class OwnFailure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/** The service answered, and not with success. */
export class Refused extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('refused');
    this.answer = answer;
  }
}

/** The answer says success, and its body is not what the contract says. */
export class BodyProblem extends Error {
  readonly answer: Answer;
  readonly issues: readonly Issue[];

  constructor(message: string, answer: Answer, issues: readonly Issue[] = []) {
    super(message);
    this.answer = answer;
    this.issues = issues;
  }
}
