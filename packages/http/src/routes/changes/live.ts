import type { Authentication, Logger } from '@baobab/core';
import { Type } from 'typebox';
import { clientAddress } from '../../callers/client-address.ts';
import { httpFailure, sendFailure } from '../../errors/errors.ts';
import { type LiveConnectionDeps, serveLive } from '../../live/connection.ts';
import { createRenderFrame } from '../../live/frames.ts';
import type { Upgrades } from '../../live/upgrades.ts';
import type { Answered } from '../../program/observers.ts';
import { forgetAnswer } from '../../responses/late-answers.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('changes');

export interface LiveRouteOptions extends Omit<LiveConnectionDeps, 'render'> {
  readonly authentication: Authentication;
  readonly logger: Logger;
  readonly upgrades: Upgrades;
  readonly answered: Answered;
}

export const liveRoutes: Routes<LiveRouteOptions> = async (app, { upgrades, answered, ...options }) => {
  const deps = { ...options, render: createRenderFrame() };

  app.get(
    '/live',
    {
      ...operation('openLive', 'Open a WebSocket for live queries and rooms', {
        description:
          'Subprotocol `baobab.v1`, JSON messages. Credentials are in the headers, in the query, or in the first ' +
          'message: `{"type":"hello","appCode","session"}`. See the guide for all messages.',
        response: { 101: Type.Null() },
        access: 'anybody',
        appCode: 'body',
        fails: ['upgrade.required'],
      }),
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const { raw, actor, hasAppCode } = request;
      if (!upgrades.isHandshake(raw)) {
        reply.header('Upgrade', 'websocket').header('Connection', 'Upgrade');
        return sendFailure(request, reply, httpFailure('upgrade.required'));
      }
      const isKnown = hasAppCode || actor.sessionId !== null || actor.key !== null;
      const caller = { actor: isKnown ? actor : null, address: clientAddress(request) };
      const upgraded = await upgrades.accept(raw, reply.raw);
      reply.hijack();
      reply.code(upgraded === null ? 400 : 101);
      answered(request, reply);
      forgetAnswer(reply);
      if (upgraded !== null) serveLive(deps, caller, upgraded);
      return reply;
    },
  );
};
