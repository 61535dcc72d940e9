export { type Audit, type AuditDeps, createAudit, withoutUser } from './audit.ts';
export {
  type AuditFault,
  type AuditTrail,
  type AuditVerification,
  type AuditWanted,
  createAuditTrail,
} from './trail.ts';
