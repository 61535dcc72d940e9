export { createSessionAdmin, type SessionAdmin } from '../users/session-admin.ts';
export { type AccessChange, type AccessList, type AccessLists, createAccessLists } from './access-list.ts';
export { type Belongings, type BelongingsUseCases, createBelongings, MAX_COUNTED } from './belongings.ts';
export { createFirstPassword, type FirstPassword } from './first-password.ts';
export { createSettingAdmin, type SettingAdmin, type ShownSection } from './setting-admin.ts';
export { createStatistics, type Statistics, type StatisticsUseCases } from './statistics.ts';
export { createTestMail, type TestMail } from './test-mail.ts';
