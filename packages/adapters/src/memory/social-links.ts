import { AppError, type SocialLinkStore } from '@baobab/core';
import { type State, socialLinkKey } from './state.ts';

export function createSocialLinkStore(state: State): SocialLinkStore {
  const ofUser = (userId: string) => state.socialLinks.where('user', userId);
  return {
    async find(network, personId) {
      const link = state.socialLinks.get(socialLinkKey(network, personId));
      return link === undefined ? null : { ...link };
    },
    // Sorted by network, since keys begin with it.
    async list(userId) {
      return ofUser(userId).map((link) => ({ ...link }));
    },
    async put(link) {
      const { network, personId, userId } = link;
      const holder = state.socialLinks.get(socialLinkKey(network, personId));
      if (holder !== undefined && holder.userId !== userId) return false;
      if (state.users.get(userId) === undefined) throw new AppError('user.not_found');
      const former = ofUser(userId).find((one) => one.network === network);
      if (former !== undefined) state.socialLinks.delete(socialLinkKey(network, former.personId));
      state.socialLinks.set({ ...link });
      return true;
    },
    async remove(userId, network) {
      const link = ofUser(userId).find((one) => one.network === network);
      return link !== undefined && state.socialLinks.delete(socialLinkKey(network, link.personId));
    },
  };
}
