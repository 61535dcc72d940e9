import type { Json, OpenApi, Operation } from './document.ts';
import { typedExample } from './parameters.ts';

/** A recorded call with its responses. */
export interface Example {
  readonly parameters: Readonly<Record<string, string>>;
  readonly body?: { readonly type: string; readonly value: Json };
  /** JSON responses by status. */
  readonly answers: Readonly<Record<string, Json>>;
}

/** Examples by operation id. */
export type Examples = Readonly<Record<string, Example>>;

function addExample(operation: Operation, { parameters, body, answers }: Example): void {
  for (const parameter of operation.parameters ?? []) {
    const value = parameters[parameter.name];
    if (value !== undefined) parameter.example = typedExample(value, parameter.schema);
  }
  const sent = body === undefined ? undefined : operation.requestBody?.content[body.type];
  if (sent !== undefined && body !== undefined) sent.example = body.value;
  for (const [status, value] of Object.entries(answers)) {
    const response = operation.responses[status];
    const media = response !== undefined && 'content' in response ? response.content?.['application/json'] : undefined;
    if (media !== undefined && value !== null) media.example = value;
  }
}

/** Adds recorded requests and responses to the document as examples. */
export function addExamples(document: OpenApi, examples: Examples): void {
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item))) {
    const example = examples[operation.operationId];
    if (example !== undefined) addExample(operation, example);
  }
}
