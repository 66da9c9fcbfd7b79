#!/bin/sh
# Builds the image proxy-conformance:VERSION from this checkout: sh examples/ci/image.sh. Needs npm, a Docker engine, and a Linux whose C library is glibc.
set -eu
cd "$(dirname "$0")/../.."
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$stage/suite" "$stage/rootfs/bin" "$stage/rootfs/tmp"
chmod 1777 "$stage/rootfs/tmp"
git archive HEAD | tar -x -C "$stage/suite"
npm ci --omit=dev --ignore-scripts --no-audit --no-fund --prefix "$stage/suite"
# The Node that the package brings along, a shell, and what both of them load.
cp -L "$stage"/suite/node_modules/node-linux-*/bin/node "$stage/rootfs/bin/node"
for program in sh cat cp rm; do cp -L "$(command -v $program)" "$stage/rootfs/bin/$program"; done
for program in "$stage"/rootfs/bin/*; do ldd "$program"; done | grep -o '/[^ ]*\.so[^ ]*' | sort -u |
  while read -r library; do
    mkdir -p "$stage/rootfs$(dirname "$library")"
    cp -L "$library" "$stage/rootfs$library"
  done
for name in conform refproxy; do
  printf '#!/bin/sh\nexec node /suite/bin/%s.mjs "$@"\n' $name > "$stage/rootfs/bin/$name"
  chmod 755 "$stage/rootfs/bin/$name"
done
docker build -f Containerfile -t "proxy-conformance:$(node -p 'require("./package.json").version')" "$stage"
