#!/usr/bin/env bash
# Builds the dashboard: build.sh PROTO WORK OUT
#   PROTO  the folder of the protos   WORK  where sources, packages and generated code meet   OUT  the page
# Nothing is written beside the sources. Without the npm registry the page is left out, with one line.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
proto=$(realpath "$1")
mkdir -p "$2" "$3"
work=$(realpath "$2")
out=$(realpath "$3")
# The first page, gzipped: what a slow line must carry before anything is seen.
limit=$((250 * 1000))

cd "$work"
rm -rf src public
cp -r "$here"/{src,public,index.html,package.json,package-lock.json,tsconfig.json,vite.config.ts} .
if ! cmp -s package-lock.json node_modules/.lock; then
  if ! npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1; then
    echo "dashboard: not built: npm ci failed, see $work/npm.log"
    exit 0
  fi
  cp package-lock.json node_modules/.lock
fi

mkdir -p src/gen
protoc -I "$proto" --plugin=protoc-gen-es=node_modules/.bin/protoc-gen-es --es_out=target=ts:src/gen \
  shakedown/v1/{kernel,job,boot,farm,history,import,bisect,notify}.proto
node_modules/.bin/tsc --noEmit
node_modules/.bin/vite build --outDir page --emptyOutDir --logLevel warn

size=$(cat page/index.html page/assets/*.js page/assets/*.css | gzip -9 | wc -c)
echo "dashboard: $size bytes gzipped (limit $limit)"
if ((size > limit)); then
  echo "dashboard: larger than $limit bytes gzipped" >&2
  exit 1
fi
# Last, so that a failed build leaves the page before it.
rm -rf "${out:?}"/*
cp -r page/. "$out"
