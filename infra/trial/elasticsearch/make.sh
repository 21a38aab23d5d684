#!/usr/bin/env bash
# make.sh LAUNCHER FOLDER: what the stand-in for Elasticsearch is made of: its published jars and a JDK, by the script of the
# launcher (../shared/tools/elasticsearch), which needs Maven and a JDK of 21 or later, up to where it would start the server.
set -euo pipefail
launcher=$1 folder=$2 copy=$2/launcher
[ -x "$launcher/serve" ] || exit 69
cp -r "$launcher" "$copy"
sed -i 's/"http.host", "127.0.0.1"/"http.host", "0.0.0.0"/' "$copy/Serve.java"
sed -i '/^exec /,$d' "$copy/serve"
echo 'cp -rL "$java" "$folder/../jdk"' >>"$copy/serve" # the JDK that it chose
bash "$copy/serve" 9200 "$folder/server"
rm -r "$copy" "$folder/server/jars" "$folder/jdk/jmods" "$folder/jdk/lib/src.zip" 2>/dev/null || true
