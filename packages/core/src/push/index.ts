export { createBreaker } from './breaker.ts';
export { createPushDelivery, type PushDelivery } from './delivery.ts';
export { checkDeviceId, createPushDevices, type LoginData, type PushDevices } from './devices.ts';
export { createLane } from './lane.ts';
export {
  createPushMessages,
  type DeliveryPage,
  type ListedMessage,
  type MessageState,
  type PushMessages,
} from './messages.ts';
export { parsePayload } from './payload.ts';
