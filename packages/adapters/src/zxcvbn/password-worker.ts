import { parentPort } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import type { Answer } from '../worker-pool.ts';

/** Password to check. */
export interface Question {
  readonly password: string;
  /** Known data about the user. */
  readonly about: readonly string[];
}

/** Minimum guesses, as a power of ten. A patient attacker finds weaker passwords despite account lockout. */
const LEAST_GUESSES_LOG10 = 6;

const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

/**
 * True for common passwords. Short passwords are also guessed quickly, but not because they are common: they are left
 * to the minimum length.
 */
function isCommon({ password, about }: Question): boolean {
  const { guessesLog10, sequence } = zxcvbn.check(password, [...about]);
  return guessesLog10 < LEAST_GUESSES_LOG10 && sequence.some(({ pattern }) => pattern !== 'bruteforce');
}

parentPort?.on('message', (question: Question) => {
  const answer: Answer<boolean> = { value: isCommon(question), isWorn: false };
  parentPort?.postMessage(answer);
});
