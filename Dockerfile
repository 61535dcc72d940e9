# Three stages: the manifests, then a stage that installs and builds everything, then one that contains only what the
# program needs to run. Manifests come before sources, so that a change of sources reuses the installed dependencies.
# Update a tag together with its digest: `docker buildx imagetools inspect node:24-slim` prints both.
FROM node:24.18.0-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS manifests
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/core/package.json packages/core/
COPY packages/adapters/package.json packages/adapters/
COPY packages/contracts/package.json packages/contracts/
COPY packages/client/package.json packages/client/
COPY packages/console/package.json packages/console/
COPY packages/http/package.json packages/http/
COPY packages/server/package.json packages/server/
COPY tests/package.json tests/
COPY bench/package.json bench/
COPY examples/shopping-lists/package.json examples/shopping-lists/
COPY examples/task-board/package.json examples/task-board/

FROM manifests AS build
COPY scripts/run.mjs scripts/
RUN node scripts/run.mjs install
COPY . .
RUN node scripts/run.mjs build

FROM manifests
ENV NODE_ENV=production DATA_DIR=/data
RUN npm ci --omit=dev --workspace packages/server && npm cache clean --force
COPY --from=build /app/packages/core/dist packages/core/dist
COPY --from=build /app/packages/adapters/dist packages/adapters/dist
COPY --from=build /app/packages/client/dist packages/client/dist
COPY --from=build /app/packages/http/dist packages/http/dist
COPY --from=build /app/packages/server/dist packages/server/dist
COPY --from=build /app/packages/console/dist/site packages/console/dist/site
RUN ln -s /app/packages/server/dist/cli.js /usr/local/bin/baobab && chmod +x packages/server/dist/cli.js
# OpenShift runs containers with an arbitrary user id in group 0. A number: Kubernetes cannot check that a name is not root.
RUN mkdir -m 770 /data && chown 1000:0 /data
USER 1000:0
VOLUME /data
EXPOSE 9000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", \
  "fetch('http://127.0.0.1:' + (process.env.PORT || 9000) + '/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# `docker run … baobab backup --to …` and the other commands work too.
ENTRYPOINT ["node", "/app/packages/server/dist/cli.js"]
CMD ["serve"]
