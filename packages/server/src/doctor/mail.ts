import { isAppError } from '@baobab/core';
import { causeText, type Finding, fault, ok, skipped } from './check.ts';

/** @param connect logs in to the mail server; resolves to false if none is configured */
export async function checkMailServer(connect: () => Promise<boolean>): Promise<Finding> {
  try {
    return (await connect())
      ? ok('The mail server answers')
      : skipped('No mail server is set (network.smtp.host), so passwords cannot be reset by mail');
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.code === 'mail.refused'
      ? fault(
          `The mail server rejects the login: ${causeText(error)}`,
          'Correct the settings network.smtp.user and network.smtp.password of the section PasswordRecovery',
        )
      : fault(
          `The mail server cannot be reached: ${causeText(error)}`,
          'Correct network.smtp.host, .port, .ssl and .tls of the section PasswordRecovery, and check the firewall',
        );
  }
}
