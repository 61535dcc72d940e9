export { type Audit, type AuditDeps, createAudit } from './audit.ts';
