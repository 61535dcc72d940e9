/**
 * Columns of the table: kinds of callers. To add a kind, add a column here and a line in `PROOFS` of
 * tests/http/route-matrix.test.ts.
 *
 * - `guest`: a session of a guest, eleven minutes after the sign-up
 * - `user`: a session with a fresh login of a user without 2FA
 * - `factor`: such a session of a user with 2FA
 * - `stale`: a session of a user with 2FA, eleven minutes after the login
 * - `suspended`: the session of a suspended user
 * - `admin`, `stale admin`: like `user` and `stale`, of an administrator without 2FA
 * - `key`: an API key with the role `administrator`
 */
export const CALLERS = [
  'anonymous',
  'guest',
  'user',
  'factor',
  'stale',
  'suspended',
  'admin',
  'stale admin',
  'key',
] as const;

export type Caller = (typeof CALLERS)[number];

/** Widths of the columns; the first is that of the route. */
export const WIDTHS = [61, 11, 8, 8, 8, 8, 11, 8, 13, 8] as const;

/**
 * All routes, in the order of the OpenAPI document, with the missing requirement of each caller: `login`, a `fresh`
 * login, the role `admin`, to be a `user`, or the current password in the `input`. `·`: the caller is admitted,
 * regardless of the response for names that do not exist. Add a line for each new route.
 */
export const MATRIX = `
                                                             anonymous  guest   user    factor  stale   suspended  admin   stale admin  key
GET /health/live                                             ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /health/ready                                            ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /openapi.json                                            ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /                                                        ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /docs                                                    ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /docs/json                                               ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /docs/static/{file}                                      ·          ·       ·       ·       ·       ·          ·       ·            ·
POST /login                                                  ·          ·       ·       ·       ·       ·          ·       ·            ·
POST /login/second                                           ·          ·       ·       ·       ·       ·          ·       ·            ·
POST /logout                                                 login      ·       ·       ·       ·       login      ·       ·            user
POST /logout/{deviceId}                                      login      ·       ·       ·       ·       login      ·       ·            user
GET /refresh                                                 login      ·       ·       ·       ·       login      ·       ·            user
GET /me/sessions                                             login      ·       ·       ·       ·       login      ·       ·            user
DELETE /me/sessions                                          login      ·       ·       ·       ·       login      ·       ·            user
DELETE /me/sessions/{id}                                     login      ·       ·       ·       ·       login      ·       ·            user
POST /login/code                                             ·          ·       ·       ·       ·       ·          ·       ·            ·
POST /login/code/confirm                                     ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /me/totp                                                 login      ·       ·       ·       ·       login      ·       ·            user
POST /me/totp                                                login      ·       ·       ·       fresh   login      ·       fresh        user
DELETE /me/totp                                              login      ·       ·       ·       fresh   login      ·       ·            user
POST /me/totp/confirm                                        login      ·       ·       ·       ·       login      ·       ·            user
GET /me/passkeys                                             login      ·       ·       ·       ·       login      ·       ·            user
POST /me/passkeys                                            login      ·       ·       ·       ·       login      ·       ·            user
POST /me/passkeys/options                                    login      ·       ·       ·       fresh   login      ·       fresh        user
PUT /me/passkeys/{id}                                        login      ·       ·       ·       ·       login      ·       ·            user
DELETE /me/passkeys/{id}                                     login      ·       ·       ·       fresh   login      ·       fresh        user
POST /login/passkey/options                                  ·          ·       ·       ·       ·       ·          ·       ·            ·
POST /login/passkey                                          ·          ·       ·       ·       ·       ·          ·       ·            ·
POST /me/email                                               login      ·       ·       ·       fresh   login      ·       fresh        user
POST /me/email/confirm                                       login      ·       ·       ·       ·       login      ·       ·            user
POST /user/{username}/email                                  ·          ·       ·       ·       ·       ·          ·       ·            ·
POST /user/{username}/email/confirm                          ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /user/email/confirm/{token}                              ·          ·       ·       ·       ·       ·          ·       ·            ·
POST /user/email/confirm/{token}                             ·          ·       ·       ·       ·       ·          ·       ·            ·
POST /user                                                   ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /user                                                    login      ·       ·       ·       ·       login      ·       ·            user
PUT /user                                                    login      ·       ·       ·       ·       login      ·       ·            user
PUT /user/password                                           login      ·       input   input   input   login      input   input        user
GET /me                                                      login      ·       ·       ·       ·       login      ·       ·            user
PUT /me                                                      login      ·       ·       ·       ·       login      ·       ·            user
DELETE /me                                                   login      ·       ·       ·       fresh   login      ·       fresh        user
PUT /me/password                                             login      ·       input   input   input   login      input   input        user
PUT /me/username                                             login      ·       ·       ·       fresh   login      ·       fresh        user
PUT /me/suspend                                              login      ·       ·       ·       fresh   login      ·       fresh        user
PUT /me/credentials                                          login      ·       ·       ·       ·       login      ·       ·            user
POST /me/erase/cancel                                        ·          ·       ·       ·       ·       ·          ·       ·            ·
POST /user/guest                                             ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /users                                                   login      ·       ·       ·       ·       login      ·       ·            ·
POST /users/query                                            login      ·       ·       ·       ·       login      ·       ·            ·
GET /user/{username}                                         ·          ·       ·       ·       ·       login      ·       ·            ·
GET /user/{username}/exists                                  login      ·       ·       ·       ·       login      ·       ·            ·
POST /follow/{username}                                      login      ·       ·       ·       ·       login      ·       ·            user
DELETE /follow/{username}                                    login      ·       ·       ·       ·       login      ·       ·            user
GET /following                                               login      ·       ·       ·       ·       login      ·       ·            user
GET /following/{username}                                    login      ·       ·       ·       ·       login      ·       ·            ·
GET /followers                                               login      ·       ·       ·       ·       login      ·       ·            user
GET /followers/{username}                                    login      ·       ·       ·       ·       login      ·       ·            ·
DELETE /followers/{username}                                 login      ·       ·       ·       ·       login      ·       ·            user
POST /group                                                  login      ·       ·       ·       ·       login      ·       ·            user
GET /group                                                   login      ·       ·       ·       ·       login      ·       ·            user
GET /group/{id}                                              login      ·       ·       ·       ·       login      ·       ·            ·
PUT /group/{id}                                              login      ·       ·       ·       ·       login      ·       ·            ·
DELETE /group/{id}                                           login      ·       ·       ·       ·       login      ·       ·            ·
GET /group/{id}/invited                                      login      ·       ·       ·       ·       login      ·       ·            ·
PUT /group/{id}/member/{username}                            login      ·       ·       ·       ·       login      ·       ·            ·
DELETE /group/{id}/member/{username}                         login      ·       ·       ·       ·       login      ·       ·            ·
GET /admin/group                                             login      admin   admin   admin   admin   login      ·       ·            ·
GET /me/group-policy                                         login      ·       ·       ·       ·       login      ·       ·            user
PUT /me/group-policy                                         login      ·       ·       ·       ·       login      ·       ·            user
GET /me/group-invitations                                    login      ·       ·       ·       ·       login      ·       ·            user
PUT /me/group-invitations/{id}                               login      ·       ·       ·       ·       login      ·       ·            user
DELETE /me/group-invitations/{id}                            login      ·       ·       ·       ·       login      ·       ·            user
POST /group/{id}/invitation                                  login      ·       ·       ·       ·       login      ·       ·            user
GET /group/{id}/invitation                                   login      ·       ·       ·       ·       login      ·       ·            ·
DELETE /group/{id}/invitation/{invitation}                   login      ·       ·       ·       ·       login      ·       ·            ·
GET /invitation/{code}                                       ·          ·       ·       ·       ·       login      ·       ·            ·
POST /invitation/{code}                                      login      ·       ·       ·       ·       login      ·       ·            user
GET /me/following-policy                                     login      ·       ·       ·       ·       login      ·       ·            user
PUT /me/following-policy                                     login      ·       ·       ·       ·       login      ·       ·            user
GET /me/follow-requests                                      login      ·       ·       ·       ·       login      ·       ·            user
PUT /me/follow-requests/{username}                           login      ·       ·       ·       ·       login      ·       ·            user
DELETE /me/follow-requests/{username}                        login      ·       ·       ·       ·       login      ·       ·            user
POST /block/{username}                                       login      ·       ·       ·       ·       login      ·       ·            user
DELETE /block/{username}                                     login      ·       ·       ·       ·       login      ·       ·            user
GET /blocked                                                 login      ·       ·       ·       ·       login      ·       ·            user
GET /admin/user                                              login      admin   admin   admin   admin   login      ·       ·            ·
POST /admin/user                                             login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/user/{username}                                   login      admin   admin   admin   admin   login      ·       ·            ·
PUT /admin/user/{username}                                   login      admin   admin   admin   admin   login      ·       ·            ·
DELETE /admin/user/{username}                                login      admin   admin   admin   admin   login      ·       ·            ·
PUT /admin/user/{username}/password                          login      admin   admin   admin   admin   login      ·       ·            ·
PUT /admin/user/suspend/{username}                           login      admin   admin   admin   admin   login      ·       ·            ·
PUT /admin/user/activate/{username}                          login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/user/{username}/sessions                          login      admin   admin   admin   admin   login      ·       ·            ·
DELETE /admin/user/{username}/sessions                       login      admin   admin   admin   admin   login      ·       ·            ·
DELETE /admin/user/{username}/sessions/{id}                  login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/user/{username}/belongings                        login      admin   admin   admin   admin   login      ·       ·            ·
GET /me/access                                               login      ·       ·       ·       ·       login      ·       ·            user
GET /admin/user/{username}/access                            login      admin   admin   admin   admin   login      ·       ·            ·
POST /admin/user/{username}/secure                           login      admin   admin   admin   admin   login      ·       ·            ·
DELETE /admin/user/{username}/factors                        login      admin   admin   admin   admin   login      ·       ·            ·
DELETE /admin/user/{username}/passkeys/{id}                  login      admin   admin   admin   admin   login      ·       ·            ·
DELETE /admin/user/{username}/social/{network}               login      admin   admin   admin   admin   login      ·       ·            ·
POST /admin/Fw/{follower}/to/{tofollow}                      login      admin   admin   admin   admin   login      ·       fresh        user
DELETE /admin/Fw/{follower}/to/{tofollow}                    login      admin   admin   admin   admin   login      ·       ·            ·
POST /admin/follow/{follower}/to/{tofollow}                  login      admin   admin   admin   admin   login      ·       fresh        user
DELETE /admin/follow/{follower}/to/{tofollow}                login      admin   admin   admin   admin   login      ·       ·            ·
POST /admin/key                                              login      admin   admin   admin   admin   login      ·       fresh        user
GET /admin/key                                               login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/key/{id}                                          login      admin   admin   admin   admin   login      ·       ·            ·
DELETE /admin/key/{id}                                       login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/statistics                                        login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/checks                                            login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/traffic                                           login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/requests                                          login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/audit                                             login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/access                                            login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/backup                                            login      admin   admin   admin   admin   login      ·       ·            ·
POST /admin/backup                                           login      admin   admin   admin   admin   login      ·       ·            ·
POST /admin/backup/download                                  login      admin   admin   admin   admin   login      ·       fresh        user
DELETE /admin/backup/{name}                                  login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/role                                              login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/roles                                             login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/role/{name}                                       login      admin   admin   admin   admin   login      ·       ·            ·
POST /admin/role/{name}                                      login      admin   admin   admin   admin   login      ·       ·            ·
PUT /admin/role/{name}                                       login      admin   admin   admin   admin   login      ·       ·            ·
DELETE /admin/role/{name}                                    login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/configuration/dump.json                           login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/configuration/{section}                           login      admin   admin   admin   admin   login      ·       ·            ·
PUT /admin/configuration/{section}/{key}/{value}             login      admin   admin   admin   admin   login      ·       ·            ·
PUT /admin/configuration/{section}/{key}                     login      admin   admin   admin   admin   login      ·       ·            ·
POST /admin/mail/test                                        login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/configuration/environment                         login      admin   admin   admin   admin   login      ·       ·            ·
GET /user/{username}/password/reset                          ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /user/password/reset/{token}                             ·          ·       ·       ·       ·       ·          ·       ·            ·
POST /user/password/reset/{token}                            ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /user/erase                                              ·          ·       ·       ·       ·       ·          ·       ·            ·
POST /user/erase                                             ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /user/erase/{token}                                      ·          ·       ·       ·       ·       ·          ·       ·            ·
POST /user/erase/{token}                                     ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /social                                                  login      ·       ·       ·       ·       login      ·       ·            user
POST /social/{network}                                       ·          ·       ·       ·       ·       ·          ·       ·            ·
PUT /social/{network}                                        login      ·       ·       ·       fresh   login      ·       fresh        user
DELETE /social/{network}                                     login      ·       ·       ·       fresh   login      ·       fresh        user
GET /metrics                                                 login      admin   admin   admin   admin   login      ·       ·            ·
POST /push/message                                           login      admin   admin   admin   admin   login      ·       ·            ·
POST /push/message/{target}                                  login      admin   admin   admin   admin   login      ·       ·            ·
GET /push/message/{target}                                   login      ·       ·       ·       ·       login      ·       ·            ·
PUT /push/enable/{os}/{token}                                login      ·       ·       ·       ·       login      ·       ·            user
PUT /push/disable/{token}                                    login      ·       ·       ·       ·       login      ·       ·            user
GET /admin/push/messages                                     login      admin   admin   admin   admin   login      ·       ·            ·
POST /admin/webhook                                          login      admin   admin   admin   admin   login      ·       fresh        user
GET /admin/webhook                                           login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/webhook/{id}                                      login      admin   admin   admin   admin   login      ·       ·            ·
PUT /admin/webhook/{id}                                      login      admin   admin   admin   admin   login      ·       ·            ·
DELETE /admin/webhook/{id}                                   login      admin   admin   admin   admin   login      ·       ·            ·
POST /admin/webhook/{id}/secret                              login      admin   admin   admin   admin   login      ·       fresh        user
POST /admin/webhook/{id}/test                                login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/webhook/{id}/deliveries                           login      admin   admin   admin   admin   login      ·       ·            ·
POST /admin/webhook/{id}/deliveries/{delivery}/replay        login      admin   admin   admin   admin   login      ·       ·            ·
POST /admin/collection/{name}                                login      admin   admin   admin   admin   login      ·       ·            ·
DELETE /admin/collection/{name}                              login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/collection                                        login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/collection/names                                  login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/collection/{name}/rules                           login      admin   admin   admin   admin   login      ·       ·            ·
PUT /admin/collection/{name}/rules                           login      admin   admin   admin   admin   login      ·       ·            ·
POST /admin/collection/{name}/rules/test                     login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/collection/{name}/schema                          login      admin   admin   admin   admin   login      ·       ·            ·
PUT /admin/collection/{name}/schema                          login      admin   admin   admin   admin   login      ·       ·            ·
DELETE /admin/collection/{name}/schema                       login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/collection/{name}/index                           login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/collection/{name}/index/advice                    login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/collection/{name}/index/{path}                    login      admin   admin   admin   admin   login      ·       ·            ·
PUT /admin/collection/{name}/index/{path}                    login      admin   admin   admin   admin   login      ·       ·            ·
DELETE /admin/collection/{name}/index/{path}                 login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/index/{list}                                      login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/index/{list}/{path}                               login      admin   admin   admin   admin   login      ·       ·            ·
PUT /admin/index/{list}/{path}                               login      admin   admin   admin   admin   login      ·       ·            ·
DELETE /admin/index/{list}/{path}                            login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/collection/{name}/search                          login      admin   admin   admin   admin   login      ·       ·            ·
PUT /admin/collection/{name}/search                          login      admin   admin   admin   admin   login      ·       ·            ·
DELETE /admin/collection/{name}/search                       login      admin   admin   admin   admin   login      ·       ·            ·
POST /document/{collection}                                  login      ·       ·       ·       ·       login      ·       ·            ·
GET /document/{collection}                                   ·          ·       ·       ·       ·       login      ·       ·            ·
GET /document/{collection}/count                             ·          ·       ·       ·       ·       login      ·       ·            ·
GET /document/{collection}/{id}                              ·          ·       ·       ·       ·       login      ·       ·            ·
PUT /document/{collection}/{id}                              login      ·       ·       ·       ·       login      ·       ·            ·
PATCH /document/{collection}/{id}                            login      ·       ·       ·       ·       login      ·       ·            ·
DELETE /document/{collection}/{id}                           login      ·       ·       ·       ·       login      ·       ·            ·
GET /document/{collection}/{id}/.{fieldPath}                 ·          ·       ·       ·       ·       login      ·       ·            ·
PUT /document/{collection}/{id}/.{fieldPath}                 login      ·       ·       ·       ·       login      ·       ·            ·
DELETE /document/{collection}/{id}/.{fieldPath}              login      ·       ·       ·       ·       login      ·       ·            ·
PUT /document/{collection}/{id}/acl                          login      ·       ·       ·       ·       login      ·       ·            ·
PUT /document/{collection}/{id}/{action}/user/{username}     login      ·       ·       ·       ·       login      ·       ·            ·
DELETE /document/{collection}/{id}/{action}/user/{username}  login      ·       ·       ·       ·       login      ·       ·            ·
PUT /document/{collection}/{id}/{action}/role/{rolename}     login      ·       ·       ·       ·       login      ·       ·            ·
DELETE /document/{collection}/{id}/{action}/role/{rolename}  login      ·       ·       ·       ·       login      ·       ·            ·
PUT /document/{collection}/{id}/{action}/group/{groupId}     login      ·       ·       ·       ·       login      ·       ·            ·
DELETE /document/{collection}/{id}/{action}/group/{groupId}  login      ·       ·       ·       ·       login      ·       ·            ·
POST /document/{collection}/query                            ·          ·       ·       ·       ·       login      ·       ·            ·
GET /changes                                                 ·          ·       ·       ·       ·       login      ·       ·            ·
GET /changes/stream                                          ·          ·       ·       ·       ·       login      ·       ·            ·
GET /live                                                    ·          ·       ·       ·       ·       login      ·       ·            ·
POST /batch                                                  login      ·       ·       ·       ·       login      ·       ·            ·
GET /file/details                                            login      ·       ·       ·       ·       login      ·       ·            ·
POST /file/details/query                                     login      ·       ·       ·       ·       login      ·       ·            ·
GET /file/details/{id}                                       login      ·       ·       ·       ·       login      ·       ·            ·
GET /file/attachedData/{id}                                  login      ·       ·       ·       ·       login      ·       ·            ·
GET /file/{id}                                               login      ·       ·       ·       ·       login      ·       ·            ·
DELETE /file/{id}                                            login      ·       ·       ·       ·       login      ·       ·            ·
PUT /file/{id}/{action}/user/{username}                      login      ·       ·       ·       ·       login      ·       ·            ·
DELETE /file/{id}/{action}/user/{username}                   login      ·       ·       ·       ·       login      ·       ·            ·
PUT /file/{id}/{action}/role/{rolename}                      login      ·       ·       ·       ·       login      ·       ·            ·
DELETE /file/{id}/{action}/role/{rolename}                   login      ·       ·       ·       ·       login      ·       ·            ·
PUT /file/{id}/{action}/group/{groupId}                      login      ·       ·       ·       ·       login      ·       ·            ·
DELETE /file/{id}/{action}/group/{groupId}                   login      ·       ·       ·       ·       login      ·       ·            ·
GET /asset/{name}/data                                       ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /asset/{name}                                            ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /asset/{name}/resize/{width}/{height}                    ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /asset/{name}/resize/{percent}                           ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /asset/{name}/resizeId/{sizeId}                          ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /asset/{name}/download                                   ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /asset/{name}/download/resize/{width}/{height}           ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /asset/{name}/download/resize/{percent}                  ·          ·       ·       ·       ·       ·          ·       ·            ·
GET /asset/{name}/download/resizeId/{sizeId}                 ·          ·       ·       ·       ·       ·          ·       ·            ·
POST /file                                                   login      ·       ·       ·       ·       login      ·       ·            ·
POST /admin/asset                                            login      admin   admin   admin   admin   login      ·       ·            ·
GET /admin/asset                                             login      admin   admin   admin   admin   login      ·       ·            ·
DELETE /admin/asset/{name}                                   login      admin   admin   admin   admin   login      ·       ·            ·
POST /admin/backup/restore                                   login      admin   admin   admin   admin   login      ·       ·            ·
`;
