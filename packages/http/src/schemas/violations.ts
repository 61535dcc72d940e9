import { Type } from 'typebox';

const Problem = Type.Object(
  {
    path: Type.String({ description: 'A JSON Pointer into the content; for checks, into the rules' }),
    message: Type.String(),
  },
  { title: 'Problem' },
);
const Violation = Type.Object({ id: Type.String(), errors: Type.Array(Problem) }, { title: 'Violation' });
export const Violations = Type.Object(
  {
    violations: Type.Integer({ description: 'Number of stored documents that do not conform' }),
    first: Type.Array(Violation, { description: 'The first of these documents' }),
  },
  { title: 'Violations' },
);
