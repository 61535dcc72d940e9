import { parentPort } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import type { Answer } from '../images/pool.ts';

/** A password to check. */
export interface Question {
  readonly password: string;
  /** What is known about the user. */
  readonly about: readonly string[];
}

/** A password that takes fewer guesses is found by a patient guesser in spite of lock-outs. Powers of ten. */
const LEAST_GUESSES_LOG10 = 6;

const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

/** Short passwords are guessed soon as well, but not because they are common: the minimum length decides about them. */
function isCommon({ password, about }: Question): boolean {
  const { guessesLog10, sequence } = zxcvbn.check(password, [...about]);
  return guessesLog10 < LEAST_GUESSES_LOG10 && sequence.some(({ pattern }) => pattern !== 'bruteforce');
}

parentPort?.on('message', (question: Question) => {
  const answer: Answer<boolean> = { value: isCommon(question), isWorn: false };
  parentPort?.postMessage(answer);
});
